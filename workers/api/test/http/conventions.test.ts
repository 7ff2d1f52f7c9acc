/** What clients can rely on for every route. The routes come from the OpenAPI document. */
import { describe, expect, it } from "vitest";
import { callApi } from "../call-api.ts";
import { openKeyedStage } from "../keyed-stage.ts";
import { METRICS_TOKEN } from "../stage.ts";
import { type DocumentedOperation, listDocumentedOperations, sendOperation } from "./every-operation.ts";

const WITHOUT_TAG = [
  // They stream: a tag would need all of the body first.
  "GET /api/v1/links/export",
  "GET /api/v1/analytics/events.csv",
  "GET /api/v1/audit-log.csv",
  "GET /api/v1/analytics/live",
  // Their answers depend on the current time.
  "GET /api/v1/analytics/compare",
  "GET /api/v1/analytics/overview",
  // The question counts.
  "GET /api/v1/usage",
  "GET /api/health",
  "GET /api/metrics",
];
const WITHOUT_IDEMPOTENCY = [
  // It is carried out again, and finds what it created (lost-answers.test.ts).
  "POST /api/v1/links/import",
  // It changes nothing.
  "POST /api/v1/links/{linkId}/resolve",
  // Of people, who see what they have done; inviting and leaving twice is once.
  "POST /api/v1/workspaces",
  "POST /api/v1/workspaces/{workspaceId}/leave",
  "POST /api/v1/workspaces/{workspaceId}/invitations",
  // A browser asks anew each time, and its answer works once.
  "POST /api/v1/me/passkeys/options",
  "POST /api/v1/me/passkeys",
  // Asking again sends another email, and its token works once.
  "POST /api/v1/me/email",
  "POST /api/v1/me/email/confirm",
];

const WITHOUT_PAGES = [
  // A key has one workspace.
  "GET /api/v1/workspaces",
  // At most 100, of one person.
  "GET /api/v1/sessions",
  // A person has at most 20.
  "GET /api/v1/me/passkeys",
  "GET /api/v1/me/sign-in-methods",
  // A link has at most 20.
  "GET /api/v1/links/{linkId}/aliases",
];
/** The best few for what was typed so far; typing on gives others. */
const WITHOUT_CURSOR = ["GET /api/v1/analytics/values"];

const { stage, workspace, key } = await openKeyedStage("admin");
const ids = await stage.addObjects(workspace);
const { cookie: person, personId } = await stage.addPerson(workspace, "owner", { isOperator: true });
await stage.client.query("UPDATE passkeys SET person_id = $1", [personId]);
const documented = await listDocumentedOperations(stage);
// Those under /api/auth begin or end a session: nobody keeps their answers, and nothing is sent twice.
const operations = documented.filter(({ path }) => !path.startsWith("/api/auth/"));
const reads = operations.filter(({ method, name }) => method === "GET" && !WITHOUT_TAG.includes(name));
const posts = operations.filter(
  ({ method, name }) => method === "POST" && !WITHOUT_IDEMPOTENCY.includes(name),
);
const lists = reads.filter(
  ({ name, answerFields }) => answerFields.includes("data") && !WITHOUT_CURSOR.includes(name),
);

type Refusal = {
  readonly code?: string;
  readonly errors?: readonly { readonly path: string; readonly message: string }[];
};

/** Of any resource. */
const READ_ONLY = new Set([
  "id",
  "host",
  "domain",
  "shortUrl",
  "hasOwnRedirectStatus",
  "hasPassword",
  "aliases",
  "clicks",
  "version",
  "createdAt",
  "updatedAt",
  "proof",
  "prefix",
  "lastUsedAt",
]);

/** Another value of the same shape. */
function changed(value: unknown): unknown {
  if (typeof value === "string") {
    return /^\d{4}-.*Z$/.test(value) ? "2099-01-01T00:00:00.000Z" : `${value}x`;
  }
  if (typeof value === "number") {
    return value + 1;
  }
  if (typeof value === "boolean") {
    return !value;
  }
  return Array.isArray(value)
    ? [...value, "another"]
    : Object.fromEntries(Object.entries(value ?? {}).map(([name, one]) => [name, changed(one)]));
}

