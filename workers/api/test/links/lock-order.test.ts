/**
 * Transactions that write to several domains of a workspace, against each other and against its suspension: links first, then domains,
 * both in the order of their ids. None waits for another in a circle.
 */
import type { Link } from "@hopline/client/openapi";
import pg from "pg";
import { afterAll, beforeEach, describe, expect, it } from "vitest";
import { untilWaitingForLock } from "../../../../packages/db/test/lock-waits.ts";
import { endUsedUp } from "../../src/links/end-used-up.ts";
import { newEntityId } from "../../src/http/entity-id.ts";
import { suspend } from "../../src/operators/operator-store.ts";
import { openKeyedStage } from "../keyed-stage.ts";
import { clientOf } from "../stage-client.ts";
import { toUuid } from "../to-uuid.ts";

const { stage, workspace, key } = await openKeyedStage("admin");
const hopline = clientOf(stage, key);
const other = new pg.Client({ connectionString: stage.databaseUrl });
await other.connect();
afterAll(() => other.end());

/** Ids, and hosts. */
const [low = "", high = ""] = [newEntityId(), newEntityId()].toSorted();
const hostOf = (domainId: string) => `${domainId.slice(-12)}.example.org`;
// The other way round: neither the order of rows nor that of links is the domains'.
for (const id of [high, low]) {
  await stage.client.query(
    `INSERT INTO domains (id, workspace_id, host, proof, settings)
     VALUES ($1, $2, $3, 'vouched', '{"defaults":{"tags":["old"]}}')`,
    [id, workspace.id, hostOf(id)],
  );
}

/** What `during` says of `write`, which waits for what the other connection has locked. */
async function whileLocked<Seen>(
  [statement, ...values]: readonly [string, ...string[]],
  write: () => Promise<unknown>,
  during: () => Promise<Seen>,
): Promise<Seen> {
  await other.query("BEGIN");
  let writing: Promise<unknown> = Promise.resolve();
  try {
    await other.query(statement, values);
    writing = write();
    await untilWaitingForLock(stage.client);
    return await during();
  } finally {
    await other.query("COMMIT");
    await writing;
  }
}

/** Whether a statement would have to wait. */
const isLocked = (statement: string, id: string) =>
  stage.client.query(`${statement} NOWAIT`, [id]).then(
    () => false,
    (error: unknown) => error instanceof pg.DatabaseError && error.code === "55P03",
  );

let links: readonly [Link, Link];
let round = 0;
const create = (domainId: string, slug: string) =>
  hopline.createLink({ body: { url: "https://example.com/*", slug, domain: hostOf(domainId) } });
beforeEach(async () => {
  round += 1;
  links = [await create(high, `docs-${round}/*`), await create(low, `docs-${round}/*`)];
});

const items = () => links.map(({ id }) => ({ id }));
const suspending = (reason: string | null) =>
  suspend(stage.database, { kind: "workspace", id: workspace.id, reason }, stage.publisher.newLease());
const renamed = () => hopline.updateTag({ tag: "old", body: { name: "new" } });

describe("domains that are locked in the order of their ids, and not before", () => {
  const WRITERS: { readonly [writer: string]: () => Promise<unknown> } = {
    "a workspace's suspension": () => suspending("phishing"),
    "its end": () => suspending(null),
    "many new links": () =>
      hopline.createLinks({
        body: {
          items: [high, low].map((id) => ({
            url: "https://example.com/*",
            slug: `many-${round}/*`,
            domain: hostOf(id),
          })),
        },
      }),
    "an edit of many links": () =>
      hopline.updateLinks({
        body: { items: items().map(({ id }) => ({ id, url: "https://example.com/other/*" })) },
      }),
    "new slugs of many links": () =>
      hopline.updateLinks({
        body: { items: items().map(({ id }) => ({ id, slug: `plain-${round}` })) },
      }),
    "a deletion of many links": () => hopline.deleteLinks({ body: { items: items() } }),
    "links that have reached their caps": async () => {
      for (const { id } of links) {
        await stage.client.query(
          "INSERT INTO link_caps (link_id, mode, max_clicks, used, workspace_id) VALUES ($1, 'fast', 1, 1, $2)",
          [toUuid(id), workspace.id],
        );
      }
      return endUsedUp(stage);
    },
    "a tag that is another in domains' defaults": renamed,
  };

  it.each(Object.entries(WRITERS))("%s", async (_, write) => {
    const lock = ["SELECT FROM domains WHERE id = $1 FOR NO KEY UPDATE", low] as const;
    const isHighLocked = () => isLocked("SELECT FROM domains WHERE id = $1 FOR UPDATE", high);
    expect(await whileLocked(lock, write, isHighLocked)).toBe(false);
  });
});

it.each([
  ["one way round", [high, low]],
  ["the other way round", [low, high]],
])(
  "a workspace is suspended while an edit of many links waits for one of them, and the edit is sent once: %s",
  async (name, domainIds) => {
    const ids: string[] = [];
    for (const domainId of domainIds) {
      ids.push((await create(domainId, `${name.replaceAll(" ", "-")}/*`)).id);
    }
    let edits = 0;
    stage.endpoint.setFault(({ statements }) => {
      edits += statements.some(({ query }) => query.startsWith('update "links"')) ? 1 : 0;
      return null;
    });
    const edit = async () => {
      const body = { items: ids.map((id) => ({ id, url: "https://example.com/late/*" })) };
      const { results } = await hopline.updateLinks({ body });
      expect(results.map(({ status }) => status)).toEqual([200, 200]);
    };
    const lock = ["SELECT FROM links WHERE id = $1 FOR UPDATE", toUuid(ids[1] ?? "")] as const;
    expect(await whileLocked(lock, edit, () => suspending("phishing"))).not.toBeNull();
    stage.endpoint.setFault(null);
    await suspending(null);
    expect(edits).toBe(1);
  },
);

describe("a link with a forwarding alias has its domain to itself before its addresses change", () => {
  it.each(["a release", "a deletion", "a return from the trash"])("%s", async (what) => {
    const [link] = links;
    const { id: linkId } = link;
    const alias = `docs-${round}/*`;
    await hopline.updateLink({ linkId, body: { slug: `now-${round}` } });
    if (what === "a return from the trash") {
      await hopline.deleteLink({ linkId });
    }
    const write = () =>
      what === "a release"
        ? hopline.deleteAlias({ linkId, alias })
        : what === "a deletion"
          ? hopline.deleteLink({ linkId })
          : hopline.restoreLinks({ body: { items: [{ id: linkId }] } });
    const lock = [
      "SELECT FROM addresses WHERE host = $1 AND slug = $2 FOR UPDATE",
      hostOf(high),
      alias,
    ] as const;
    const isOurs = () => isLocked("SELECT FROM domains WHERE id = $1 FOR SHARE", high);
    expect(await whileLocked(lock, write, isOurs)).toBe(true);
  });
});
