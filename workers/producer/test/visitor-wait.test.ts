/** No visitor waits for longer than 800 ms, whatever hangs: the whole way of a request, in virtual time. */
import { domainKeyOf, encodeDomainRecord } from "@hopline/core/link/domain-record";
import { hashOf } from "@hopline/core/feed/version-block";
import { linkKeyOf } from "@hopline/core/link/link-address";
import { encodeLinkRecord, type LinkRecord } from "@hopline/core/link/link-record";
import { IsolateCache } from "@hopline/edge-cache/isolate-cache";
import { createReadThrough } from "@hopline/edge-cache/read-through";
import { isTimeOut, withTimeout } from "@hopline/edge-cache/with-timeout";
import { beforeAll, expect, it } from "vitest";
import { createCapClaims } from "../src/answer/cap-claims.ts";
import { createClickBuffer } from "../src/clicks/click-buffer.ts";
import { createClickRecorder } from "../src/clicks/send-clicks.ts";
import { decodeEdgeRecord } from "../src/find/edge-record.ts";
import { createAnnouncedChanges } from "../src/find/feed/announced-changes.ts";
import { FEED_BUDGET_MS } from "../src/find/feed/plan-read.ts";
import { handleRequest } from "../src/handle.ts";
import type { EdgeRecord, RedirectDeps } from "../src/ports.ts";
import { readSettings } from "../src/settings.ts";
import { createVirtualTime } from "./clicks/virtual-time.ts";

const HOST = "go.example.com";
const LINK: LinkRecord = {
  linkId: "0198f3c2-a1b2-7c3d-8e4f-5a6b7c8d9e0f",
  version: 1,
  state: "live",
  url: "https://example.com/",
  redirectStatus: 302,
};
const hang = (): Promise<never> => new Promise(() => undefined);

/** What hangs, or fails at the last moment before its own limit. */
type Broken = {
  readonly kv?: "hangs" | "is slow";
  readonly database?: true;
  readonly feed?: true;
  readonly claims?: true;
  readonly tries?: true;
  readonly notes?: true;
  readonly charges?: true;
  /** On a click's way out of the isolate; what comes before it refuses. */
  readonly sending?: Sending;
};

type Sending = "queue" | "spill" | "announcement";