describe.each(reads)("$name", (operation) => {
  it("has an ETag, and answers 304 to a client that sends it", async () => {
    const first = await send(operation);
    const tag = first.headers.get("etag") ?? "";
    expect([first.status, tag]).toEqual([200, expect.stringMatching(/^(W\/)?"[^"]+"$/)]);
    const again = await send(operation, { "if-none-match": tag });
    expect([again.status, await again.text()]).toEqual([304, ""]);
    expect(operation.statuses).toContain("304");
  });
});

it.each(["/api/docs", "/api/openapi.json"])("%s has an ETag too", async (path) => {
  const tag = (await stage.app.request(path)).headers.get("etag") ?? "";
  const again = await stage.app.request(path, { headers: { "if-none-match": tag } });
  expect([tag === "", again.status]).toEqual([false, 304]);
});

describe.each(lists)("$name", (operation) => {
  it("is read in pages, with a cursor", () => {
    // A list of a time range says which, and whether it is complete; others can be counted.
    const fields = operation.answerFields.filter((name) => name !== "range" && name !== "count");
    expect(fields.toSorted()).toEqual(["data", "nextCursor"]);
    const parameters = WITHOUT_PAGES.includes(operation.name) ? [] : ["query cursor", "query limit"];
    expect(operation.parameters).toEqual(expect.arrayContaining(parameters));
  });
});

/** But for tags, which have names alone: tags.test.ts. */
const counted = lists.filter(
  ({ name, parameters }) => name !== "GET /api/v1/tags" && parameters.includes("query count"),
);

describe.each(counted)("$name", (operation) => {
  type Row = { readonly id: string; readonly name?: string; readonly host?: string; readonly email?: string };
  type Page = { readonly data: readonly Row[]; readonly nextCursor: string | null; readonly count?: number };
  const list = async (query: string): Promise<Page> => {
    const response = await sendOperation(operation, { app: stage.app, key, person, ids, query });
    expect([query, response.status]).toEqual([query, 200]);
    return (await response.json()) as Page;
  };
  /** One row at a time, to the end. */
  const walk = async (sort: string): Promise<readonly Row[]> => {
    const found: Row[] = [];
    for (let cursor = ""; cursor !== "end";) {
      const { data, nextCursor } = await list(`limit=1&sort=${sort}${cursor}`);
      found.push(...data);
      cursor = nextCursor === null ? "end" : `&cursor=${nextCursor}`;
    }
    return found;
  };

  it("is read by creation and by name, both ways, without gaps or repetitions, and counted", async () => {
    await stage.addObjects(workspace);
    await stage.addWorkspace();
    const rows = await walk("createdAt");
    expect(rows.length).toBeGreaterThan(1);
    const { count, data } = await list("count=true&limit=1");
    expect([count, data[0]?.id]).toEqual([rows.length, rows.at(-1)?.id]);
    expect((await walk("-createdAt")).map(({ id }) => id)).toEqual(rows.map(({ id }) => id).toReversed());
    const byName = await walk("name");
    expect((await walk("-name")).map(({ id }) => id)).toEqual(byName.map(({ id }) => id).toReversed());
    expect(new Set(byName.map(({ id }) => id))).toEqual(new Set(rows.map(({ id }) => id)));
    const names = byName.map(({ name, host, email }) => name ?? host ?? email ?? "");
    expect(names).toEqual(
      names.toSorted((one, other) => Buffer.compare(Buffer.from(one), Buffer.from(other))),
    );
    const { nextCursor } = await list("limit=1&sort=name");
    const strange = await sendOperation(operation, {
      app: stage.app,
      key,
      person,
      ids,
      query: `cursor=${nextCursor}`,
    });
    expect(strange.status).toBe(422);
  });

  it("is searched by parts of names, in any case, and what is found is counted", async () => {
    const [row] = (await list("sort=name&limit=1")).data;
    const name =
      row?.name ?? row?.host ?? row?.email ?? (row as { readonly url?: string } | undefined)?.url ?? "";
    const part = encodeURIComponent(name.slice(1).toUpperCase());
    const found = await list(`search=${part}&count=true&limit=100`);
    expect(found.data.map(({ id }) => id)).toContain(row?.id);
    expect([found.data.length, found.nextCursor]).toEqual([found.count, null]);
    // No pattern, and each word has to be there.
    for (const nothing of ["%25", "_%25", `${part}%20nonsence`]) {
      expect(await list(`search=${nothing}&count=true`)).toEqual({ data: [], nextCursor: null, count: 0 });
    }
  });
});

/** Of the person or the deployment alone, of one place, or as the link they belong to. */
const WITHOUT_VERSION =
  /^(?:PATCH|DELETE) \/api\/v1\/(?:me|sessions|tags|links$|.*\/(?:logo|aliases))|^DELETE \/api\/v1\/workspaces\/\{workspaceId\}$/;

describe.each(
  operations.filter(({ name, method }) => /PATCH|DELETE/.test(method) && !WITHOUT_VERSION.test(name)),
)("$name", (operation) => {
  it("is refused for another version than If-Match names, and does nothing", async () => {
    expect(operation.parameters).toContain("header if-match");
    const read = operations.find(({ path, method }) => path === operation.path && method === "GET");
    const before = read === undefined ? null : await send(read);
    const answer = await send(operation, { "if-match": '"v999.0123456789abcdef"' });
    expect([answer.status, await answer.json()]).toMatchObject([412, { code: "version_mismatch" }]);
    const after = read === undefined ? null : await send(read);
    expect(after?.headers.get("etag")).toBe(before?.headers.get("etag"));
    expect(before?.headers.get("etag")).toMatch(/^"v\d+\.[0-9a-f]{16}"$/);
  });

  it.runIf(operation.method === "PATCH")(
    "is carried out for the version that GET says, and makes the next",
    async () => {
      const read = operations.find(({ path, method }) => path === operation.path && method === "GET");
      const tagOf = async () => (read === undefined ? "" : ((await send(read)).headers.get("etag") ?? ""));
      const tag = await tagOf();
      expect((await send(operation, { "if-match": tag })).status).toBe(200);
      expect(await tagOf()).not.toBe(tag);
      expect((await send(operation, { "if-match": tag })).status).toBe(412);
    },
  );
});

describe.each(operations)("$name", (operation) => {
  const token = operation.path === "/api/metrics" ? METRICS_TOKEN : key;

  it("refuses a parameter that it does not have, and names it", async () => {
    const response = await sendOperation(operation, {
      app: stage.app,
      key: token,
      person,
      ids,
      query: "nonsence=1",
    });
    expect([response.status, await response.json()]).toMatchObject([
      422,
      {
        code: "invalid",
        errors: [{ path: "nonsence", message: expect.stringContaining("correct its name") }],
      },
    ]);
  });
});

it.each(operations.filter(({ singles }) => singles.length > 0))(
  "$name takes each parameter once that is no list, and its refusal says so",
  async (operation) => {
    for (const name of operation.singles) {
      const response = await sendOperation(operation, {
        app: stage.app,
        key,
        person,
        ids,
        // Each is a value of some parameter.
        query: ["1", "true"].map((value) => `${name}=${value}`).join("&"),
      });
      const { errors } = (await response.json()) as Refusal;
      const error = errors?.find(({ path }) => path === name);
      expect([name, response.status, error?.message]).toEqual([
        name,
        422,
        "was sent more than once: send it once",
      ]);
    }
  },
);

it.each([
  ["true", 200],
  ["false", 200],
  ["yes", 422],
  ["1", 422],
])("a parameter that is true or false takes %j with %i", async (value, status) => {
  const answer = await callApi(stage, `GET /api/v1/analytics/totals?visitors=${value}`, { key });
  expect(answer.status).toBe(status);
});

describe.each(operations.filter(({ method }) => method === "PATCH"))("$name", (operation) => {
  const read = operations.find(({ name }) => name === operation.name.replace("PATCH", "GET"));
  const show = async () => {
    if (read === undefined) {
      throw new Error(`${operation.path} can be changed and not read.`);
    }
    const response = await send(read);
    return (await response.json()) as Readonly<Record<string, unknown>>;
  };
  const patch = async (body: unknown) => {
    const response = await sendOperation(operation, { app: stage.app, key, person, ids, body });
    return { status: response.status, body: (await response.json()) as Refusal };
  };

  it("takes back what GET gave, and changes nothing", async () => {
    const shown = await show();
    const answer = await patch(shown);
    expect(answer.status).toBe(200);
    // The attempt is a version.
    const { version: _version, updatedAt: _updatedAt, ...same } = await show();
    expect(shown).toMatchObject(same);
  });

  it("refuses a read-only field that is changed, and names it", async () => {
    const shown = await show();
    const readOnly = Object.keys(shown).filter((name) => READ_ONLY.has(name));
    expect(readOnly).toContain("id");
    for (const name of readOnly) {
      const answer = await patch({ ...shown, [name]: changed(shown[name]) });
      expect([name, answer]).toMatchObject([name, { status: 422, body: { code: "invalid" } }]);
      expect(new Set(answer.body.errors?.map(({ path }) => path.split(".")[0]))).toEqual(new Set([name]));
    }
  });
});

it.each(operations.filter(({ body }) => body !== null))(
  "$name is refused without the body that it requires, and does nothing",
  async (operation) => {
    const bare = { ...operation, body: null };
    const response = await sendOperation(bare, { app: stage.app, key, person, ids });
    expect([400, 422]).toContain(response.status);
  },
);

it("finds the lists", () => {
  expect(lists.length).toBeGreaterThanOrEqual(5);
});

describe.each(posts)("$name", (operation) => {
  it("is carried out once per Idempotency-Key, and never shows a secret again", async () => {
    expect(operation.parameters).toContain("header idempotency-key");
    const headers = { "idempotency-key": `once ${operation.name}` };
    const first = await send(operation, headers);
    const answer = await first.text();
    const again = await send(operation, headers);
    expect(first.ok).toBe(true);
    if (/"(?:hop|whsec)_/.test(answer)) {
      expect([again.status, await again.text()]).toEqual([
        409,
        expect.stringContaining("idempotency_secret"),
      ]);
    } else {
      expect(again.headers.get("idempotency-replayed")).toBe("true");
      expect([again.status, await again.text()]).toEqual([first.status, answer]);
    }
  });
});

const send = (operation: DocumentedOperation, headers: { readonly [name: string]: string } = {}) =>
  sendOperation(operation, {
    app: stage.app,
    key,
    person,
    ids,
    headers,
    ...(operation.path.endsWith("/look-ups")
      ? {
          body: {
            address: `${ids["host"]}/${ids["slug"]}`,
            reason: "reported",
          },
        }
      : {}),
  });
