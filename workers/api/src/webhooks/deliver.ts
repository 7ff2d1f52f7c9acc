/**
 * A turn of one endpoint: sends what is due, oldest first, until that is done, something fails or its time is up. The run that has the
 * lease is alone with the endpoint, which bounds what it is sent at the same time, and keeps an order.
 */
import type { Again } from "@hopline/db/work/run-work";
import type { WorkItem } from "@hopline/db/work/work-item";
import { actAs } from "../acting.ts";
import type { Database } from "../database.ts";
import { limitMessages } from "./delivery.ts";
import type { ReadClickTexts } from "./click-texts.ts";
import { findDue, findLinks, replaceSealedSecret, settleRound } from "./delivery-store.ts";
import { pauseSeconds } from "./retry-delay.ts";
import type { SecretSeal } from "./sealed-secrets.ts";
import { importSecrets } from "./signature.ts";
import { sendDue, type SendDeps } from "./send-due.ts";
import { giveUpNext, switchOff } from "./switch-off.ts";
import type { Log } from "../log.ts";
import { toPublicId } from "../http/entity-id.ts";
import type { OffReason } from "./message-shape.ts";

export type DeliverDeps = SendDeps & {
  readonly database: Database;
  readonly readClicks: ReadClickTexts;
  readonly secretSeal: () => Promise<SecretSeal>;
  readonly log: Log;
};

/** After this nothing is started in this turn. */
const MAX_TURN_MS = 15_000;
const GONE = 410;

/**
 * A handler of work; the key is the endpoint's id, and the payload counts its failures in a row. Again in 0 s: its turn was over
 * before all of it was sent.
 */
export async function deliver(
  { key: endpointId, payload }: Pick<WorkItem, "key" | "payload">,
  deps: DeliverDeps,
): Promise<Again | undefined> {
  const endsAtMs = deps.nowMs() + MAX_TURN_MS;
  const mayStart = (): boolean => deps.nowMs() < endsAtMs && deps.mayStart();
  let failures = Number(payload["failures"] ?? 0);
  while (mayStart()) {
    const found = await findDue(deps.database, endpointId);
    if (found === null) {
      return (await giveUpNext(deps.database, endpointId)) ? { againInSeconds: 0 } : undefined;
    }
    if (found.due.length === 0) {
      return undefined;
    }
    const seal = await deps.secretSeal();
    await renewSecrets(endpointId, found.secrets, { seal, ...deps });
    const secrets = await Promise.all(found.secrets.map(seal.open));
    const receiver = { url: found.url, keys: await importSecrets(secrets) };
    const due = limitMessages(found.due);
    const [clicks, links] = await Promise.all([
      deps.readClicks(found.workspaceId, due),
      findLinks(deps.database, due),
    ]);
    const round = await sendDue(due, { contents: { clicks, links }, receiver }, { ...deps, mayStart });
    const { hasSuccess, hasFailure, attempts } = round;
    const hasFailedForDays = await settleRound(deps.database, endpointId, round);
    const isGone = attempts.some(({ status }) => status === GONE);
    if (isGone || hasFailedForDays) {
      await disable(endpointId, isGone ? "gone" : "failing", deps);
      return undefined;
    }
    if (hasFailure) {
      failures = hasSuccess ? 1 : failures + 1;
      return { againInSeconds: pauseSeconds(failures, deps.random()), change: { failures } };
    }
    failures = 0;
  }
  return { againInSeconds: 0, change: { failures } };
}

async function disable(endpointId: string, reason: OffReason, { database, log }: DeliverDeps): Promise<void> {
  if (await actAs({ actor: "job:webhook" }, () => switchOff(database, endpointId, { reason }))) {
    log({ event: "webhook.disabled", webhookId: toPublicId("whk", endpointId), reason });
  }
}

/** While WEBHOOK_SEAL_KEY is rotated, what the old key sealed is sealed with the new one. */
async function renewSecrets(
  endpointId: string,
  secrets: readonly string[],
  { seal, database }: Pick<DeliverDeps, "database"> & { readonly seal: SecretSeal },
): Promise<void> {
  for (const sealed of secrets) {
    const renewed = await seal.renew(sealed);
    if (renewed !== null) {
      await replaceSealedSecret(database, endpointId, { sealed, renewed });
    }
  }
}
