/** What a webhook was sent, with each answer, and sending it again. */
import type { Webhook, WebhookDelivery } from "@hopline/client/openapi";
import { useInfiniteQuery } from "@tanstack/react-query";
import { RotateCw } from "lucide-react";
import { useState } from "react";
import { countOf, formatDateTime, formatNumber, formatTime } from "../format.ts";
import { rowsOf } from "../queries.ts";
import { Button, hinted, Segments } from "../ui/controls.tsx";
import { type Column, DataTable, detailsColumn } from "../ui/data-table.tsx";
import { Modal } from "../ui/modal.tsx";
import { Empty, ShowMore, Waiting } from "../ui/page.tsx";
import { useSending } from "../use-sending.ts";
import { deliveriesQuery } from "./webhook-queries.ts";
import { type DeliveryState, describeAnswer, formatTook, STATES, TYPE_NAMES } from "./webhook-words.ts";
import { t } from "./words.ts";
import { shared } from "../words.ts";

type Choice = DeliveryState | "all";

const CHOICES = [
  { value: "all" as const, label: t.all },
  ...(Object.keys(STATES) as DeliveryState[]).map((value) => ({ value, label: STATES[value].label })),
];

type DeliveryLogProps = { readonly webhook: Webhook };

export function DeliveryLog({ webhook }: DeliveryLogProps) {
  const [state, setState] = useState<Choice>("all");
  const [shown, setShown] = useState<WebhookDelivery | null>(null);
  const log = useInfiniteQuery(deliveriesQuery(webhook.id, state === "all" ? null : state));
  const deliveries = rowsOf(log);
  const replay = useReplay(webhook.id);
  const hasFailed = deliveries.some((one) => one.state === "given-up");
  const columns: readonly Column<WebhookDelivery>[] = [
    { name: shared.when, cell: ({ createdAt }) => formatDateTime(createdAt) },
    { name: t.what, cell: ({ type, clicks }) => nameOf(type, clicks) },
    {
      name: shared.state,
      cell: ({ state: now, nextAttemptAt }) => (
        <>
          <span className={`status ${STATES[now].kind}`}>{STATES[now].label}</span>
          {nextAttemptAt !== null && (
            <div className="small soft">{t.nextAtNextAttemptAt(formatTime(nextAttemptAt))}</div>
          )}
        </>
      ),
    },
    { name: t.attempts, className: "number", cell: ({ attempts }) => formatNumber(attempts) },
    {
      name: t.lastAnswer,
      className: "small",
      cell: ({ status, error }) => describeAnswer(status, error) || t.noneYet,
    },
    detailsColumn(
      ({ type, clicks, createdAt }) =>
        t.detailsTypeCreatedAt(nameOf(type, clicks), formatDateTime(createdAt)),
      setShown,
    ),
  ];
  return (
    <section className="card stack" aria-label={t.deliveryLog}>
      <div className="row wrap">
        <h2>{t.deliveryLog}</h2>
        <Segments label={shared.state} value={state} onChange={setState} choices={CHOICES} />
        {hasFailed && (
          <Button
            icon={RotateCw}
            label={t.retryAllFailed}
            isSmall
            className="spread"
            disabled={!webhook.enabled || replay.isPending}
            onClick={() => replay.mutate(null)}
          />
        )}
      </div>
      <Waiting query={log} lines={5} height={30} />
      {log.data !== undefined && deliveries.length === 0 && (
        <Empty title={state === "all" ? t.nothingWasSentYet : t.noSuchDelivery}>
          {state === "all" ? t.messagesShowUpHereSeconds : t.thereIsNoneInThisState}
        </Empty>
      )}
      {deliveries.length > 0 && (
        <div className="scroll-x" tabIndex={0} role="region" aria-label={t.deliveries}>
          <DataTable className="numbers" columns={columns} rows={deliveries} />
        </div>
      )}
      <ShowMore query={log} />
      {shown !== null && (
        <DeliveryDialog
          delivery={shown}
          isOff={!webhook.enabled}
          onReplay={() => replay.mutate(shown.id)}
          onClose={() => setShown(null)}
        />
      )}
    </section>
  );
}

/** One delivery, or all that were given up: a request takes some thousand of them. */
function useReplay(webhookId: string) {
  return useSending({
    send: async (hopline, deliveryId: string | null) => {
      if (deliveryId !== null) {
        return (await hopline.replayWebhook({ webhookId, body: { deliveryId } })).replayed;
      }
      // What fails again meanwhile is not sent a third time.
      const until = new Date().toISOString();
      let all = 0;
      for (let replayed = -1; replayed !== 0; all += replayed) {
        ({ replayed } = await hopline.replayWebhook({ webhookId, body: { until } }));
      }
      return all;
    },
    said: (replayed) =>
      replayed === 1 ? t.deliveryWillBeSentAgain : t.deliveriesWillBeSentAgain(formatNumber(replayed)),
    rereads: ["webhook"],
    isBare: true,
  });
}

/** `12 clicks, in batches`. */
function nameOf(type: WebhookDelivery["type"], clicks: number): string {
  return clicks === 0 || type === "click.summary" ? TYPE_NAMES[type] : countOf(clicks, "click");
}

type DeliveryDialogProps = {
  readonly delivery: WebhookDelivery;
  readonly isOff: boolean;
  readonly onReplay: () => void;
  readonly onClose: () => void;
};

function DeliveryDialog({ delivery, isOff, onReplay, onClose }: DeliveryDialogProps) {
  const { id, type, clicks, state, attempts, createdAt, attemptedAt, nextAttemptAt } = delivery;
  const { status, durationMs, error, answer } = delivery;
  const facts: readonly (readonly [string, string])[] = [
    [t.id, id],
    [shared.created, formatDateTime(createdAt)],
    [shared.state, STATES[state].label],
    [t.attempts, formatNumber(attempts)],
    [t.lastAttempt, attemptedAt === null ? t.noneYet : formatDateTime(attemptedAt)],
    ...(nextAttemptAt === null ? [] : ([[t.nextAttempt, formatDateTime(nextAttemptAt)]] as const)),
    [t.answer, describeAnswer(status, error) || "none"],
    ...(durationMs === null ? [] : ([[t.duration, formatTook(durationMs)]] as const)),
  ];
  return (
    <Modal title={nameOf(type, clicks)} isWide onClose={onClose}>
      <dl className="two facts">
        {facts.map(([name, value]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ))}
      </dl>
      {answer !== null && answer !== "" && (
        <>
          <h3>{t.whatReceiverAnswered}</h3>
          <pre className="body">{answer}</pre>
        </>
      )}
      <div className="row">
        <Button label={shared.close} kind="quiet" className="spread" onClick={onClose} />
        {state !== "waiting" && (
          <Button
            label={t.sendAgain}
            kind="primary"
            aria-disabled={isOff}
            {...(isOff ? hinted(t.switchWebhookOnFirst) : {})}
            onClick={() => {
              if (!isOff) {
                onReplay();
                onClose();
              }
            }}
          />
        )}
      </div>
    </Modal>
  );
}
