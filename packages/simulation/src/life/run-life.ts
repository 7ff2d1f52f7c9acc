/** Lives one plan: everything that its events say, then a calm hour in which all has to come right. */
import { createHash } from "node:crypto";
import {
  countClicks,
  judgeAnswers,
  judgeHistory,
  judgeNights,
  judgePublished,
} from "../checks/answer-check.ts";
import { createClickCheck } from "../checks/click-check.ts";
import {
  createRedirectCheck,
  OWNERS,
  type RedirectCheck,
  type Shown,
  TRUTH,
} from "../checks/redirect-check.ts";
import { createWebhookCheck } from "../checks/webhook-check.ts";
import type { Row, SimulatedDatabase } from "../platform/postgres.ts";
import { createSeeded } from "../time/seeded.ts";
import { createVirtualTime } from "../time/virtual-time.ts";
import { type Code, createDeployment, type Deployment, type Isolate, SEAL_KEY } from "./deployment.ts";
import {
  type ChangeKind,
  HOSTS,
  type LifeEvent,
  type LifePlan,
  CAPS,
  WORKSPACES,
  type Workspace,
} from "./life-plan.ts";
import { addWorkspaces, idOf, keyOf } from "./workspaces.ts";

export type Life = {
  /** The first faults; none where all promises held. */
  readonly faults: readonly string[];
  /** When the first was seen, since the life's beginning; Infinity if there is none. */
  readonly brokenAtMs: number;
  /** What happened, a line each. */
  readonly story: readonly string[];
  /** Of all that happened: the same for each run of a plan. */
  readonly hash: string;
  readonly visits: number;
  readonly third: RedirectCheck["third"];
};

/** Far from the real time, so that a clock that is not ours shows; and just before midnight. */
const START_MS = Date.UTC(2031, 2, 14, 23, 57);
/** VISIT_TIMEOUT_MS, by clocks of whole milliseconds. */
const VISIT_MS = 801;
const MAX_FAULTS = 3;
const AT_ADDRESS = "SELECT link_id AS id FROM addresses WHERE host = $1 AND slug = $2 AND ended_at IS NULL";
const IN_TRASH = `SELECT links.id FROM links JOIN domains ON domains.id = domain_id
  WHERE host = $1 AND slug = $2 AND links.deleted_at IS NOT NULL AND domains.deleted_at IS NULL ORDER BY links.deleted_at DESC`;
/** A write to KV that was never answered is repeated after sixteen minutes. */
const CALM_STEP_MS = 5 * 60_000;
/** What was spilled, and not heard of, is found by the sweep of an idle deployment: every six hours. */
const MAX_CALM_MS = 7 * 3_600_000;
/** In nights the cron comes each hour only, which saves the simulator thousands of runs that have nothing to do. */
const NIGHTLY_MS = 3_600_000;
/** An idle deployment removes old clicks when it sweeps: every six hours. */
const IDLE_SWEEP_MS = 7 * 3_600_000;
const COUNTRIES = ["CH", "DE", "FR"];

