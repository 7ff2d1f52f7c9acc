/** A webhook: what it hears of, what became of it, and what can be done about that. */
import type { Webhook, WebhookTest } from "@hopline/client/openapi";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { getRouteApi, Link as RouterLink, useNavigate } from "@tanstack/react-router";
import { ArrowLeft, KeyRound, Pause, Play, Send, Settings2, Trash2 } from "lucide-react";
import { Fragment, useState } from "react";
import { attempt } from "../attempt.ts";
import { formatDateTime, formatNumber, formatUrl } from "../format.ts";
import { Button, hinted, IconButton } from "../ui/controls.tsx";
import { Confirm, Modal, SecretDialog } from "../ui/modal.tsx";
import { ErrorNote, Note, PageHead, Skeleton, Waiting } from "../ui/page.tsx";
import { useKept } from "../ui/use-kept.ts";
import { useSending } from "../use-sending.ts";
import { DeliveryLog } from "./delivery-log.tsx";
import { toBody, toDraft, WebhookDialog } from "./webhook-form.tsx";
import { statsQuery, webhookQuery } from "./webhook-queries.ts";
import {
  describeAnswer,
  formatTook,
  OFF_REASONS,
  SECRET_ADVICE,
  stateOf,
  TYPE_NAMES,
} from "./webhook-words.ts";
import { t } from "./words.ts";
import { shared } from "../words.ts";

const route = getRouteApi("/signed-in/w/$workspaceId/webhooks/$webhookId");

export function WebhookPage() {
  const { webhookId } = route.useParams();
  const webhook = useQuery(webhookQuery(webhookId));
  return (
    <main className="page">
      <RouterLink from="/w/$workspaceId" to="/w/$workspaceId/webhooks" className="back">
        <ArrowLeft size={15} aria-hidden /> {t.webhooks}
      </RouterLink>
      <Waiting query={webhook} lines={8} height={30} />
      {webhook.data !== undefined && <Shown webhook={webhook.data} />}
    </main>
  );
}

type Asked = "edit" | "rotate" | "test" | "off" | "delete";
type WebhookProps = { readonly webhook: Webhook };

function Shown({ webhook }: WebhookProps) {
  const [asked, setAsked] = useState<Asked | null>(null);
  const { url, description, events, failingSince, oldSecretUntil, disabledAt, disabledReason } = webhook;
  const { kind, label } = stateOf(webhook);
  const dialog = { webhook, onClose: () => setAsked(null) };
  return (
    <>
      <PageHead
        title={description ?? formatUrl(url)}
        about={
          <span className="facts-line">
            <span className={`status ${kind}`}>{label}</span>
            {description !== null && <span className="receiver-url">{formatUrl(url)}</span>}
            <span>{events.map((name) => TYPE_NAMES[name]).join(", ")}</span>
          </span>
        }
      >
        <Button icon={Send} label={t.sendTest} onClick={() => setAsked("test")} />
        <Button icon={Settings2} label={t.edit} onClick={() => setAsked("edit")} />
        <IconButton isLarge icon={KeyRound} label={t.replaceSecret} onClick={() => setAsked("rotate")} />
        {webhook.enabled && (
          <IconButton isLarge icon={Pause} label={t.switchOff} onClick={() => setAsked("off")} />
        )}
        <IconButton
          isLarge
          icon={Trash2}
          label={t.deleteThisWebhook}
          isDanger
          onClick={() => setAsked("delete")}
        />
      </PageHead>
      {!webhook.enabled && (
        <Note kind="bad">
          <strong>{t.itIsOff(disabledAt)}</strong> {disabledReason !== null && OFF_REASONS[disabledReason]}{" "}
          {t.eventsWhileItIsOff}
          <SwitchOn webhook={webhook} />
        </Note>
      )}
      {webhook.enabled && failingSince !== null && (
        <Note kind="warn">{t.nothingHasBeenAccepted(formatDateTime(failingSince))}</Note>
      )}
      {oldSecretUntil !== null && <Note>{t.untilMessagesAreAlsoSigned(formatDateTime(oldSecretUntil))}</Note>}
      <Stats webhookId={webhook.id} />
      <DeliveryLog webhook={webhook} />
      {asked === "edit" && <EditWebhook {...dialog} />}
      {asked === "rotate" && <RotateSecret {...dialog} />}
      {asked === "test" && <TestWebhook {...dialog} />}
      {asked === "off" && <SwitchOff {...dialog} />}
      {asked === "delete" && <DeleteWebhook {...dialog} />}
    </>
  );
}

/** The matched clicks, and the three places where each of them is. */
function Stats({ webhookId }: { readonly webhookId: string }) {
  const stats = useQuery(statsQuery(webhookId));
  if (stats.data === undefined) {
    return <Waiting query={stats} lines={2} height={34} />;
  }
  const { clicks, waiting, lastAcceptedAt } = stats.data;
  const rest = [
    waiting.oldestAt === null
      ? ""
      : `${waiting.deliveries === 1 ? t.n1DeliveryHasWaited : t.deliveriesAreWaitingOldest(formatNumber(waiting.deliveries))} since ${formatDateTime(waiting.oldestAt)}.`,
    lastAcceptedAt === null ? t.nothingHasBeenAcceptedYet : t.lastAccepted(formatDateTime(lastAcceptedAt)),
  ];
  const figures = [
    [t.clicksThatMatched, t.sinceWebhookWasCreated, clicks.matched],
    [t.delivered, t.receiverAcceptedThem, clicks.delivered],
    [t.waiting, t.toBeSentOrToBeSentAgain, clicks.waiting],
    [t.failed, t.notAcceptedForDayOrWebhook, clicks.givenUp],
  ] as const;
  return (
    <section className="card stack tight" aria-label={t.whatBecameClicks}>
      <div className="row wrap sum">
        {figures.map(([label, hint, value], index) => (
          <Fragment key={label}>
            {index > 0 && <span aria-hidden>{index === 1 ? "=" : "+"}</span>}
            <div className="figure">
              <span className="soft small" {...hinted(hint)}>
                {label}
              </span>
              <strong>{formatNumber(value)}</strong>
            </div>
          </Fragment>
        ))}
      </div>
      <p className="small soft">{rest.join(" ")}</p>
    </section>
  );
}

