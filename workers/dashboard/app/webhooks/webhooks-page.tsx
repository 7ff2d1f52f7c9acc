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
import { FormDialog, SecretDialog } from "../ui/modal.tsx";
import { Empty, PageHead, Waiting } from "../ui/page.tsx";
import { useKept } from "../ui/use-kept.ts";
import { useSending } from "../use-sending.ts";
import { NEW_WEBHOOK, toBody, WebhookFields } from "./webhook-form.tsx";
import { webhooksQuery } from "./webhook-queries.ts";
import { SECRET_ADVICE, stateOf, TYPE_NAMES } from "./webhook-words.ts";

export function WebhooksPage() {
  return useMay("admin") ? <WebhooksList /> : <AdminsOnly title="Webhooks" what="manage webhooks" />;
}

const COLUMNS: readonly Column<Webhook>[] = [
  {
    name: "Receiver",
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
    name: "Events",
    className: "small",
    cell: ({ events }) => events.map((name) => TYPE_NAMES[name]).join(", "),
  },
  {
    name: "State",
    cell: (webhook) => <span className={`status ${stateOf(webhook).kind}`}>{stateOf(webhook).label}</span>,
  },
  { name: "Changed", className: "small soft", cell: ({ updatedAt }) => formatAgo(updatedAt, Date.now()) },
];

function WebhooksList() {
  const webhooks = useQuery(webhooksQuery);
  const [isMaking, setMaking] = useState(false);
  const newWebhook = (
    <Button icon={Plus} label="New webhook" kind="primary" onClick={() => setMaking(true)} />
  );
  return (
    <main className="page">
      <PageHead title="Webhooks" about="Send link and click events to your apps.">
        {webhooks.data?.length !== 0 && newWebhook}
      </PageHead>
      <Waiting query={webhooks} lines={5} height={40} />
      {webhooks.data?.length === 0 && (
        <Empty icon={WebhookIcon} title="No webhooks yet" action={newWebhook}>
          A webhook is an address of yours that gets a signed message when a link changes or is clicked. Each
          message is sent again for a day until it is accepted, and every click is accounted for. Zapier, Make
          and n8n give you such an address.
        </Empty>
      )}
      <TableCard label="Webhooks" columns={COLUMNS} rows={webhooks.data ?? []} />
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
        title="Your webhook is on"
        name="the secret"
        secret={secret}
        advice={SECRET_ADVICE}
        onClose={goThere}
      >
        <p className="soft">On its page you can send a test message, and see what your receiver answers.</p>
      </SecretDialog>
    );
  }
  return (
    <FormDialog
      title="New webhook"
      isWide
      values={draft}
      sending={making}
      submit="Create webhook"
      isDisabled={draft.events.length === 0}
      onCancel={forget}
      onClose={onClose}
    >
      <WebhookFields draft={draft} onChange={set} />
    </FormDialog>
  );
}