function openProducer(records: ReadonlyMap<string, string>, broken: Broken, inDatabase = records) {
  const { kvTimeoutMs, databaseTimeoutMs: originTimeoutMs, visitTimeoutMs } = readSettings({});
  const time = createVirtualTime();
  const { nowMs, wait } = time;
  const announced = createAnnouncedChanges(nowMs);
  const sent: Sending[] = [];
  const send = async (to: Sending): Promise<void> => {
    sent.push(to);
    await (to === broken.sending ? hang() : wait(5));
    if (to === "queue" && broken.sending !== undefined) {
      throw new Error("Too Many Requests");
    }
  };
  const deps: RedirectDeps = {
    links: createReadThrough(
      {
        cache: new IsolateCache<EdgeRecord>({ nowMs, random: () => 0 }),
        kv: {
          async load(key) {
            await (broken.kv === "hangs" ? hang() : wait(broken.kv === "is slow" ? kvTimeoutMs - 1 : 5));
            return records.get(key) ?? null;
          },
        },
        origin: {
          async load(keys) {
            await (broken.database ? hang() : wait(20));
            const has = (key: string): boolean => inDatabase.has(key);
            return new Map(keys.filter(has).map((key) => [key, inDatabase.get(key) ?? ""]));
          },
        },
        decode: decodeEdgeRecord,
        announced,
        nowMs,
        wait,
        emit: () => undefined,
      },
      {
        kvTimeoutMs,
        originTimeoutMs,
        staleWhileRevalidateMs: 60_000,
        staleIfErrorMs: 86_400_000,
        statements: 4,
        statementEveryMs: 75,
        maxWaitingKeys: 1_000,
        absences: { burst: 100, perSecond: 5 },
      },
    ),
    changes: {
      poll: () =>
        broken.feed ? withTimeout(hang, FEED_BUDGET_MS, wait).then((timed) => !isTimeOut(timed)) : null,
    },
    misses: {
      isRateLimited: () => false,
      charge: broken.charges ? hang : async () => undefined,
      credit: () => undefined,
    },
    passwords: {
      begin: broken.tries ? hang : async () => (broken.notes ? hang : async () => undefined),
    },
    secret: "AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=",
    caps: createCapClaims({
      claim: async ({ wanted }) => (broken.claims ? hang() : wait(20).then(() => wanted)),
      giveBack: async () => undefined,
      timeoutMs: originTimeoutMs,
      usedUp: new Map(),
      nowMs,
      random: () => 0.5,
      wait,
    }),
    clicks: createClickRecorder({
      buffer: createClickBuffer("00c0ffee12345678"),
      shards: [{ number: 0, send: () => send("queue") }],
      spill: { put: () => send("spill"), announce: () => send("announcement") },
      seal: async (text) => text,
      lingerMs: 0,
      nowMs,
      wait,
      random: () => 0.5,
      log: () => undefined,
    }),
    answers: { count: () => undefined, countMiss: () => undefined },
    forwardToApi: hang,
    visitTimeoutMs,
    nowMs,
    wait,
    log: () => undefined,
  };
  const visit = async (path: string, init: RequestInit = {}) => {
    const startedAtMs = nowMs();
    const answers: { status: number; location: string | null; waitedMs: number }[] = [];
    const request = new Request(`https://${HOST}${path}`, init);
    void Promise.resolve(handleRequest(request, deps, () => undefined)).then(({ status, headers }) => {
      answers.push({ status, location: headers.get("location"), waitedMs: nowMs() - startedAtMs });
    });
    await time.pass(5_000);
    return answers[0] ?? expect.fail("no answer after five seconds");
  };
  return { visit, announced, sent };
}

const form: RequestInit = {
  method: "POST",
  body: "password=wrong",
  headers: { "content-type": "application/x-www-form-urlencoded" },
};
const ALL: Broken = { kv: "is slow", database: true, feed: true, claims: true, tries: true };

/** A module of the bundle comes in no time at all; here it is read from a disk, in real time. */
beforeAll(() =>
  Promise.all([import("../src/answer/pages/render-page.ts"), import("../src/answer/fallbacks.ts")]),
);

it.each<[string, string, Broken, number, RequestInit?]>([
  ["nothing hangs", "/spring", {}, 302],
  ["KV hangs", "/spring", { kv: "hangs" }, 302],
  ["the feed hangs", "/spring", { feed: true }, 302],
  ["the database hangs, and KV does not have the slug", "/nothing", { database: true }, 503],
  ["an unknown slug can't be counted against its visitor", "/nothing", { charges: true }, 404],
  ["KV and the database hang", "/spring", { kv: "hangs", database: true }, 503],
  ["KV is slow, and knows nothing; the database hangs", "/nothing", { kv: "is slow", database: true }, 503],
  ["KV and the database hang, and the feed", "/spring", { kv: "hangs", database: true, feed: true }, 503],
  ["they hang for a slug with capitals, and its domain", "/Spring", { kv: "hangs", database: true }, 503],
  ["KV is slow for all of them, and the database hangs", "/Spring", { kv: "is slow", database: true }, 503],
  ["they hang for the domain's own page", "/", { kv: "hangs", database: true }, 503],
  ["they hang for an unknown slug's domain", "/nothing", ALL, 503],
  ["uses of a strict cap can't be claimed", "/capped", { claims: true }, 503],
  ["nor that, after KV was slow and the feed hung", "/capped", ALL, 503],
  ["tries of a password can't be counted", "/locked", { tries: true }, 503, form],
  [
    "nor wrong ones noted, after KV was slow",
    "/locked",
    { notes: true, kv: "is slow", feed: true },
    503,
    form,
  ],
])("when %s, the answer is there within 800 ms", async (_what, path, broken, status, init) => {
  const password = { iterations: 1, salt: "AAECAwQFBgcICQoLDA0ODw==", hash: "AAECAwQFBgcICQoLDA0ODw==" };
  const records = new Map<string, string>([
    [linkKeyOf(HOST, "spring"), encodeLinkRecord(LINK)],
    [linkKeyOf(HOST, "capped"), encodeLinkRecord({ ...LINK, cap: { mode: "strict", isUsedUp: false } })],
    [linkKeyOf(HOST, "locked"), encodeLinkRecord({ ...LINK, password })],
    [domainKeyOf(HOST), encodeDomainRecord({ domainId: LINK.linkId, version: 1, ignoresCase: false })],
  ]);
  if (path === "/Spring" || path === "/") {
    records.clear();
  }
  const answer = await openProducer(records, broken).visit(path, init);
  expect(answer.status).toBe(status);
  expect(answer.waitedMs).toBeLessThanOrEqual(800);
});