type DialogProps = WebhookProps & { readonly onClose: () => void };

const REREADS = ["webhooks", "webhook"];

function EditWebhook({ webhook, onClose }: DialogProps) {
  const [draft, set, close] = useKept(`edit ${webhook.updatedAt}`, toDraft(webhook), onClose);
  const saving = useSending({
    send: (hopline) => hopline.updateWebhook({ webhookId: webhook.id, body: toBody(draft) }),
    said: t.webhookSaved,
    rereads: REREADS,
    onSent: close,
  });
  const dialog = { draft, onChange: set, sending: saving, onCancel: close, onClose };
  return <WebhookDialog title={t.editWebhook} submit={shared.save} {...dialog} />;
}

function RotateSecret({ webhook, onClose }: DialogProps) {
  const [secret, setSecret] = useState<string | null>(null);
  return secret === null ? (
    <Confirm
      title={t.askReplaceSecret}
      button={t.createNewSecret}
      send={(hopline) => hopline.rotateWebhookSecret({ webhookId: webhook.id })}
      rereads={REREADS}
      onSent={(rotated) => setSecret(rotated.secret)}
      onClose={onClose}
    >
      {t.for24HoursMessages}
    </Confirm>
  ) : (
    <SecretDialog
      title={t.newSecret}
      name={t.theSecret}
      secret={secret}
      advice={SECRET_ADVICE}
      onClose={onClose}
    />
  );
}

function TestWebhook({ webhook, onClose }: DialogProps) {
  const testing = useSending({ send: (hopline) => hopline.testWebhook({ webhookId: webhook.id }) });
  return (
    <Modal title={t.sendTest} isWide onClose={onClose}>
      <p className="soft">
        {t.sampleFirstEventSignedLike} <span className="receiver-url">{webhook.url}</span>
        {t.itIsNotInLog}
      </p>
      {testing.isPending && <Skeleton lines={3} />}
      {testing.isError && <ErrorNote error={testing.error} />}
      {testing.data !== undefined && <TestAnswer test={testing.data} />}
      <div className="row">
        <Button label={shared.close} kind="quiet" className="spread" onClick={onClose} />
        <Button
          label={testing.isIdle ? t.send : t.sendAgain}
          kind="primary"
          disabled={testing.isPending}
          onClick={() => testing.mutate()}
        />
      </div>
    </Modal>
  );
}

function TestAnswer({ test }: { readonly test: WebhookTest }) {
  const { accepted, status, error, durationMs, answer, message } = test;
  return (
    <div className="stack tight" role="status">
      <Note kind={accepted ? "good" : "bad"}>
        <strong>{accepted ? t.accepted : t.notAccepted}</strong>{" "}
        {t.afterDurationMsStatus(formatTook(durationMs), describeAnswer(status, error))}
      </Note>
      <h3>{t.answer}</h3>
      <pre className="body">{answer === "" ? t.nothing : answer}</pre>
      <h3>{t.message}</h3>
      <pre className="body">
        {attempt(() => JSON.stringify(JSON.parse(message.body), null, 2)) ?? message.body}
      </pre>
    </div>
  );
}

function SwitchOn({ webhook }: WebhookProps) {
  const switching = useSending({
    send: (hopline) => hopline.updateWebhook({ webhookId: webhook.id, body: { enabled: true } }),
    said: t.webhookIsOn,
    rereads: REREADS,
    isBare: true,
  });
  return (
    <div>
      <Button
        icon={Play}
        label={t.switchOnAgain}
        isSmall
        disabled={switching.isPending}
        onClick={() => switching.mutate()}
      />
    </div>
  );
}

function SwitchOff({ webhook, onClose }: DialogProps) {
  return (
    <Confirm
      title={t.askSwitchWebhookOff}
      button={t.switchItOff}
      send={(hopline) => hopline.updateWebhook({ webhookId: webhook.id, body: { enabled: false } })}
      rereads={REREADS}
      onClose={onClose}
    >
      {t.waitingMessagesCount}
    </Confirm>
  );
}

function DeleteWebhook({ webhook, onClose }: DialogProps) {
  const queryClient = useQueryClient();
  const navigate = useNavigate();
  return (
    <Confirm
      title={t.askDeleteWebhook}
      button={t.deleteWebhook}
      send={(hopline) => hopline.deleteWebhook({ webhookId: webhook.id })}
      said={t.webhookDeleted}
      rereads={["webhooks"]}
      onSent={async () => {
        await navigate({ from: "/w/$workspaceId", to: "/w/$workspaceId/webhooks" });
        queryClient.removeQueries({ queryKey: ["webhook", webhook.id] });
      }}
      onClose={onClose}
    >
      {t.nothingMoreIsSentNotEven}
    </Confirm>
  );
}
