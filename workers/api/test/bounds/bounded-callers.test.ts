/**
 * What a key or a member with bounds may: every operation of the document, with each kind of bounds. The table says which they may
 * call; all others are refused, new ones too. What is outside of its bounds does not exist for a caller: it is answered like what
 * does not exist, and no answer changes when it changes.
 */
import { beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { type DocumentedOperation, listDocumentedOperations, pathOf } from "../http/every-operation.ts";
import { IS_FULL } from "../../../../packages/core/test/runs.ts";
import { toUuid } from "../to-uuid.ts";
import type { DecideSqlFault, SqlFault } from "@hopline/testkit/sql-endpoint/sql-fault";
import { type Caller, openBoundsStage } from "./bounds-stage.ts";

/** `create`: a create-only key may call it, and nothing else. `none`: it has nothing of the workspace in it that bounds are about. */
const ALLOWED: { readonly [operation: string]: "links" | "create" | "none" } = {
  "POST /api/v1/links": "create",
  "POST /api/v1/links/bulk": "links",
  "POST /api/v1/links/bulk/update": "links",
  "POST /api/v1/links/bulk/delete": "links",
  "POST /api/v1/links/bulk/restore": "links",
  "POST /api/v1/links/upsert": "links",
  "POST /api/v1/links/import": "links",
  "GET /api/v1/links/export": "links",
  "GET /api/v1/links": "links",
  "GET /api/v1/links/trash": "links",
  "GET /api/v1/links/count": "links",
  "GET /api/v1/links/available": "links",
  "GET /api/v1/links/{linkId}": "links",
  "PATCH /api/v1/links/{linkId}": "links",
  "DELETE /api/v1/links/{linkId}": "links",
  "GET /api/v1/links/{linkId}/aliases": "links",
  "DELETE /api/v1/links/{linkId}/aliases/{alias}": "links",
  "GET /api/v1/links/{linkId}/cache-status": "links",
  "POST /api/v1/links/{linkId}/publish": "links",
  "POST /api/v1/links/{linkId}/resolve": "links",
  "GET /api/v1/links/{linkId}/qr": "links",
  "GET /api/v1/links/{linkId}/history": "links",
  "POST /api/v1/links/{linkId}/history/{version}/revert": "links",
  "POST /api/v1/links/{linkId}/rules/copy": "links",
  "GET /api/v1/tags": "links",
  "GET /api/v1/tags/{tag}": "links",
  "GET /api/v1/folders": "links",
  "GET /api/v1/folders/{folderId}": "links",
  "GET /api/v1/domains": "links",
  "GET /api/v1/domains/{domainId}": "links",
  "GET /api/v1/domains/{domainId}/logo": "links",
  "GET /api/v1/analytics/totals": "links",
  "GET /api/v1/analytics/timeseries": "links",
  "GET /api/v1/analytics/compare": "links",
  "GET /api/v1/analytics/breakdown": "links",
  "GET /api/v1/analytics/lines": "links",
  "GET /api/v1/analytics/overview": "links",
  "GET /api/v1/analytics/values": "links",
  "GET /api/v1/analytics/events": "links",
  "GET /api/v1/analytics/events.csv": "links",
  "GET /api/v1/analytics/live": "links",
  "GET /api/v1/vocabularies": "none",
  "GET /api/v1/workspaces": "none",
  "GET /api/v1/workspaces/{workspaceId}": "none",
  "POST /api/v1/workspaces/{workspaceId}/leave": "none",
  "GET /api/v1/me": "none",
};

const { stage, workspace, call, callers, inside, outside, addOutside } = await openBoundsStage();
const operations = (await listDocumentedOperations(stage)).filter(({ path }) => path.startsWith("/api/v1/"));
const allowed = operations.filter(({ name }) => (ALLOWED[name] ?? "none") !== "none");

let secret: Awaited<ReturnType<typeof addOutside>>;
let objects: { readonly [parameter: string]: string };
beforeAll(async () => {
  secret = await addOutside();
  objects = { ...(await stage.addObjects(workspace)), linkId: secret.link.id, alias: "secret-alias" };
});

type Sent = {
  readonly ids?: { readonly [parameter: string]: string };
  readonly query?: string;
  readonly body?: unknown;
};

async function send(
  operation: DocumentedOperation,
  caller: Caller,
  { ids = objects, query, body }: Sent = {},
) {
  const path = pathOf(operation, ids);
  const text = body === undefined ? operation.body?.text : JSON.stringify(body);
  const response = await stage.app.request(
    query === undefined ? path : `${path}${path.includes("?") ? "&" : "?"}${query}`,
    {
      method: operation.method,
      headers: {
        ...caller.headers,
        ...(operation.body === null ? {} : { "content-type": operation.body.type }),
      },
      ...(operation.body === null || text === undefined ? {} : { body: text }),
    },
  );
  const answer = await response.text();
  const code = /^\{.*"code":"(\w+)"/.exec(answer)?.[1] ?? "";
  return { status: response.status, code, text: answer, etag: response.headers.get("etag") };
}

const SECRETS = () => [
  secret.link.id,
  secret.trashed.id,
  toUuid(secret.link.id),
  outside.folderId,
  outside.tagId,
  "secret-",
  "Secret ",
  "secret.example",
  '"DE"',
  ",DE,",
];

function expectNothingLeaks({ text }: { readonly text: string }, said: readonly string[] = []): void {
  const bare = said.reduce((rest, one) => rest.replaceAll(one, "…"), text);
  expect(SECRETS().filter((one) => bare.includes(one))).toEqual([]);
}

/** Parameters of queries, with what names something outside, and what names nothing. */
const NAMED = ({ linkId, folderId }: { readonly [parameter: string]: string }) =>
  [
    [["id", "link"], secret.link.id, linkId ?? ""],
    [["id"], secret.trashed.id, linkId ?? ""],
    [["tag", "tag.all"], outside.tag, "absent"],
    [["folder"], outside.folder, "Absent folder"],
    [["folder"], outside.folderId, folderId ?? ""],
    [["slug"], outside.slug, "absent"],
    [["slug"], "secret-alias", "absent"],
    [["externalId"], outside.externalId, "absent"],
    [["url", "destination"], outside.url, "https://absent.example/"],
    [["search"], "secret", "absent"],
    [["country"], "DE", "AQ"],
  ] as const;

/** Without what differs each time. */
function comparable({ status, text, etag }: { status: number; text: string; etag: string | null }): string {
  const stable = text
    .replaceAll(/"requestId":"[^"]+"/g, "…")
    .replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, "…")
    .replaceAll(/(\d+\.)?sealed\.[\w.-]+/g, "…");
  // Of an answer with a time in it, the tag says nothing.
  return JSON.stringify([status, stable, stable === text ? etag : null]);
}

const READS_LINKS = /\b(?:FROM|JOIN|UPDATE|USING)\s+"?links"?(?!\w)/i;
/** What `isWithin` writes. */
const HAS_BOUNDS = /links\.(?:(?:domain|folder|maker)_id = ANY|tags &&)/;
/** Statements about links that need no bounds, each with why. */
const WITHOUT_BOUNDS: readonly RegExp[] = [
  // Whether a slug or an external id is taken: the 409 says no more.
  /^WITH wanted AS \( SELECT row_number, domain, slug, "foldedSlug"/,
  /^SELECT external_id FROM links WHERE /,
  /^INSERT INTO links (?!.*item\.reuse)/,
  // Whether the same transaction has written all of its links.
  /^SELECT 1 \/ \(count\(\*\) = /,
  // The work of links that the same transaction has changed.
  /^INSERT INTO work .* addresses\.xmin = pg_current_xact_id\(\)::xid/,
  /^WITH counted AS \( INSERT INTO addresses .* links\.xmin = pg_current_xact_id\(\)::xid/,
];

/** Reads every statement until the test ends. */
function watchStatements() {
  const seen = new Set<string>();
  let next: SqlFault | null = null;
  let suffered: () => void = () => undefined;
  let isOthers = false;
  const watch: DecideSqlFault = ({ statements }) => {
    const queries = statements.map(({ query }) => query.replaceAll(/\s+/g, " ").trim());
    queries.forEach((query) => isOthers || seen.add(query));
    const fault = queries.some((query) => query.startsWith("INSERT INTO links ")) ? next : null;
    if (fault !== null) {
      next = null;
      suffered();
    }
    return fault;
  };
  stage.endpoint.setFault(watch);
  onTestFinished(() => stage.endpoint.setFault(null));
  return {
    /** Those about links that carry no bounds and are not known to need none. */
    unbounded: () =>
      [...seen].filter(
        (query) =>
          READS_LINKS.test(query) &&
          !HAS_BOUNDS.test(query) &&
          !WITHOUT_BOUNDS.some((known) => known.test(query)),
      ),
    hasSeen: (query: RegExp) => [...seen].some((one) => query.test(one)),
    /** The next one that creates links suffers this; resolves when it does. */
    failNext(fault: SqlFault): Promise<void> {
      next = fault;
      return new Promise((resolve) => {
        suffered = resolve;
      });
    },
    /** What another caller does meanwhile; then what hangs goes on. */
    async meanwhile<Answer>(act: () => Promise<Answer>): Promise<Answer> {
      isOthers = true;
      const answer = await act();
      isOthers = false;
      stage.endpoint.setFault(watch);
      return answer;
    },
  };
}

/** Every row about the links outside, with their counts. */
async function fingerprint(): Promise<unknown> {
  const ids = [secret.link.id, secret.trashed.id].map(toUuid);
  const { rows } = await stage.client.query(
    `SELECT (SELECT md5(string_agg(t::text, '' ORDER BY id)) FROM links AS t WHERE id = ANY($1)) AS links,
      (SELECT md5(string_agg(t::text, '' ORDER BY t::text)) FROM link_versions AS t WHERE link_id = ANY($1)) AS versions,
      (SELECT md5(string_agg(t::text, '' ORDER BY t::text)) FROM addresses AS t WHERE link_id = ANY($1)) AS addresses,
      (SELECT md5(string_agg(t::text, '' ORDER BY t::text)) FROM folders AS t WHERE workspace_id = $2) AS folders`,
    [ids, workspace.id],
  );
  return rows;
}

it("is documented as in the table: what does not say how it is bounded is refused", async () => {
  const { paths } = (await (await stage.app.request("/api/openapi.json")).json()) as {
    readonly paths: { [path: string]: { [method: string]: { readonly "x-bounded"?: string } } };
  };
  const documented = Object.fromEntries(
    Object.entries(paths).flatMap(([path, methods]) =>
      Object.entries(methods).flatMap(([method, { "x-bounded": reach }]) =>
        reach === undefined ? [] : [[`${method.toUpperCase()} ${path}`, reach]],
      ),
    ),
  );
  const ofPeople = operations.filter(({ roles, scope }) => scope === null && !roles.includes("owner"));
  const own = Object.fromEntries(
    ofPeople.filter(({ name }) => documented[name] === "none").map(({ name }) => [name, "none"]),
  );
  expect(documented).toEqual({ ...own, ...ALLOWED });
});

describe.each(callers)("$name", (caller) => {
  const refused = operations.filter(({ name, roles }) => !(name in ALLOWED) && roles.includes("owner"));

  it("is refused what is about the whole workspace, alike everywhere", async () => {
    expect(refused.length).toBeGreaterThan(35);
    for (const operation of refused) {
      const answer = await send(operation, caller);
      expect([operation.name, answer.status, answer.code]).toEqual([operation.name, 403, "out_of_bounds"]);
      expectNothingLeaks(answer);
    }
  });

  // The slowest: by default for the member, whom tags bound; each kind of bounds is one condition of the same predicate.
  const isWalked = IS_FULL || /member/.test(caller.name);
  it.skipIf(!isWalked)(
    "finds nothing outside by an id, a name or a filter, and changes nothing there",
    async () => {
      const before = await fingerprint();
      const statements = watchStatements();
      const nothing = { ...objects, linkId: `lnk_${"0".repeat(32)}`, folderId: `fld_${"0".repeat(32)}` };
      for (const operation of allowed) {
        const places: readonly { readonly [parameter: string]: string }[] = operation.path.includes(
          "{linkId}",
        )
          ? [{}, { linkId: secret.trashed.id }]
          : operation.path.includes("{tag}")
            ? [{ tag: outside.tag }, { tag: outside.tagId }]
            : [{ folderId: outside.folderId }];
        for (const place of places) {
          const answer = await send(operation, caller, { ids: { ...objects, ...place } });
          expectNothingLeaks(answer);
          if (/\{(?:linkId|tag|folderId)\}/.test(operation.path)) {
            const absent = await send(operation, caller, { ids: { ...nothing, tag: "absent" } });
            expect([operation.name, comparable(answer)]).toEqual([operation.name, comparable(absent)]);
            expect([operation.name, answer.status]).toEqual([operation.name, 404]);
          }
        }
        // Whether a slug is taken on a domain is what a 409 says; and one question of the analytics stands for all.
        const isSame = /available$|analytics\/(?!totals|values|events$)/.test(operation.path);
        for (const [names, value, absent] of isSame || operation.method !== "GET" ? [] : NAMED(nothing)) {
          for (const name of names.filter((one) => operation.parameters.includes(`query ${one}`))) {
            const ask = (text: string) =>
              send(operation, caller, { query: `${name}=${encodeURIComponent(text)}` });
            const [answer, none] = [await ask(value), await ask(absent)];
            expectNothingLeaks(answer, [value]);
            const say = (one: typeof answer, said: string) =>
              comparable({ ...one, etag: null, text: one.text.replaceAll(said, "…") });
            expect([operation.name, name, say(answer, value)]).toEqual([
              operation.name,
              name,
              say(none, absent),
            ]);
          }
        }
      }
      const items = [secret.link.id, secret.trashed.id].map((id) => ({ id }));
      for (const name of ["update", "delete", "restore"]) {
        const operation = operations.find((one) => one.name === `POST /api/v1/links/bulk/${name}`);
        if (operation !== undefined) {
          const { text } = await send(operation, caller, { body: { items } });
          expect([name, text.match(/"status":404/g)?.length]).toEqual([name, 2]);
        }
      }
      expect(await fingerprint()).toEqual(before);
      expect(statements.unbounded()).toEqual([]);
    },
  );

  it.skipIf(!isWalked)(
    "creates links by statements that carry its bounds: where one outside is the same, after a lost answer, and where a name is taken meanwhile",
    async () => {
      // Callers may have the same link.
      const at = callers.indexOf(caller);
      const [url, externalId] = [`https://same.example/${at}`, `race-${at}`];
      const theirs = { url, tags: [outside.tag] };
      const { body: same } = await call<{ id: string }>("POST /api/v1/links", theirs);
      const statements = watchStatements();
      const post = async (path: string, body: object, headers: object = {}) => {
        const operation = operations.find(({ name }) => name === `POST /api/v1/links${path}`);
        if (operation === undefined) {
          throw new Error(`There is no POST /api/v1/links${path}.`);
        }
        const { status, code, text } = await send(
          operation,
          { ...caller, headers: { ...caller.headers, ...headers } },
          { body },
        );
        return { status, code, id: /"id":"(lnk_\w+)"/.exec(text)?.[1] };
      };
      const reused = await post("", { url, reuse: true });
      expect([reused.status, reused.id === same.id]).toEqual([201, false]);
      expect((await post("", { url, reuse: true })).id).toBe(reused.id);

      const once = { "idempotency-key": `lost-${externalId}` };
      const lost = statements.failNext({ kind: "execute-then-reset" });
      expect((await post("", { url }, once)).status).toBe(503);
      await lost;
      expect((await post("", { url }, once)).status).toBe(201);

      const isHeld = statements.failNext({ kind: "hang" });
      const answer = post("/bulk", { items: [{ url, externalId }] });
      await isHeld;
      const other = () => call("POST /api/v1/links", { ...theirs, externalId });
      expect((await statements.meanwhile(other)).status).toBe(201);
      expect((await answer).id).toBeUndefined();
      expect((await post("/bulk", { items: [{ url }], atomic: true })).status).toBe(200);

      await stage.client.query("INSERT INTO workspace_limits (workspace_id, links) VALUES ($1, 100000)", [
        workspace.id,
      ]);
      onTestFinished(async () => {
        await stage.client.query("DELETE FROM workspace_limits WHERE workspace_id = $1", [workspace.id]);
      });
      expect((await post("", { url, reuse: true })).id).toBe(reused.id);
      expect((await post("", { url: `${url}/limited`, reuse: true })).status).toBe(201);
      expect(
        [
          /^SELECT item\.id, same\.id AS link_id/,
          /^select "id", "state" from "links"/,
          /^SELECT external_id FROM links/,
        ].map(statements.hasSeen),
      ).toEqual([true, true, true]);
      expect(statements.unbounded()).toEqual([]);
    },
  );

  it("destroys nothing: clicks are deleted with a link by an admin alone", async () => {
    const remove = operations.filter(({ name }) =>
      ["DELETE /api/v1/links/{linkId}", "POST /api/v1/links/bulk/delete"].includes(name),
    );
    for (const operation of remove) {
      for (const linkId of [caller.linkId, secret.link.id, secret.trashed.id]) {
        const sent =
          operation.body === null
            ? { query: "clicks=delete" }
            : { body: { items: [{ id: linkId }], clicks: "delete" } };
        const answer = await send(operation, caller, { ids: { ...objects, linkId }, ...sent });
        expect([operation.name, answer.status, answer.code]).toEqual([operation.name, 403, "scope_missing"]);
      }
    }
    expect(remove).toHaveLength(2);
  });

  it.skipIf(!isWalked)(
    "gets the same answers, to the byte, whatever there is outside: counts, totals, suggestions and tags of answers",
    async () => {
      const reads = allowed.filter(({ method, path }) => method === "GET" && !path.endsWith("/live"));
      const ids = { ...objects, linkId: caller.linkId, tag: inside.tag, folderId: inside.folderId };
      const readAll = async () => {
        const answers: string[] = [];
        for (const operation of reads) {
          const has = (parameter: string) => operation.parameters.includes(`query ${parameter}`);
          const queries = [
            undefined,
            ...(has("count") ? ["count=true"] : []),
            ...(has("visitors") && !has("dimension") ? ["visitors=true"] : []),
            ...(has("dimension") ? ["dimension=link", "dimension=tag"] : []),
            ...(has("lists") ? ["lists=link&lists=tag&facets=link&facets=tag&facets=domain"] : []),
            ...(has("sort") && has("status") ? ["sort=-clicks"] : []),
            ...(has("search") ? ["search=e"] : []),
          ];
          for (const query of queries) {
            const isGiven = query?.startsWith("dimension=") === true;
            const path = isGiven ? { ...operation, name: "" } : operation;
            const answer = await send(path, caller, { ids, ...(query === undefined ? {} : { query }) });
            expectNothingLeaks(answer);
            answers.push(`${operation.name} ${query} ${comparable(answer)}`);
          }
        }
        return answers;
      };
      const before = await readAll();
      await addOutside();
      expect(await readAll()).toEqual(before);
      // Something is there, or the test would say nothing.
      expect(before.filter((answer) => answer.includes("[200,")).length).toBeGreaterThan(40);
      expect(before.find((answer) => answer.startsWith("GET /api/v1/analytics/totals undefined"))).toContain(
        String.raw`\"clicks\":3`,
      );
    },
  );
});

describe("a create-only key", () => {
  const PAGE = "https://www.example.com";
  const URL_FIELD = { url: "https://example.com/spring" };
  const make = async (createOnly: object = {}) => {
    const bounds = {
      folders: [inside.folder],
      createOnly: { origins: [PAGE], destinationHosts: ["example.com"], linksPerMinute: 600, ...createOnly },
    };
    const { body } = await call<{ key: string; bounds: object }>("POST /api/v1/keys", {
      name: "Page",
      scopes: ["links:write"],
      bounds,
    });
    expect(body.bounds).toEqual(bounds);
    return body.key;
  };
  const create = async (key: string, body: object, origin: string | null = PAGE) => {
    const response = await stage.app.request("/api/v1/links", {
      method: "POST",
      headers: {
        authorization: `Bearer ${key}`,
        "content-type": "application/json",
        ...(origin === null ? {} : { origin }),
      },
      body: JSON.stringify(body),
    });
    const answer = (await response.json()) as {
      readonly code?: string;
      readonly shortUrl?: string;
      readonly folderId?: string;
      readonly errors?: readonly { readonly path: string }[];
    };
    const { headers, status } = response;
    return { ...answer, status, allowed: headers.get("access-control-allow-origin"), headers };
  };

  it("creates a link from its pages, which a browser lets them read, within its other bounds", async () => {
    const key = await make();
    const preflight = await stage.app.request("/api/v1/links", {
      method: "OPTIONS",
      headers: { origin: PAGE, "access-control-request-method": "POST" },
    });
    expect([preflight.status, preflight.headers.get("access-control-allow-origin")]).toEqual([204, PAGE]);
    const other = await stage.app.request("/api/v1/links", {
      method: "OPTIONS",
      headers: { origin: PAGE, "access-control-request-method": "GET" },
    });
    expect(other.headers.get("access-control-allow-origin")).toBeNull();
    expect(await create(key, URL_FIELD)).toMatchObject({
      status: 201,
      allowed: PAGE,
      shortUrl: expect.stringMatching(/^https:/),
      folderId: inside.folderId,
    });
    for (const origin of [null, "https://evil.example", "null"]) {
      const answer = await create(key, URL_FIELD, origin);
      expect(answer).toMatchObject({ status: 403, code: "out_of_bounds", allowed: null });
    }
    expect(await create(key, { ...URL_FIELD, slug: "common", domain: inside.host })).toMatchObject({
      status: 409,
      code: "slug_taken",
      allowed: PAGE,
    });
  });

  it("is refused every other operation: it lists, reads and changes nothing", async () => {
    const key = await make();
    for (const operation of operations.filter(({ name }) => name !== "POST /api/v1/links")) {
      const headers = { authorization: `Bearer ${key}`, origin: PAGE };
      const answer = await send(operation, { name: "", linkId: "", headers });
      const isOwnArea = /^\/api\/v1\/(?:me\/|sessions)/.test(operation.path);
      expect([operation.name, answer.status]).toEqual([operation.name, expect.any(Number)]);
      expect([operation.name, answer.code]).toEqual([
        operation.name,
        isOwnArea ? answer.code : "out_of_bounds",
      ]);
      expect(answer.status).toBeGreaterThanOrEqual(400);
      expectNothingLeaks(answer);
    }
  });

  it("leads nowhere but to its hosts, whatever a rule or a trick in the address says", async () => {
    const key = await make();
    const evil = "https://evil.example/";
    for (const body of [
      { url: evil },
      { url: "https://example.com@evil.example/" },
      { url: "https://example.com.evil.example/" },
      { url: "https://sub.example.com/" },
      { url: "https://example.com:8443/" },
      { ...URL_FIELD, rules: [{ id: "r", when: { country: ["DE"] }, to: { url: evil } }] },
      { ...URL_FIELD, split: [{ id: "a", url: evil, weight: 1 }] },
      { ...URL_FIELD, next: { url: evil, activateAt: "2030-01-01T00:00:00Z" } },
      { ...URL_FIELD, expiresAt: "2030-01-01T00:00:00Z", expiredUrl: evil },
    ]) {
      const { status, code, errors } = await create(key, body);
      expect([body, status, code, errors?.map(({ path }) => path)]).toEqual([body, 422, "invalid", ["url"]]);
    }
  });

  it("has a rate of its own", async () => {
    const key = await make({ linksPerMinute: 2 });
    const statuses = [
      await create(key, URL_FIELD),
      await create(key, URL_FIELD),
      await create(key, URL_FIELD),
    ];
    expect(statuses.map(({ status }) => status)).toEqual([201, 201, 429]);
    expect(statuses[2]?.headers.get("ratelimit-limit")).toBe("2");
  });

  it("has the scope links:write alone, and is no member's", async () => {
    const createOnly = { origins: [PAGE], destinationHosts: ["example.com"], linksPerMinute: 1 };
    for (const [scopes, change] of [
      [["links:write", "links:read"], {}],
      [["links:write"], { origins: [`${PAGE}/path`] }],
      [["links:write"], { destinationHosts: ["https://example.com"] }],
    ] as const) {
      const body = { name: "x", scopes, bounds: { createOnly: { ...createOnly, ...change } } };
      expect((await call("POST /api/v1/keys", body)).status).toBe(422);
    }
  });
});
