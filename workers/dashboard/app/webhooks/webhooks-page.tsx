/** The webhooks of the workspace: where it tells what happens, and whether it is heard. */
import type { Webhook } from "@hopline/client/openapi";
import { useQuery } from "@tanstack/react-query";
import { Link as RouterLink, useNavigate } from "@tanstack/react-router";
import { Plus, Webhook as WebhookIcon } from "lucide-react";
import { useState } from "react";
import { formatAgo, formatUrl } from "../format.ts";
import { useMay } from "../queries.ts";
import { AdminsOnly } from "../shell/who-may.tsx";
import { Button } from "../ui/controls.tsx";
import { type Column, TableCard } from "../ui/data-table.tsx";
import { SecretDialog } from "../ui/modal.tsx";
import { Empty, PageHead, Waiting } from "../ui/page.tsx";
import { useKept } from "../ui/use-kept.ts";
import { useSending } from "../use-sending.ts";
import { NEW_WEBHOOK, toBody, WebhookDialog } from "./webhook-form.tsx";
import { webhooksQuery } from "./webhook-queries.ts";
import { SECRET_ADVICE, stateOf, TYPE_NAMES } from "./webhook-words.ts";
import { t } from "./words.ts";
import { shared } from "../words.ts";

export function WebhooksPage() {
  return useMay("admin") ? <WebhooksList /> : <AdminsOnly title={t.webhooks} what={t.manageWebhooks} />;
}

const COLUMNS: readonly Column<Webhook>[] = [
  {
    name: t.receiver,
    cell: ({ id, url, description }) => (
      <>
        <RouterLink
          from="/w/$workspaceId"
          to="/w/$workspaceId/webhooks/$webhookId"
          params={{ webhookId: id }}
          className="receiver"
        >
          {description ?? formatUrl(url)}
        </RouterLink>
        {description !== null && <div className="small soft receiver-url">{formatUrl(url)}</div>}
      </>
    ),
  },
  {
    name: shared.events,
    className: "small",
    cell: ({ events }) => events.map((name) => TYPE_NAMES[name]).join(", "),
  },
  {
    name: shared.state,
    cell: (webhook) => <span className={`status ${stateOf(webhook).kind}`}>{stateOf(webhook).label}</span>,
  },
  { name: t.changed, className: "small soft", cell: ({ updatedAt }) => formatAgo(updatedAt, Date.now()) },
];

function WebhooksList() {
  const webhooks = useQuery(webhooksQuery);
  const [isMaking, setMaking] = useState(false);
  const newWebhook = (
    <Button icon={Plus} label={t.newWebhook} kind="primary" onClick={() => setMaking(true)} />
  );
  return (
    <main className="page">
      <PageHead title={t.webhooks} about={t.sendLinkAndClickEvents}>
        {webhooks.data?.length !== 0 && newWebhook}
      </PageHead>
      <Waiting query={webhooks} lines={5} height={40} />
      {webhooks.data?.length === 0 && (
        <Empty icon={WebhookIcon} title={t.noWebhooksYet} action={newWebhook}>
          {t.webhookIsAddressYours}
        </Empty>
      )}
      <TableCard label={t.webhooks} columns={COLUMNS} rows={webhooks.data ?? []} />
      {isMaking && <MakeWebhook onClose={() => setMaking(false)} />}
    </main>
  );
}

function MakeWebhook({ onClose }: { readonly onClose: () => void }) {
  const navigate = useNavigate();
  const [draft, set, forget] = useKept("new webhook", NEW_WEBHOOK);
  const making = useSending({
    send: (hopline) => hopline.createWebhook({ body: toBody(draft) }),
    rereads: ["webhooks"],
    onSent: forget,
  });
  if (making.data !== undefined) {
    const { id, secret } = making.data;
    const goThere = () =>
      void navigate({
        from: "/w/$workspaceId",
        to: "/w/$workspaceId/webhooks/$webhookId",
        params: { webhookId: id },
      });
    return (
      <SecretDialog
        title={t.yourWebhookIsOn}
        name={t.theSecret}
        secret={secret}
        advice={SECRET_ADVICE}
        onClose={goThere}
      >
        <p className="soft">{t.onPageYouCanSendTest}</p>
      </SecretDialog>
    );
  }
  const dialog = { draft, onChange: set, sending: making, onCancel: forget, onClose };
  return <WebhookDialog title={t.newWebhook} submit={t.createWebhook} {...dialog} />;
}
