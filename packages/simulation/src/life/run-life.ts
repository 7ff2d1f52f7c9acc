/** Lives one plan: everything that its events say, then a calm hour in which all has to come right. */
import {
  countClicks,
  gatherClicks,
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
import type { SimulatedClickHouse } from "../platform/clickhouse.ts";
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
import { addMember, addWorkspaces, APP_ORIGIN, idOf, keyOf, toPublicId } from "./workspaces.ts";

export type Life = {
  /** The first faults; none where all promises held. */
  readonly faults: readonly string[];
  /** When the first was seen, since the life's beginning; Infinity if there is none. */
  readonly brokenAtMs: number;
  /** What happened, a line each. */
  readonly story: readonly string[];
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
/** What is visited until all has come right. */
const CALM_SLUG = "spring";
/** A write to KV that was never answered is repeated after sixteen minutes. */
const CALM_STEP_MS = 5 * 60_000;
/** What was spilled, and not heard of, is found by the sweep of an idle deployment: every six hours. */
const MAX_CALM_MS = 7 * 3_600_000;
/** In nights the cron comes each hour only, which saves the simulator thousands of runs that have nothing to do. */
const NIGHTLY_MS = 3_600_000;
/** An idle deployment removes old clicks when it sweeps: every six hours. */
const IDLE_SWEEP_MS = 7 * 3_600_000;
const COUNTRIES = ["CH", "DE", "FR"];

/** What lives share, one after the other. */
export type Stage = {
  readonly code: Code;
  readonly database: SimulatedDatabase;
  /** `null`: all lives count in Postgres. */
  readonly clickHouse: SimulatedClickHouse | null;
};

export async function runLife(
  plan: LifePlan,
  deps: Stage & { readonly untilMs?: number | undefined },
): Promise<Life> {
  const { database } = deps;
  const clickHouse = plan.countsIn === "clickhouse" ? deps.clickHouse : null;
  const time = createVirtualTime(START_MS);
  const random = createSeeded(plan.seed);
  const story: string[] = [];
  const faults: string[] = [];
  let visits = 0;
  let brokenAtMs = Infinity;
  const tell = (text: string): void => {
    story.push(`${((time.nowMs() - START_MS) / 1_000).toFixed(3).padStart(8)} ${text}`);
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
    clickHouse,
    time,
    random,
    feedDistanceMs: plan.feedDistanceMs,
    variables: { CLICK_LINGER_MS: String(plan.lingerMs), RETENTION_DAYS: String(plan.retentionDays) },
    observer: {
      onAnnounced(key, version) {
        tell(`feed has ${key} in version ${version}`);
        redirects.noteAnnounced(key, version);
      },
      onKvWritten(key, text, isLate) {
        const version = Number(/"version":(\d+)/.exec(text)?.[1] ?? 0);
        tell(`KV has ${key} in version ${version}`);
        redirects.noteWritten(key, version, isLate);
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
  const events = [...plan.events, ...Object.keys(HOSTS).map((host) => ({ host, slug: CALM_SLUG }))];
  const visited = [...new Set(events.map((event) => ("slug" in event ? `${event.host}/${event.slug}` : "")))];
  await database.reset(START_MS);
  await addWorkspaces(database);
  if (clickHouse !== null) {
    await clickHouse.empty();
    await database.select("UPDATE counting_mode SET mode = 'clickhouse'");
  }

  async function lookAtTruth(): Promise<void> {
    if (!database.takeChanged()) {
      return;
    }
    redirects.noteTruth(await time.outside(() => database.select(TRUTH, [visited]))).forEach(fault);
    redirects.noteOwners(await time.outside(() => database.select(OWNERS)));
  }

  let serial = 0;
  const webhooks = createWebhookCheck(random.fork("receivers"));

  async function find(text: string, values: readonly unknown[]): Promise<Row | undefined> {
    return (await time.outside(() => database.select(text, values)))[0];
  }

  /** By data centre: when its clocks stepped last. */
  const steppedAtMs = new Map<string, number>();
  function stepClocks(colo: string, byMs: number): void {
    steppedAtMs.set(colo, time.nowMs());
    deployment.stepClocks(colo, byMs);
  }

  async function visit(
    isolate: Isolate,
    event: Pick<Extract<LifeEvent, { kind: "visit" }>, "host" | "slug" | "ends">,
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
    const { scope, hangUp, answer } = isolate.fetch(request);
    const key = `${event.host}/${event.slug}`;
    let hasLeft = false;
    let isAnswered = false;
    if (event.ends !== undefined) {
      const { how, afterMs } = event.ends;
      time.at(startMs + afterMs, () => {
        hasLeft = !isAnswered;
        tell(`the visitor of ${key} at ${isolate.name}: ${how}`);
        if (how === "hangs-up") {
          hangUp();
        } else {
          scope.isAlive = false;
          redirects.noteInterrupted(isolate.name);
          redirects.noteCut(isolate.name);
          clicks.noteCut(isolate.name);
        }
        if (hasLeft) {
          clicks.noteHangUp(isolate.name);
        }
      });
    }
    const response = await answer;
    isAnswered = true;
    const shown: Shown = response.headers.get("location") ?? String(response.status);
    if (response.status === 302 && !hasLeft) {
      clicks.noteRedirect(isolate.name, time.nowMs());
    }
    tell(`visit of ${key} at ${isolate.name}: ${shown}, after ${time.nowMs() - startMs} ms`);
    const sinceStepMs = startMs - (steppedAtMs.get(isolate.colo) ?? -Infinity);
    if (!hasLeft && sinceStepMs > 0 && time.nowMs() - startMs > VISIT_MS) {
      fault(`a visitor of ${key} waited for ${time.nowMs() - startMs} ms`);
    }
    const endMs = time.nowMs();
    const problem = redirects.judge({ key, isolate: isolate.name, startMs, endMs, shown, sinceStepMs });
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
    caller: Headers = bearer(keyOf(workspace)),
  ): Promise<unknown> {
    const request = new Request(`${APP_ORIGIN}/api/v1/${path}`, {
      method,
      headers: { ...caller, origin: APP_ORIGIN, "content-type": "application/json" },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const startMs = time.nowMs();
    const response = await deployment.anyOf("api").fetch(request).answer;
    const text = await response.text();
    tell(`${workspace} ${method} ${path} ${JSON.stringify(body ?? {})}: ${response.status}`);
    if (
      response.status === 500 ||
      (response.status === 503 && !deployment.weather.wasThere("database", startMs))
    ) {
      fault(`${method} ${path} answered ${response.status}: ${text}`);
    }
    return response.ok ? (text === "" ? {} : JSON.parse(text)) : null;
  }

  async function change(event: Extract<LifeEvent, { readonly kind: ChangeKind }>): Promise<void> {
    const { host, slug, kind, links } = event;
    const domain = await find("SELECT workspace_id FROM domains WHERE host = $1 AND deleted_at IS NULL", [
      host,
    ]);
    const workspace = WORKSPACES.find((known) => idOf(1, known) === domain?.["workspace_id"]);
    if (workspace === undefined) {
      return;
    }
    serial += 1;
    const url = `https://dest.example/${workspace}/${serial}`;
    if (kind === "create" || kind === "create-capped" || kind === "create-counted") {
      const mode = kind === "create-capped" ? "strict" : "fast";
      const cap = { maxClicks: CAPS[serial % CAPS.length], mode };
      await call(workspace, "POST", "links", { domain: host, slug, url, ...(kind !== "create" && { cap }) });
      return;
    }
    if (kind === "import") {
      const slugs =
        links === undefined ? [slug] : Array.from({ length: links }, (_, index) => `${slug}-${index + 1}`);
      const file = slugs.map((of) => ({ slug: of, url: `${url}/${of}/imported` }));
      await call(workspace, "POST", `links/import?domain=${host}&conflict=replace`, file);
      return;
    }
    const link = await find(kind === "restore" ? IN_TRASH : AT_ADDRESS, [host, slug]);
    if (link === undefined) {
      return;
    }
    const id = toPublicId("lnk", link["id"]);
    const path = `links/${id}`;
    const variants = ["a", "b"].map((variant) => ({ id: variant, url: `${url}/${variant}`, weight: 1 }));
    const calls: Readonly<Record<typeof kind, readonly [method: string, path: string, body?: object]>> = {
      delete: ["DELETE", path],
      release: ["DELETE", `${path}/aliases/${slug}`],
      restore: ["POST", "links/bulk/restore", { items: [{ id }] }],
      edit: ["PATCH", path, { url }],
      move: ["PATCH", path, { slug: `${slug}-${serial}` }],
      disable: ["PATCH", path, { status: "disabled" }],
      enable: ["PATCH", path, { status: "live" }],
      lock: ["PATCH", path, { password: "open sesame" }],
      unlock: ["PATCH", path, { password: null }],
      split: ["PATCH", path, { split: variants }],
      unsplit: ["PATCH", path, { split: null }],
    };
    await call(workspace, ...calls[kind]);
  }

  async function removeDomain(host: string): Promise<void> {
    const domain = await find("SELECT id, workspace_id FROM domains WHERE host = $1 AND deleted_at IS NULL", [
      host,
    ]);
    const workspace = WORKSPACES.find((known) => idOf(1, known) === domain?.["workspace_id"]);
    if (workspace !== undefined) {
      await call(workspace, "DELETE", `domains/${toPublicId("dom", domain?.["id"])}?links=true`);
    }
  }

  async function may(verb: "GET" | "POST", workspace: Workspace, caller: Headers): Promise<boolean> {
    const domain = Object.keys(HOSTS).find((host) => HOSTS[host] === workspace);
    const link = { domain, url: `https://dest.example/${workspace}/guest` };
    return (await call(workspace, verb, "links", verb === "POST" ? link : undefined, caller)) !== null;
  }

  /** A key that is lent and taken back ends at once. */
  async function lendKey(workspace: Workspace, forMs: number): Promise<void> {
    const made = await call(workspace, "POST", "keys", { name: "lent", scopes: ["links:read"] });
    if (made === null) {
      return;
    }
    const { id, key } = made as { readonly id: string; readonly key: string };
    if (await may("POST", workspace, bearer(key))) {
      fault(`a key of ${workspace} that may only read made a link`);
    }
    for (const endsAtMs = time.nowMs() + forMs; time.nowMs() < endsAtMs;) {
      await may("GET", workspace, bearer(key));
      await time.wait(3_000);
    }
    const isRevoked = (await call(workspace, "DELETE", `keys/${id}`)) !== null;
    if ((await may("GET", workspace, bearer(key))) && isRevoked) {
      fault(`a key of ${workspace} was still good after it had been revoked`);
    }
  }

  /** An editor becomes a viewer, and later goes: neither they nor a key of theirs may do more with the next request. */
  async function employ(workspace: Workspace, forMs: number): Promise<void> {
    serial += 1;
    const add = (role: "owner" | "editor") =>
      time.outside(() => addMember(database, { workspace, name: `${role}-${serial}`, role }));
    const [owner, editor] = [await add("owner"), await add("editor")];
    const path = `workspaces/${toPublicId("ws", idOf(1, workspace))}/members/${toPublicId("mem", editor.id)}`;
    await time.wait(forMs);
    for (const [method, change, verb] of [
      ["PATCH", { role: "viewer" }, "POST"],
      ["DELETE", undefined, "GET"],
    ] as const) {
      const isDone = (await call(workspace, method, path, change, owner.session)) !== null;
      const still = [await may(verb, workspace, editor.session), await may(verb, workspace, editor.key)];
      if (isDone && still.includes(true)) {
        fault(`a member of ${workspace} might still ${verb} links after ${method} of their membership`);
      }
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
    if (event.kind !== "visit" && "slug" in event) {
      return change(event);
    }
    switch (event.kind) {
      case "visit":
        return visit(deployment.producerAt(event.colo, event.isolate), event);
      case "take-domain":
        return void (await call(event.workspace, "POST", "domains", { host: event.host }));
      case "remove-domain":
        return removeDomain(event.host);
      case "lend-key":
        return lendKey(event.workspace, event.forMs);
      case "employ":
        return employ(event.workspace, event.forMs);
      case "add-webhook":
        return addWebhook(event.workspace);
      case "fault":
        tell(`${event.fault} for ${event.forMs} ms, ${event.share * 100} %`);
        return deployment.weather.begin(event.fault, time.nowMs() + event.forMs, event.share);
      case "evict":
        tell(`isolate ${event.isolate} in ${event.colo} is evicted`);
        clicks.noteEvicted(deployment.producerAt(event.colo, event.isolate).name, time.nowMs());
        return deployment.evict(deployment.producerAt(event.colo, event.isolate));
      case "evict-single":
        tell(`the ${event.worker}'s isolate is evicted`);
        return deployment.evict(deployment.anyOf(event.worker));
      case "clock-step":
        tell(`clocks in ${event.colo} step by ${event.byMs} ms for ${event.forMs} ms`);
        deployment.weather.begin("clock.stepped", time.nowMs() + event.forMs, 0);
        stepClocks(event.colo, event.byMs);
        return time.at(time.nowMs() + event.forMs, () => stepClocks(event.colo, -event.byMs));
      case "reset-objects":
        tell("the platform moves all Durable Objects");
        deployment.producers().forEach(({ name }) => redirects.noteInterrupted(name));
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
    await gatherClicks(database.select, clickHouse);
    const clicked = await countClicks(database.select);
    (await judgePublished(database.select, deployment.links.stored)).forEach(fault);
    (await judgeHistory(database.select)).forEach(fault);
    (await clicks.judge(database, time.nowMs())).forEach(fault);
    (await webhooks.judge(database)).forEach(fault);
    await checkAnswers(clicked, clicked);
    if (plan.nights > 0) {
      cronEveryMs = NIGHTLY_MS;
      await time.pass(time.nowMs() + plan.nights * 86_400_000 + IDLE_SWEEP_MS);
      await gatherClicks(database.select, clickHouse);
      const { retentionDays } = plan;
      const nights = { retentionDays, nowMs: time.nowMs(), hasCube: clickHouse === null };
      (await judgeNights(database.select, clicked, nights)).forEach(fault);
      // Beside ClickHouse no cube keeps lists of clicks that are gone.
      await checkAnswers(clicked, clickHouse === null ? clicked : await countClicks(database.select));
    }
    (await database.findRealTimes()).forEach((place) => fault(`${place} knows the real time`));
  }
  return { faults, brokenAtMs, story, visits, third: redirects.third };

  /** Until nothing waits any more. Some visitors still come, so what an isolate holds gets its chance to leave. */
  async function calmDown(): Promise<void> {
    for (const isolate of deployment.producers()) {
      for (const minutes of [1.2, 2.4, 3.6, 4.8]) {
        for (const host of Object.keys(HOSTS)) {
          time.at(time.nowMs() + minutes * 60_000, () => {
            visit(isolate, { host, slug: CALM_SLUG }).catch((error: unknown) => fault(String(error)));
          });
        }
      }
    }
    let isCompared = false;
    let [waiting, quiet]: [Row, number] = [{}, 0];
    for (const endMs = time.nowMs() + MAX_CALM_MS; time.nowMs() < endMs;) {
      await time.pass(time.nowMs() + CALM_STEP_MS, isBroken);
      const [row = {}] = await database.select(
        `SELECT count(*)::int AS publishing, count(*) FILTER (WHERE payload ->> 'isPublished' IS NULL)::int AS unpublished,
           (SELECT count(*)::int FROM webhook_deliveries WHERE state = 'waiting') AS deliveries,
           (SELECT count(*)::int FROM link_caps JOIN links ON links.id = link_id WHERE mode = 'fast' AND used >= max_clicks
             AND NOT published_used_up AND state <> 'deleted') AS unended
         FROM work WHERE kind LIKE 'publish%'`,
      );
      if (!isCompared && row["unpublished"] === 0) {
        // Before what was published is written again: that is only for writes that hang.
        (await judgePublished(database.select, deployment.links.stored, redirects.isPutBack)).forEach(fault);
        isCompared = true;
      }
      waiting = { ...row, messages: deployment.queues.countWaiting(), spilled: deployment.spill.stored.size };
      // Twice: what came last has others after it.
      quiet = Object.values(waiting).every((count) => count === 0) ? quiet + 1 : 0;
      if (quiet === 2 || isBroken()) {
        return;
      }
    }
    fault(`after seven calm hours there is still something on its way: ${JSON.stringify(waiting)}`);
  }

  /** At last the API counts what was clicked. */
  async function checkAnswers(clicked: readonly Row[], listed: readonly Row[]): Promise<void> {
    for (const workspace of WORKSPACES) {
      const isOwn = (row: Row): boolean => row["workspace_id"] === idOf(1, workspace);
      const asking = judgeAnswers(clicked.filter(isOwn), listed.filter(isOwn), (path) =>
        call(workspace, "GET", path),
      ).then((problems) => problems.forEach((problem) => fault(`${workspace}: ${problem}`)));
      await time.pass(time.nowMs() + 30_000);
      await asking;
    }
  }
}

type Headers = Readonly<Record<string, string>>;
const bearer = (key: string): Headers => ({ authorization: `Bearer ${key}` });
