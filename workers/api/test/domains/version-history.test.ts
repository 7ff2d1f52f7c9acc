/**
 * Whatever two workspaces do to the same addresses, in whatever order: what is published at an address gets a higher version
 * each time, and in the end the edge has what the database says.
 */
import fc from "fast-check";
import { linkKeyOf } from "@hopline/core/link/link-address";
import { decodeLinkRecord } from "@hopline/core/link/link-record";
import { decodeDomainRecord } from "@hopline/core/link/domain-record";
import { expect, it } from "vitest";
import { removeDomain } from "../../src/domains/remove-domain.ts";
import { runs } from "../../../../packages/core/test/runs.ts";
import { toPublicId } from "../../src/http/entity-id.ts";
import { callApi } from "../call-api.ts";
import { openKeyedStage } from "../keyed-stage.ts";

const SCOPES = ["admin", "links:read", "links:write"] as const;
const { stage, workspace, key } = await openKeyedStage(...SCOPES);
const stranger = await stage.addKey(await stage.addWorkspace(), SCOPES);
const SLUGS = ["a", "b", "c"];
const LIMITS = { maxChanges: 500, maxDurationMs: 5_000, nowMs: () => performance.now() };

type Step = {
  readonly by: "first" | "second";
  readonly act: (typeof ACTS)[number];
  readonly slug: string;
  readonly to: string;
};
const ACTS = [
  "addDomain",
  "addDomain",
  "create",
  "import",
  "rename",
  "rename",
  "edit",
  "delete",
  "release",
  "release",
  "deleteDomain",
  "breakKv",
  "publish",
] as const;

const BEGINNING: readonly Step[] = [
  { by: "first", act: "addDomain", slug: "a", to: "b" },
  { by: "first", act: "create", slug: "a", to: "b" },
];

const steps = fc.array(
  fc.record({
    by: fc.constantFrom("first" as const, "second" as const),
    act: fc.constantFrom(...ACTS),
    slug: fc.constantFrom(...SLUGS),
    to: fc.constantFrom(...SLUGS),
  }),
  { minLength: 10, maxLength: 25, size: "max" },
);

let histories = 0;

it("versions at an address only grow, and the edge ends with the record that the database has", async () => {
  await fc.assert(
    fc.asyncProperty(steps, async (history) => {
      histories += 1;
      const host = `history${histories}.example`;
      stage.edge.writes.length = 0;
      for (const step of [...BEGINNING, ...history]) {
        await take(step, host);
      }
      await publishAll();
      expectGrowing();
      await expectAgreement(host);
    }),
    runs(40),
  );
});

/** A step that makes no sense, as a change of a link that does not exist, is left out. */
async function take({ by, act, slug, to }: Step, host: string): Promise<void> {
  const { rows } = await stage.client.query<{ domain: string; is_first: boolean; links: string[] }>(
    `SELECT id AS domain, workspace_id = $2 AS is_first,
       array(SELECT id FROM links WHERE domain_id = domains.id AND state <> 'deleted' ORDER BY slug <> $3, slug) AS links
     FROM domains WHERE host = $1 AND deleted_at IS NULL`,
    [host, workspace.id, slug],
  );
  const [found] = rows;
  const [owner = "", link] = found === undefined ? [] : [found.is_first ? key : stranger, found.links[0]];
  const call = (as: string, target: string, body?: unknown) => callApi(stage, target, { key: as, body });
  const change = async (method: string, path: string, body?: unknown) =>
    link && call(owner, `${method} /api/v1/links/${toPublicId("lnk", link)}${path}`, body);
  const url = `https://example.net/${slug}`;
  const takeIt = {
    addDomain: async () => call(by === "first" ? key : stranger, "POST /api/v1/domains", { host }),
    create: async () => found && call(owner, "POST /api/v1/links", { url, domain: host, slug }),
    import: async () =>
      found &&
      call(
        owner,
        "POST /api/v1/links/import",
        SLUGS.map((one) => ({ url, domain: host, slug: one })),
      ),
    rename: async () => change("PATCH", "", { slug: to }),
    edit: async () => change("PATCH", "", { url: `${url}/${to}` }),
    delete: async () => change("DELETE", ""),
    release: async () => change("DELETE", `/aliases/${to}`),
    deleteDomain: async () =>
      found && call(owner, `DELETE /api/v1/domains/${toPublicId("dom", found.domain)}?links=true`),
    breakKv: async () => void (stage.edge.state.kvIsUp = false),
    publish: publishAll,
  };
  const answer = await takeIt[act]();
  expect(typeof answer === "object" ? answer.status : 0).toBeLessThan(500);
}

/** KV is up again, and all work is due. */
async function publishAll(): Promise<void> {
  stage.edge.state.kvIsUp = true;
  await stage.client.query("UPDATE work SET due_at = now(), lease = NULL WHERE kind LIKE 'publish%'");
  await stage.publisher.publishDue(LIMITS);
  const { rows } = await stage.client.query<{ id: string }>(
    "SELECT id FROM domains WHERE deleted_at IS NOT NULL AND released_at IS NULL",
  );
  for (const { id } of rows) {
    await removeDomain({ key: id, payload: {} }, stage);
  }
}

/** In the order of the writes to KV. A confirming write repeats the record before it. */
function expectGrowing(): void {
  const last = new Map<string, { readonly version: number; readonly recordText: string }>();
  for (const write of stage.edge.writes) {
    const before = last.get(write.key);
    const isGrowing = before === undefined || write.version > before.version;
    const isRepeated = write.version === before?.version && write.recordText === before.recordText;
    expect({ write, before, isFine: isGrowing || isRepeated }).toMatchObject({ isFine: true });
    expect(versionIn(write.recordText)).toBe(write.version);
    last.set(write.key, write);
  }
}

async function expectAgreement(host: string): Promise<void> {
  const { rows } = await stage.client.query<{ slug: string; record: string; leads: boolean }>(
    `SELECT addresses.slug, addresses.record, ended_at IS NULL AS leads FROM addresses
     WHERE host = $1 AND slug <> '*'`,
    [host],
  );
  for (const { slug, record, leads } of rows) {
    const key = linkKeyOf(host, slug);
    const inKv = stage.edge.inKv.get(key);
    if (inKv !== undefined || leads) {
      expect([key, inKv]).toEqual([key, record]);
    }
    const inFeed = stage.edge.inFeed.get(key);
    if (inFeed !== undefined) {
      expect([key, inFeed.recordText]).toEqual([key, record]);
    }
  }
  const links = await stage.client.query(
    `SELECT slug, links.record, addresses.record FROM links JOIN domains ON domains.id = domain_id
     JOIN addresses USING (host, slug)
     WHERE host = $1 AND state <> 'deleted' AND (addresses.link_id <> links.id OR addresses.record <> in_version(links.record, addresses.version))`,
    [host],
  );
  expect(links.rows).toEqual([]);
}

function versionIn(text: string): number | null {
  const link = decodeLinkRecord(text);
  const domain = decodeDomainRecord(text);
  return link.ok ? link.value.version : domain.ok ? domain.value.version : null;
}
