/** Lives one plan: everything that its events say, then a calm hour in which all has to come right. */
import { createHash } from "node:crypto";
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

export type Life = {
  /** The first faults; none where all promises held. */
  readonly faults: readonly string[];
  /** What happened, a line each. */
  readonly story: readonly string[];
  /** Of all that happened: the same for each run of a plan. */
  readonly hash: string;
  readonly visits: number;
  readonly third: RedirectCheck["third"];
};

/** Far from the real time, so that a clock that is not ours shows; and just before midnight. */
const START_MS = Date.UTC(2031, 2, 14, 23, 57);
/** VISIT_TIMEOUT_MS. */
const VISIT_MS = 800;
const MAX_FAULTS = 3;
/** A write to KV that was never answered is repeated after sixteen minutes. */
const CALM_STEP_MS = 5 * 60_000;
/** What was spilled, and not heard of, is found by the sweep of an idle deployment: every six hours. */
const MAX_CALM_MS = 7 * 3_600_000;

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
  const tell = (text: string): void => {
    const line = `${((time.nowMs() - START_MS) / 1_000).toFixed(3).padStart(8)} ${text}`;
    hash.update(line);
    story.push(line);
  };
  const fault = (text: string): void => {
    tell(`FAULT ${text}`);
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
    variables: { CLICK_LINGER_MS: String(plan.lingerMs) },
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
    redirects.noteTruth(await time.outside(() => database.select(TRUTH)));
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
    Object.defineProperty(request, "cf", { value: { colo: isolate.colo, country: "CH" } });
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
    const link = await find(
      "SELECT link_id FROM addresses WHERE host = $1 AND slug = $2 AND ended_at IS NULL",
      [host, slug],
    );
    if (link === undefined) {
      return;
    }
    const path = `links/lnk_${String(link["link_id"]).replaceAll("-", "")}`;
    if (kind === "delete") {
      await call(workspace, "DELETE", path);
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

  const everyMinute = (): void => {
    for (const worker of ["api", "consumer"] as const) {
      deployment
        .anyOf(worker)
        .scheduled()
        .answer.catch((error: unknown) => tell(`cron of the ${worker} failed: ${String(error)}`));
    }
    time.at(time.nowMs() + 60_000, everyMinute);
  };
  time.at(START_MS + 30_000, everyMinute);
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
    await checkPublished();
    (await clicks.judge(database, time.nowMs())).forEach(fault);
    (await webhooks.judge(database)).forEach(fault);
    await checkAnswers();
    (await database.findRealTimes()).forEach((place) => fault(`${place} knows the real time`));
  }
  return { faults, story, hash: hash.digest("hex"), visits, third: redirects.third };

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

  /** At last the API counts what was clicked, in all and link by link. */
  async function checkAnswers(): Promise<void> {
    for (const workspace of WORKSPACES) {
      const question = "from=2031-03-13&to=2031-03-16&class=all";
      let counted: readonly unknown[] = [];
      const asking = Promise.all([
        call(workspace, "GET", `analytics/totals?${question}`),
        call(workspace, "GET", `analytics/breakdown?${question}&dimension=link&limit=100`),
      ]).then((answers) => (counted = answers));
      await time.pass(time.nowMs() + 30_000);
      await asking;
      const rows = await database.select(
        "SELECT 'lnk_' || replace(link_id::text, '-', '') AS link, count(*)::int AS clicks FROM click_events WHERE workspace_id = $1 GROUP BY 1",
        [idOf(1, workspace)],
      );
      clicks.judgeAnswers(counted, rows).forEach((problem) => fault(`${workspace}: ${problem}`));
    }
  }

  /** At last KV has what the database has, and nothing waits. */
  async function checkPublished(): Promise<void> {
    const rows = await database.select(
      "SELECT host || '/' || slug AS key, version::int AS version FROM addresses WHERE slug <> '*'",
    );
    for (const { key, version } of rows) {
      const stored = Number(/"version":(\d+)/.exec(deployment.links.stored.get(String(key)) ?? "")?.[1] ?? 0);
      if (stored !== version && !(stored === 0 && String(key).endsWith("/@"))) {
        fault(
          `KV has ${String(key)} in version ${stored} at the end, the database in version ${String(version)}`,
        );
      }
    }
  }
}

function isKey(body: unknown): body is { readonly id: string; readonly key: string } {
  return typeof body === "object" && body !== null && "key" in body && "id" in body;
}

const idOf = (kind: number, workspace: Workspace): string =>
  `00000000-0000-7000-8000-0000000${kind}000${WORKSPACES.indexOf(workspace)}`;

const keyOf = (workspace: Workspace): string => `hop_${workspace.padEnd(32, "0")}`;

async function addWorkspaces(database: SimulatedDatabase): Promise<void> {
  for (const workspace of WORKSPACES) {
    const id = (kind: number): string => idOf(kind, workspace);
    await database.select("INSERT INTO workspaces (id, name, created_at) VALUES ($1, $2, '2031-01-01Z')", [
      id(1),
      workspace,
    ]);
    await database.select(
      `INSERT INTO api_keys (id, workspace_id, name, prefix, key_hash, scopes, created_at)
       VALUES ($1, $2, 'all', $3, $4, '{links:read,links:write,analytics:read,admin}', '2031-01-01Z')`,
      [id(2), id(1), keyOf(workspace).slice(0, 12), createHash("sha256").update(keyOf(workspace)).digest()],
    );
    for (const [position, [host, owner]] of Object.entries(HOSTS).entries()) {
      if (owner === workspace) {
        await database.select(
          `INSERT INTO domains (id, workspace_id, host, proof, proved_at, created_at)
           VALUES ($1, $2, $3, 'vouched', '2031-01-01Z', '2031-01-01Z')`,
          [id(3 + position), id(1), host],
        );
      }
    }
  }
}
