/** The email that tells a workspace's owners that a webhook was switched off; one for each of them, as leased work. */
import type { WorkHandler } from "@hopline/db/work/run-work";
import { sql } from "drizzle-orm";
import type { Database } from "../database.ts";
import type { EmailMessage } from "../people/email/email-message.ts";
import type { EmailDeps } from "../people/email/email-work.ts";

export const WEBHOOK_EMAIL = "webhook-email";

/** None where emails can't be sent: they wait. */
export function disabledEmailHandlers({ database, people }: EmailDeps): {
  readonly [kind: string]: WorkHandler;
} {
  if (people === null || people.sendEmail === null) {
    return {};
  }
  const { sendEmail } = people;
  return {
    [WEBHOOK_EMAIL]: {
      async run({ key }, signal) {
        const email = await writeEmail(key, database);
        if (email !== null) {
          await sendEmail(email, signal);
        }
      },
      timeLimitMs: 15_000,
      atOnce: 4,
      maxDelaySeconds: 600,
    },
  };
}

/** @param key `<endpoint>/<person>`. `null` if the webhook is on again or gone, or the person is no owner any more. */
async function writeEmail(key: string, database: Database): Promise<EmailMessage | null> {
  const [endpointId, personId] = key.split("/");
  const { rows } = await database.execute(sql`
    SELECT people.email, workspaces.name, url, off_reason
    FROM webhook_endpoints AS endpoint JOIN workspaces ON workspaces.id = endpoint.workspace_id
    JOIN members ON members.workspace_id = workspaces.id AND role = 'owner' AND person_id = ${personId}::uuid
    JOIN people ON people.id = person_id
    WHERE endpoint.id = ${endpointId}::uuid AND off_since IS NOT NULL AND off_reason <> 'owner'
      AND endpoint.deleted_at IS NULL AND workspaces.deleted_at IS NULL`);
  const [row] = rows;
  return row === undefined
    ? null
    : toDisabledEmail({
        to: String(row["email"]),
        workspace: String(row["name"]),
        host: new URL(String(row["url"])).host,
        isGone: row["off_reason"] === "gone",
      });
}

/** Not the whole URL, which may hold a token. */
export function toDisabledEmail({
  to,
  workspace,
  host,
  isGone,
}: {
  readonly to: string;
  readonly workspace: string;
  readonly host: string;
  readonly isGone: boolean;
}): EmailMessage {
  const name = workspace.replaceAll(/[\p{C}\p{Z}]+/gu, " ").trim();
  const reason = isGone ? "it answered 410 Gone" : "it accepted nothing for five days";
  return {
    to,
    subject: `A webhook of ${name} was switched off`,
    text: `Hopline sends nothing to ${host} any more for the workspace ${name}: ${reason}.

When it is back, switch the webhook on again, and replay what was given up in the meantime.
`,
  };
}
