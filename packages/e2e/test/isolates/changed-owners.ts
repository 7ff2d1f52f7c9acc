/** A host that one workspace deletes and another adds: its visitors meet nothing of the owner before. */
import { createHash, randomBytes, randomUUID } from "node:crypto";
import { expect, it, vi } from "vitest";
import { visitIsolate } from "../visit-isolate.ts";
import { dns, isolates, POLL, stack } from "./isolate-stack.ts";

const host = "changes-hands.example";
const former = "https://former.example/";
const next = "https://next.example/";

it("a deleted domain never sends its next owner's visitors to the former owner: settings, edited link, import", async () => {
  const [owner, successor] = [await addKey(), await addKey()];
  const domain = await owner("POST", "/domains", { host });
  await owner("PATCH", `/domains/${domain.id}`, { rootUrl: former, notFoundUrl: former });
  const link = await owner("POST", "/links", { domain: host, slug: "sale", url: former });
  for (const title of ["1", "2", "3", "4", "5"]) {
    await owner("PATCH", `/links/${link.id}`, { title });
  }
  await expectEverywhere({ "/": former, "/sale": former, "/unknown": former });

  await owner("DELETE", `/links/${link.id}`);
  await owner("DELETE", `/domains/${domain.id}`);
  await expectEverywhere({ "/": null, "/sale": null, "/unknown": null });

  await vi.waitFor(() => takeOver(successor, host), RELEASED);
  await successor("POST", "/links/import", [{ domain: host, slug: "sale", url: next }]);
  await expectEverywhere({ "/": null, "/sale": next, "/unknown": null });
});

it("a renamed link answers and counts under both slugs in every isolate, until it releases the former", async () => {
  const owner = await addKey();
  await owner("POST", "/domains", { host: "renames.example" });
  const link = await owner("POST", "/links", { domain: "renames.example", slug: "before", url: former });
  await owner("PATCH", `/links/${link.id}`, { slug: "after" });
  await expectEverywhere({ "/before": former, "/after": former }, "renames.example");
  const read = () => owner("GET", `/links/${link.id}`);
  await vi.waitFor(async () => expect((await read()).clicks?.total).toBeGreaterThanOrEqual(6), POLL);
  await owner("DELETE", `/links/${link.id}/aliases/before`);
  await expectEverywhere({ "/before": null, "/after": former }, "renames.example");
});

it("a link in the trash resolves in no isolate, and in all of them once it is restored, at its former slug too", async () => {
  const at = "trash.example";
  const owner = await addKey();
  await owner("POST", "/domains", { host: at });
  const { id } = await owner("POST", "/links", { domain: at, slug: "before", url: former });
  await owner("PATCH", `/links/${id}`, { slug: "after" });
  await expectEverywhere({ "/before": former, "/after": former }, at);
  await owner("DELETE", `/links/${id}`);
  await expectEverywhere({ "/before": null, "/after": null }, at);
  await owner("POST", "/links/bulk/restore", { items: [{ id }] });
  await expectEverywhere({ "/before": former, "/after": former }, at);
});

it("a domain with more links than a request ends leads nowhere at once, and is free when the job has ended them all", async () => {
  const at = "large.example";
  const [owner, successor] = [await addKey(), await addKey()];
  const domain = await owner("POST", "/domains", { host: at });
  const slugs = Array.from({ length: 300 }, (_, index) => `n${String(index).padStart(3, "0")}`);
  await owner(
    "POST",
    "/links/import",
    slugs.map((slug) => ({ domain: at, slug, url: former })),
  );
  await expectEverywhere({ "/n000": former, "/n299": former }, at);
  await owner("DELETE", `/domains/${domain.id}?links=true`);
  await expectEverywhere({ "/n000": null, "/n299": null }, at);
  const { rows } = await stack.database.query("SELECT state FROM links WHERE slug = 'n299'");
  expect(rows).toEqual([{ state: "live" }]);
  await vi.waitFor(() => takeOver(successor, at), RELEASED);
  await expectEverywhere({ "/n000": null, "/n299": null }, at, EXPIRED);
});

it("a host resolves nothing until it is proved, and a neighbour's claim to it changes nothing", async () => {
  const [owner, neighbour] = [await addKey(), await addKey()];
  const proved = "go.example.org";
  const claim = await neighbour("POST", "/domains", { host: proved });
  const domain = await owner("POST", "/domains", { host: proved });
  await expectEverywhere({ "/": null, "/spring": null }, proved);
  const { name = "", value = "" } = domain.proof?.record ?? {};
  dns.texts.set(name, value);
  expect((await neighbour("POST", `/domains/${claim.id}/verify`)).seen).toBe("wrong");
  expect((await owner("POST", `/domains/${domain.id}/verify`)).seen).toBe("found");
  await owner("PATCH", `/domains/${domain.id}`, { rootUrl: next });
  await owner("POST", "/links", { domain: proved, slug: "spring", url: next });
  await expectEverywhere({ "/": next, "/spring": next }, proved);
  await neighbour("DELETE", `/domains/${claim.id}`);
  await expectEverywhere({ "/": next, "/spring": next }, proved);
});

type Body = {
  readonly seen?: string;
  readonly proof?: { readonly record: { readonly name: string; readonly value: string } };
  readonly id: string;
  readonly clicks?: { readonly total: number };
};

/** A workspace of its own. Resolves to its API. */
async function addKey() {
  const key = `hop_${randomBytes(16).toString("hex")}`;
  const workspaceId = randomUUID();
  await stack.database.query("INSERT INTO workspaces (id, name) VALUES ($1, 'Test')", [workspaceId]);
  await stack.database.query(
    `INSERT INTO api_keys (id, workspace_id, name, prefix, key_hash, scopes)
     VALUES ($1, $2, 'Test', 'hop_', $3, '{admin,links:read,links:write}')`,
    [randomUUID(), workspaceId, createHash("sha256").update(key).digest()],
  );
  return async (method: string, path: string, body?: object): Promise<Body> => {
    const response = await fetch(`${stack.url}/api/v1${path}`, {
      method,
      headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    expect([method, path, response.ok]).toEqual([method, path, true]);
    return JSON.parse((await response.text()) || "{}") as Body;
  };
}

const RELEASED = { timeout: 50_000, interval: 1_000 };
/** The two minutes have passed for the database, not for the isolates: what they hold, and KV's copies, end by themselves. */
const EXPIRED = { timeout: 120_000, interval: 500 };

async function takeOver(successor: Awaited<ReturnType<typeof addKey>>, at: string): Promise<void> {
  // Two minutes pass, in which copies of what KV had expire, and what was to be done is due.
  await stack.database.query(
    `UPDATE work SET due_at = due_at - interval '2 minutes'
     WHERE (kind LIKE 'publish%' AND payload ? 'isPublished' AND due_at > now() + interval '3 minutes') OR kind = 'remove-domain'`,
  );
  await stack.runtime.runJobs("hopline-api");
  await successor("POST", "/domains", { host: at });
}

/** Where each path leads in every isolate that reads the feed; `null`: nowhere. */
async function expectEverywhere(
  paths: Readonly<Record<string, string | null>>,
  at = host,
  within = POLL,
): Promise<void> {
  await vi.waitFor(async () => {
    for (const origin of isolates) {
      const seen: Record<string, string | null> = {};
      for (const path of Object.keys(paths)) {
        seen[path] = (await visitIsolate({ origin, host: at, path })).location;
      }
      expect(seen).toEqual(paths);
    }
  }, within);
}