it.each<Sending>(["queue", "spill", "announcement"])(
  "no visitor waits for a click on its way: where the %s hangs, the answer comes as soon as ever",
  async (sending) => {
    const records = new Map([[linkKeyOf(HOST, "spring"), encodeLinkRecord(LINK)]]);
    const { visit, sent } = openProducer(records, { sending });
    expect(await visit("/spring")).toEqual(await openProducer(records, {}).visit("/spring"));
    expect(sent).toContain(sending);
  },
);

it("a visitor for whom the feed takes too long gets what KV has, and the last known answer only where KV has none", async () => {
  const key = linkKeyOf(HOST, "spring");
  const records = new Map([[key, encodeLinkRecord({ ...LINK, url: "https://former.example/" })]]);
  const broken: { -readonly [What in keyof Broken]: Broken[What] } = {};
  const { visit } = openProducer(records, broken);
  expect(await visit("/spring")).toMatchObject({ location: "https://former.example/" });
  broken.feed = true;
  records.set(key, encodeLinkRecord({ ...LINK, version: 2, url: "https://next.example/" }));
  expect(await visit("/spring")).toMatchObject({ location: "https://next.example/" });
  Object.assign(broken, { kv: "hangs", database: true });
  records.clear();
  expect(await visit("/spring")).toMatchObject({ status: 302, location: "https://next.example/" });
});

it.each<[string, Broken]>([
  ["KV has both as they were", {}],
  ["KV hangs", { kv: "hangs" }],
])(
  "a link of a domain that ended is not found where the feed only says that the domain changed, and %s",
  async (_what, broken) => {
    const domain = { domainId: LINK.linkId, version: 1, ignoresCase: false };
    const inKv = new Map<string, string>([
      [linkKeyOf(HOST, "spring"), encodeLinkRecord(LINK)],
      [domainKeyOf(HOST), encodeDomainRecord(domain)],
    ]);
    const tombstone = encodeLinkRecord({ ...LINK, version: 2, state: "deleted", url: "" });
    const inDatabase = new Map([...inKv, [domainKeyOf(HOST), tombstone]]);
    const { visit, announced } = openProducer(inKv, broken, inDatabase);
    const pairs = Uint32Array.from([hashOf(domainKeyOf(HOST)), 2]);
    announced.rememberVersions({ first: 1, announcedAtMs: 0, pairs });
    expect(await visit("/spring")).toMatchObject({ status: 404 });
  },
);

it("a domain that was suspended is suspended where KV is doubted, and has it as it was", async () => {
  const domain = { domainId: LINK.linkId, version: 1, ignoresCase: false };
  const inKv = new Map<string, string>([
    [linkKeyOf(HOST, "spring"), encodeLinkRecord(LINK)],
    [domainKeyOf(HOST), encodeDomainRecord(domain)],
  ]);
  const suspended = encodeDomainRecord({ ...domain, version: 2, isSuspended: true });
  const inDatabase = new Map([...inKv, [domainKeyOf(HOST), suspended]]);
  const { visit, announced } = openProducer(inKv, {}, inDatabase);
  announced.doubtKv(Infinity);
  expect(await visit("/spring")).toMatchObject({ status: 403 });
});
