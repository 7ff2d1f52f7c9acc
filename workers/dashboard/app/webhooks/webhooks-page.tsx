/** The webhooks of the workspace: where it tells what happens, and whether it is heard. */
import type { Webhook } from "@hopline/client/openapi";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { Link as RouterLink, useNavigate } from "@tanstack/react-router";
import { Plus, Webhook as WebhookIcon } from "lucide-react";
import { useState } from "react";
import "../styles/webhooks.css";
import { useHopline } from "../caches.ts";
import { formatAgo, formatUrl } from "../format.ts";
import { useMay } from "../queries.ts";
import { AdminsOnly } from "../shell/admins-only.tsx";
import { PageHead } from "../shell/page-head.tsx";
import { Button } from "../ui/controls.tsx";
import { Form, FormEnd } from "../ui/form.tsx";
import { Modal } from "../ui/modal.tsx";
import { Empty, ErrorNote, Skeleton } from "../ui/notes.tsx";
import { SecretDialog } from "../ui/secret-dialog.tsx";
import { useKept } from "../ui/use-kept.ts";
import { NEW_WEBHOOK, toBody, WebhookFields } from "./webhook-form.tsx";
import { webhooksQuery } from "./webhook-queries.ts";
import { SECRET_ADVICE, stateOf, TYPE_NAMES } from "./webhook-words.ts";

export function WebhooksPage() {
  return useMay("admin") ? <WebhooksList /> : <AdminsOnly title="Webhooks" what="manage webhooks" />;
}

function WebhooksList() {
  const webhooks = useQuery(webhooksQuery);
  const [isMaking, setMaking] = useState(false);
  const newWebhook = (
    <Button kind="primary" onClick={() => setMaking(true)}>
      <Plus size={16} aria-hidden /> New webhook
    </Button>
  );
  return (
    <main className="page">
      <PageHead title="Webhooks" about="Send link and click events to your apps.">
        {webhooks.data?.length !== 0 && newWebhook}
      </PageHead>
      {webhooks.isPending && <Skeleton lines={5} height={40} />}
      {webhooks.isError && <ErrorNote error={webhooks.error} onRetry={() => void webhooks.refetch()} />}
      {webhooks.data?.length === 0 && (
        <Empty icon={<WebhookIcon size={28} aria-hidden />} title="No webhooks yet" action={newWebhook}>
          A webhook is an address of yours that gets a signed message when a link changes or is clicked. Each
          message is sent again for a day until it is accepted, and every click is accounted for. Zapier, Make
          and n8n give you such an address.
        </Empty>
      )}
      {webhooks.data !== undefined && webhooks.data.length > 0 && (
        <section className="card scroll-x" tabIndex={0} aria-label="Webhooks">
          <table className="plain-table stacked">
            <thead>
              <tr>
                <th scope="col">Receiver</th>
                <th scope="col">Events</th>
                <th scope="col">State</th>
                <th scope="col">Changed</th>
              </tr>
            </thead>
            <tbody>
              {webhooks.data.map((webhook) => (
                <WebhookRow key={webhook.id} webhook={webhook} />
              ))}
            </tbody>
          </table>
        </section>
      )}
      {isMaking && <MakeWebhook onClose={() => setMaking(false)} />}
    </main>
  );
}

function WebhookRow({ webhook }: { readonly webhook: Webhook }) {
  const { id, url, description, events, updatedAt } = webhook;
  const { kind, label } = stateOf(webhook);
  return (
    <tr>
      <td>
        <RouterLink
          from="/w/$workspaceId"
          to="/w/$workspaceId/webhooks/$webhookId"
          params={{ webhookId: id }}
          className="receiver"
        >
          {description ?? formatUrl(url)}
        </RouterLink>
        {description !== null && <div className="small soft receiver-url">{formatUrl(url)}</div>}
      </td>
      <td className="small" data-label="Events">
        {events.map((name) => TYPE_NAMES[name]).join(", ")}
      </td>
      <td data-label="State">
        <span className={`status ${kind}`}>{label}</span>
      </td>
      <td className="small soft" data-label="Changed">
        {formatAgo(updatedAt, Date.now())}
      </td>
    </tr>
  );
}

function MakeWebhook({ onClose }: { readonly onClose: () => void }) {
  const hopline = useHopline();
  const queryClient = useQueryClient();
  const navigate = useNavigate();
  const [draft, set, forget] = useKept("new webhook", NEW_WEBHOOK);
  const making = useMutation({
    mutationFn: () => hopline.createWebhook({ body: toBody(draft) }),
    onSuccess: () => {
      forget();
      return queryClient.invalidateQueries({ queryKey: ["webhooks"] });
    },
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
    <Modal title="New webhook" isOpen isWide onClose={onClose}>
      <Form values={draft} sending={making} onSubmit={() => making.mutate()}>
        <WebhookFields draft={draft} onChange={set} />
        <FormEnd
          submit="Create webhook"
          isDisabled={draft.events.length === 0}
          onCancel={() => {
            forget();
            onClose();
          }}
        />
      </Form>
    </Modal>
  );
}
