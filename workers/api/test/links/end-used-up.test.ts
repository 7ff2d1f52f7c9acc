/** Links that have reached their cap: ended as one set, by one runner, however many and however often they are reported. */
import { randomUUID } from "node:crypto";
import { linkKeyOf } from "@hopline/core/link/link-address";
import { beforeEach, describe, expect, it } from "vitest";
import { endUsedUp } from "../../src/links/end-used-up.ts";
import { endUsedUpNow, enqueueMissing, runDueWork, type WorkDeps } from "../../src/run-due-work.ts";
import { callApi } from "../call-api.ts";
import { openKeyedStage } from "../keyed-stage.ts";

const { stage, key } = await openKeyedStage("links:read", "links:write");
const RUN_MS = 20_000;
const CAP = { mode: "fast", maxClicks: 5 };

beforeEach(() => stage.client.query("UPDATE link_caps SET published_used_up = true"));

describe("a link that has reached its cap", () => {
  it("is ended once, and is live again when its cap is raised", async () => {
    const [link] = await createLinks(1);
    await use(link, 7);
    expect(await endUsedUp(stage)).toBe(1);
    expect(await endUsedUp(stage)).toBe(0);
    expect(announced(link)).toMatchObject({ version: 2, cap: { used: true } });
    await publish();
    expect(inKv(link)).toMatchObject({ version: 2, cap: { mode: "fast", isUsedUp: true } });
    const gone = await callApi(stage, `POST /api/v1/links/${link.id}/resolve`, { key, body: {} });
    expect(gone.body).toMatchObject({ outcome: "gone", why: "used-up" });

    const cap = { mode: "fast", maxClicks: 10 };
    const raised = await callApi(stage, `PATCH /api/v1/links/${link.id}`, { key, body: { cap } });
    expect(raised.body).toMatchObject({ cap: { ...cap, used: 7 } });
    expect(inKv(link)).toMatchObject({ version: 3, cap: { isUsedUp: false } });
    await use(link, 10);
    expect(await endUsedUp(stage)).toBe(1);
  });

  it("costs the same few statements as 300 of them: no statement for each link", async () => {
    const links = await createLinks(300);
    await stage.client.query("UPDATE link_caps SET used = 5, published_used_up = false");
    let statements = 0;
    stage.endpoint.setFault((request) => {
      statements += request.statements.length;
      return null;
    });
    expect(await endUsedUp(stage)).toBeGreaterThanOrEqual(300);
    stage.endpoint.setFault(null);
    // Two sets of up to 250 links: one statement finds a set, four in one transaction end it.
    expect(statements).toBeLessThanOrEqual(2 * 5);
    expect(links.map((link) => announced(link)?.["version"])).toEqual(links.map(() => 2));
  });

  it("whose record can't be read does not hold the others back, and the run says so", async () => {
    const [broken, healthy] = await createLinks(2);
    await use(broken, 5);
    await use(healthy, 5);
    await stage.client.query("UPDATE links SET record = '{' WHERE slug = $1", [broken.slug]);
    await runJob();
    expect(announced(healthy)).toMatchObject({ version: 2 });
    expect(stage.log.at(-1)).toMatchObject({ event: "work.failed", kind: "end-used-up", reason: "Error" });
    await stage.client.query("DELETE FROM work");
  });

  it("and is edited at the same moment is ended by the next run", async () => {
    const [link] = await createLinks(1);
    await use(link, 5);
    // Between the statement that finds the link and the transaction that ends it.
    const overtaken = Object.create(stage.database, {
      batch: {
        value: async (...all: Parameters<typeof stage.database.batch>) => {
          await stage.client.query("UPDATE links SET version = 2 WHERE slug = $1", [link.slug]);
          return stage.database.batch(...all);
        },
      },
    });
    expect(await endUsedUp({ ...stage, database: overtaken })).toBe(0);
    expect(await endUsedUp(stage)).toBe(1);
    expect(announced(link)).toMatchObject({ version: 3, cap: { used: true } });
  });
});

describe("reports of links that have reached their caps", () => {
  it("that come at once are one piece of work, and no report is lost", async () => {
    const links = await createLinks(10);
    const before = stage.log.length;
    await Promise.all(
      links.map(async (link) => {
        await use(link, 5);
        await endUsedUpNow(RUN_MS, deps);
      }),
    );
    await runJob();
    expect(links.map((link) => announced(link)?.["version"])).toEqual(links.map(() => 2));
    const ended = stage.log
      .slice(before)
      .flatMap((line) => (line.event === "caps.ended" ? [line.links] : []));
    expect(ended.reduce((sum, count) => sum + count, 0)).toBe(links.length);
    expect((await stage.client.query("SELECT FROM work WHERE kind = 'end-used-up'")).rows).toEqual([]);
  });

  it("are found by the job if the consumer could not make them", async () => {
    const [link] = await createLinks(1);
    await use(link, 5);
    await runJob();
    expect(announced(link)).toMatchObject({ version: 2, cap: { used: true } });
  });
});

type Link = { readonly id: string; readonly slug: string; readonly domain: string };

const deps: WorkDeps = {
  auditRetentionDays: null,
  lookUpTexts: stage.dns.lookUpTexts,
  customHostnames: null,
  people: null,
  database: stage.database,
  publisher: stage.publisher,
  newLeaseId: randomUUID,
  nowMs: () => performance.now(),
  log: (event) => stage.log.push(event),
};

async function createLinks(count: number): Promise<readonly [Link, Link, ...Link[]]> {
  const items = Array.from({ length: count }, () => ({ url: "https://example.com/", cap: CAP }));
  type Created = { readonly results: readonly { readonly link: Link }[] };
  const { body } = await callApi<Created>(stage, "POST /api/v1/links/bulk", { key, body: { items } });
  return body.results.map(({ link }) => link) as unknown as readonly [Link, Link, ...Link[]];
}

/** The scheduled job, as it runs when it has found used-up links. */
async function runJob(): Promise<void> {
  await enqueueMissing(true, deps);
  await runDueWork(RUN_MS, deps);
}

async function use({ slug }: Link, uses: number): Promise<void> {
  await stage.client.query(
    "UPDATE link_caps SET used = $2, published_used_up = false FROM links WHERE id = link_id AND slug = $1",
    [slug, uses],
  );
}

/** What the isolates have been told of the link. */
function announced({ domain, slug }: Link): Record<string, unknown> | null {
  const change = stage.edge.inFeed.get(linkKeyOf(domain, slug));
  return change === undefined ? null : (JSON.parse(change.recordText) as Record<string, unknown>);
}

const inKv = ({ domain, slug }: Link) => stage.edge.recordAt(domain, slug);

function publish() {
  return stage.publisher.publishDue({
    maxChanges: 900,
    maxDurationMs: RUN_MS,
    nowMs: () => performance.now(),
  });
}