export async function runLife(
  plan: LifePlan,
  deps: { readonly code: Code; readonly database: SimulatedDatabase; readonly untilMs?: number | undefined },
): Promise<Life> {
  const { database } = deps;
  const time = createVirtualTime(START_MS);
  const random = createSeeded(plan.seed);
  const story: string[] = [];
  const faults: string[] = [];
  const hash = createHash("sha256");
  let visits = 0;
  let brokenAtMs = Infinity;
  const tell = (text: string): void => {
    const line = `${((time.nowMs() - START_MS) / 1_000).toFixed(3).padStart(8)} ${text}`;
    hash.update(line);
    story.push(line);
  };
  const fault = (text: string): void => {
    tell(`FAULT ${text}`);
    brokenAtMs = Math.min(brokenAtMs, time.nowMs() - START_MS);
    if (faults.length < MAX_FAULTS) {
      faults.push(text);
    }
  };
  const redirects = createRedirectCheck({
    nowMs: time.nowMs,
    weather: () => deployment.weather,
    feedDistanceMs: plan.feedDistanceMs,
  });
  const clicks = createClickCheck(SEAL_KEY);
  const deployment: Deployment = createDeployment({
    ...deps,
    time,
    random,
    feedDistanceMs: plan.feedDistanceMs,
    variables: { CLICK_LINGER_MS: String(plan.lingerMs), RETENTION_DAYS: String(plan.retentionDays) },
    observer: {
      onAnnounced(key, version) {
        tell(`feed has ${key} in version ${version}`);
        redirects.noteAnnounced(key, version);
      },
      onKvWritten(key, text) {
        const version = Number(/"version":(\d+)/.exec(text)?.[1] ?? 0);
        tell(`KV has ${key} in version ${version}`);
        redirects.noteWritten(key, version);
      },
      onAccepted(isolate, body) {
        const problem = clicks.noteAccepted(isolate, body);
        if (problem !== null) {
          fault(problem);
        }
      },
      onSpilled: clicks.noteSpilled,
      onOutside: (request) => webhooks.receive(request),
      onLog(isolate, line) {
        tell(`${isolate}: ${line}`);
        const sealed = /"segment.logged".*"sealed":"([^"]+)"/.exec(line)?.[1];
        if (sealed !== undefined) {
          clicks.noteLogged(isolate, sealed);
        }
        if (line.includes('"handler.crashed"') || line.includes('"click.crashed"')) {
          fault(`${isolate} crashed: ${line}`);
        }
      },
      onWrite: lookAtTruth,
    },
  });
  await database.reset(START_MS);
  await addWorkspaces(database);

  async function lookAtTruth(): Promise<void> {
    if (!database.takeChanged()) {
      return;
    }
    redirects.noteTruth(await time.outside(() => database.select(TRUTH))).forEach(fault);
    redirects.noteOwners(await time.outside(() => database.select(OWNERS)));
  }

  let serial = 0;
  const webhooks = createWebhookCheck(random.fork("receivers"));

  async function find(text: string, values: readonly unknown[]): Promise<Row | undefined> {
    return (await time.outside(() => database.select(text, values)))[0];
  }

  async function visit(
    isolate: Isolate,
    event: Pick<Extract<LifeEvent, { kind: "visit" }>, "host" | "slug" | "hangsUp">,
  ): Promise<void> {
    visits += 1;
    const request = new Request(`https://${event.host}/${event.slug}`, {
      headers: {
        "cf-connecting-ip": `192.0.2.${visits % 250}`,
        "user-agent": "Mozilla/5.0 (X11; Linux x86_64)",
      },
      redirect: "manual",
    });
    Object.defineProperty(request, "cf", { value: { colo: isolate.colo, country: COUNTRIES[visits % 3] } });
    const startMs = time.nowMs();
    const { hangUp, answer } = isolate.fetch(request);
    if (event.hangsUp) {
      clicks.noteHangUp(isolate.name);
      time.at(startMs + 2, hangUp);
    }
    const response = await answer;
    const shown: Shown = response.headers.get("location") ?? String(response.status);
    if (response.status === 302 && !event.hangsUp) {
      clicks.noteRedirect(isolate.name);
    }
    const key = `${event.host}/${event.slug}`;
    tell(`visit of ${key} at ${isolate.name}: ${shown}, after ${time.nowMs() - startMs} ms`);
    if (time.nowMs() - startMs > VISIT_MS) {
      fault(`a visitor of ${key} waited for ${time.nowMs() - startMs} ms`);
    }
    const problem = redirects.judge({ key, isolate: isolate.name, startMs, endMs: time.nowMs(), shown });
    if (problem !== null) {
      fault(problem);
    }
  }

  /** The body of a good answer, or `null`. */
  async function call(
    workspace: Workspace,
    method: string,
    path: string,
    body?: object,
    key = keyOf(workspace),
  ): Promise<unknown> {
    const request = new Request(`https://go.example.com/api/v1/${path}`, {
      method,
      headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const response = await deployment.anyOf("api").fetch(request).answer;
    const text = await response.text();
    tell(`${workspace} ${method} ${path} ${JSON.stringify(body ?? {})}: ${response.status}`);
    if (
      response.status === 500 ||
      (response.status === 503 && !deployment.weather.wasThere("database", time.nowMs() - 60_000))
    ) {
      fault(`${method} ${path} answered ${response.status}: ${text}`);
    }
    return response.ok ? (text === "" ? {} : JSON.parse(text)) : null;
  }

  async function change(
    event: Extract<LifeEvent, { slug: string }> & { readonly kind: ChangeKind },
  ): Promise<void> {
    const { host, slug, kind } = event;
    const domain = await find("SELECT workspace_id FROM domains WHERE host = $1 AND deleted_at IS NULL", [
      host,
    ]);
    const workspace = WORKSPACES.find((known) => idOf(1, known) === domain?.["workspace_id"]);
    if (workspace === undefined) {
      return;
    }
    serial += 1;
    const url = `https://dest.example/${workspace}/${serial}`;
    if (kind === "create" || kind === "create-capped") {
      const cap = kind === "create" ? {} : { cap: { maxClicks: CAPS[serial % CAPS.length], mode: "strict" } };
      await call(workspace, "POST", "links", { domain: host, slug, url, ...cap });
      return;
    }
    if (kind === "import") {
      await call(workspace, "POST", `links/import?domain=${host}&conflict=replace`, [
        { slug, url: `${url}/imported` },
      ]);
      return;
    }
    const link = await find(kind === "restore" ? IN_TRASH : AT_ADDRESS, [host, slug]);
    if (link === undefined) {
      return;
    }
    const id = `lnk_${String(link["id"]).replaceAll("-", "")}`;
    const path = `links/${id}`;
    if (kind === "delete") {
      await call(workspace, "DELETE", path);
    } else if (kind === "release") {
      await call(workspace, "DELETE", `${path}/aliases/${slug}`);
    } else if (kind === "restore") {
      await call(workspace, "POST", "links/bulk/restore", { items: [{ id }] });
    } else {
      const changes = {
        edit: { url },
        move: { slug: `${slug}-${serial}` },
        disable: { status: "disabled" },
        enable: { status: "live" },
        lock: { password: "open sesame" },
        unlock: { password: null },
      };
      await call(workspace, "PATCH", path, changes[kind]);
    }
  }

  async function removeDomain(host: string): Promise<void> {
    const domain = await find("SELECT id, workspace_id FROM domains WHERE host = $1 AND deleted_at IS NULL", [
      host,
    ]);
    const workspace = WORKSPACES.find((known) => idOf(1, known) === domain?.["workspace_id"]);
    if (workspace !== undefined) {
      await call(workspace, "DELETE", `domains/dom_${String(domain?.["id"]).replaceAll("-", "")}?links=true`);
    }
  }

  /** A key that is lent and taken back ends at once. */
  async function lendKey(workspace: Workspace, forMs: number): Promise<void> {
    const made = await call(workspace, "POST", "keys", { name: "lent", scopes: ["links:read"] });
    if (!isKey(made)) {
      return;
    }
    const wanted = { domain: Object.keys(HOSTS)[0], url: `https://dest.example/${workspace}/lent` };
    if ((await call(workspace, "POST", "links", wanted, made.key)) !== null) {
      fault(`a key of ${workspace} that may only read made a link`);
    }
    for (const endsAtMs = time.nowMs() + forMs; time.nowMs() < endsAtMs;) {
      await call(workspace, "GET", "links", undefined, made.key);
      await time.wait(3_000);
    }
    const isRevoked = (await call(workspace, "DELETE", `keys/${made.id}`)) !== null;
    if (isRevoked && (await call(workspace, "GET", "links", undefined, made.key)) !== null) {
      fault(`a key of ${workspace} was still good after it had been revoked`);
    }
  }

  async function addWebhook(workspace: Workspace): Promise<void> {
    const url = `https://receiver.example/${workspace}`;
    await call(workspace, "POST", "webhooks", {
      url,
      events: ["link.created", "link.deleted", "click"],
      mode: serial % 2 === 0 ? "batch" : "each",
    });
  }

  async function playEvent(event: LifeEvent): Promise<void> {
    switch (event.kind) {
      case "visit":
        return visit(deployment.producerAt(event.colo, event.isolate), event);
      case "take-domain":
        return void (await call(event.workspace, "POST", "domains", { host: event.host }));
      case "remove-domain":
        return removeDomain(event.host);
      case "lend-key":
        return lendKey(event.workspace, event.forMs);
      case "add-webhook":
        return addWebhook(event.workspace);
      case "create":
      case "create-capped":
      case "import":
      case "release":
      case "restore":
      case "edit":
      case "move":
      case "delete":
      case "disable":
      case "enable":
      case "lock":
      case "unlock":
        return change({ ...event, kind: event.kind });
      case "fault":
        tell(`${event.fault} for ${event.forMs} ms, ${event.share * 100} %`);
        return deployment.weather.begin(event.fault, time.nowMs() + event.forMs, event.share);
      case "evict":
        tell(`isolate ${event.isolate} in ${event.colo} is evicted`);
        clicks.noteEvicted(deployment.producerAt(event.colo, event.isolate).name);
        return deployment.evict(deployment.producerAt(event.colo, event.isolate));
      case "evict-single":
        tell(`the ${event.worker}'s isolate is evicted`);
        return deployment.evict(deployment.anyOf(event.worker));
      case "clock-step":
        tell(`clocks in ${event.colo} step by ${event.byMs} ms for ${event.forMs} ms`);
        deployment.weather.begin("clock.stepped", time.nowMs() + event.forMs, 0);
        deployment.stepClocks(event.colo, event.byMs);
        return time.at(time.nowMs() + event.forMs, () => deployment.stepClocks(event.colo, -event.byMs));
      case "reset-objects":
        tell("the platform moves all Durable Objects");
        return deployment.feed.reset();
    }
  }

  let cronEveryMs = 60_000;
  const runCron = (): void => {
    for (const worker of ["api", "consumer"] as const) {
      deployment
        .anyOf(worker)
        .scheduled()
        .answer.catch((error: unknown) => tell(`cron of the ${worker} failed: ${String(error)}`));
    }
    time.at(time.nowMs() + cronEveryMs, runCron);
  };
  time.at(START_MS + 30_000, runCron);
  for (const event of plan.events) {
    time.at(START_MS + event.atMs, () => {
      playEvent(event).catch((error: unknown) =>
        fault(`${event.kind} threw ${error instanceof Error ? error.stack : String(error)}`),
      );
    });
  }
  // What is broken is broken: its story ends there.
  const isBroken = (): boolean => faults.length > 0;
  await time.pass(START_MS + Math.min(plan.lastsMs, deps.untilMs ?? Infinity), isBroken);
  if (deps.untilMs === undefined && !isBroken()) {
    await calmDown();
    const clicked = await countClicks(database.select);
    (await judgePublished(database.select, deployment.links.stored)).forEach(fault);
    (await judgeHistory(database.select)).forEach(fault);
    (await clicks.judge(database, time.nowMs())).forEach(fault);
    (await webhooks.judge(database)).forEach(fault);
    await checkAnswers(clicked);
    if (plan.nights > 0) {
      cronEveryMs = NIGHTLY_MS;
      await time.pass(time.nowMs() + plan.nights * 86_400_000 + IDLE_SWEEP_MS);
      const { retentionDays } = plan;
      const nights = { retentionDays, nowMs: time.nowMs() };
      (await judgeNights(database.select, clicked, nights)).forEach(fault);
      await checkAnswers(clicked);
    }
    (await database.findRealTimes()).forEach((place) => fault(`${place} knows the real time`));
  }
  return { faults, brokenAtMs, story, hash: hash.digest("hex"), visits, third: redirects.third };

  /** Until nothing waits any more. Some visitors still come, so what an isolate holds gets its chance to leave. */
  async function calmDown(): Promise<void> {
    for (const isolate of deployment.producers()) {
      for (const [index, host] of Object.keys(HOSTS).entries()) {
        time.at(time.nowMs() + 70_000 * (index + 1), () => {
          visit(isolate, { host, slug: "spring", hangsUp: false }).catch((error: unknown) =>
            fault(String(error)),
          );
        });
      }
    }
    let [waiting, quiet]: [Row, number] = [{}, 0];
    for (const endMs = time.nowMs() + MAX_CALM_MS; time.nowMs() < endMs;) {
      await time.pass(time.nowMs() + CALM_STEP_MS);
      const [row = {}] = await database.select(
        `SELECT (SELECT count(*)::int FROM work WHERE kind LIKE 'publish%') AS publishing,
           (SELECT count(*)::int FROM webhook_deliveries WHERE state = 'waiting') AS deliveries`,
      );
      waiting = { ...row, messages: deployment.queues.countWaiting(), spilled: deployment.spill.stored.size };
      // Twice: what came last has others after it.
      quiet = Object.values(waiting).every((count) => count === 0) ? quiet + 1 : 0;
      if (quiet === 2) {
        return;
      }
    }
    fault(`after seven calm hours there is still something on its way: ${JSON.stringify(waiting)}`);
  }

  /** At last the API counts what was clicked. */
  async function checkAnswers(clicked: readonly Row[]): Promise<void> {
    for (const workspace of WORKSPACES) {
      const own = clicked.filter((row) => row["workspace_id"] === idOf(1, workspace));
      const asking = judgeAnswers(own, (path) => call(workspace, "GET", path)).then((problems) =>
        problems.forEach((problem) => fault(`${workspace}: ${problem}`)),
      );
      await time.pass(time.nowMs() + 30_000);
      await asking;
    }
  }
}

function isKey(body: unknown): body is { readonly id: string; readonly key: string } {
  return typeof body === "object" && body !== null && "key" in body && "id" in body;
}
