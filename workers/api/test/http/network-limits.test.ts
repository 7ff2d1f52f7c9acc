/** What a network can cost without a valid key. */
import { beforeEach, describe, expect, it, vi } from "vitest";
import { newApiKey } from "../../src/http/api-key.ts";
import type { NetworkLimits } from "../../src/http/network-limits.ts";
import { openKeyedStage } from "../keyed-stage.ts";
import { listDocumentedOperations, sendOperation } from "./every-operation.ts";

const { stage, workspace, key: admin } = await openKeyedStage("admin");
const operations = await listDocumentedOperations(stage);

/** A network of its own for each test. */
let network = 0;
beforeEach(() => {
  network += 1;
});
const address = () => `198.51.${network}.7`;

/** As Cloudflare's binding, without the clock's periods. */
function limitOf(most: number) {
  const counts = new Map<string, number>();
  return {
    counts,
    async limit({ key }: { readonly key: string }) {
      counts.set(key, (counts.get(key) ?? 0) + 1);
      return { success: (counts.get(key) ?? 0) <= most };
    },
  };
}

function openApp(limits: Partial<NetworkLimits>) {
  const clock = { nowMs: Date.now() };
  const networkLimits = { failedKeys: undefined, anonymous: undefined, ...limits };
  const app = stage.appWith({}, { networkLimits, nowMs: () => clock.nowMs });
  const ask = async (key: string, from = address()) => {
    const headers = { authorization: `Bearer ${key}`, "cf-connecting-ip": from };
    return (await app.request("/api/v1/domains", { headers })).status;
  };
  return { app, clock, ask };
}

const makeUp = () => newApiKey((count) => crypto.getRandomValues(new Uint8Array(count)));

/** How many requests `work` sends to the database. */
async function countAsked(work: () => Promise<unknown>): Promise<number> {
  let asked = 0;
  stage.endpoint.setFault(() => {
    asked += 1;
    return null;
  });
  await work();
  stage.endpoint.setFault(null);
  return asked;
}

describe("made-up keys", () => {
  it("are not a statement each: a network that sends too many is refused before the database is asked", async () => {
    const { ask, clock } = openApp({ failedKeys: limitOf(5) });
    const statuses: number[] = [];
    const asked = await countAsked(async () => {
      for (let sent = 0; sent < 30; sent += 1) {
        statuses.push(await ask(makeUp()));
      }
    });
    expect([asked, statuses]).toEqual([6, [...Array(6).fill(401), ...Array(24).fill(429)]]);
    // Another network is not concerned, and this one only for a minute.
    expect(await ask(makeUp(), "192.0.2.1")).toBe(401);
    clock.nowMs += 60_000;
    expect(await ask(makeUp())).toBe(401);
  });

  it("cost a network's other callers nothing: keys that worked go on working", async () => {
    const { ask } = openApp({ failedKeys: limitOf(0) });
    expect([await ask(admin), await ask(makeUp()), await ask(makeUp())]).toEqual([200, 401, 429]);
    expect(await ask(admin)).toBe(200);
  });

  it("sent again and again are one statement a minute, and one mark against the network", async () => {
    const failedKeys = limitOf(5);
    const { ask, clock } = openApp({ failedKeys });
    const revoked = await stage.addKey(workspace, ["admin"], { revokedAt: "2026-01-01T00:00:00Z" });
    const fresh = await stage.addKey(workspace, ["admin"]);
    const asked = await countAsked(async () => {
      for (let sent = 0; sent < 20; sent += 1) {
        expect(await ask(revoked)).toBe(401);
      }
    });
    expect([asked, ...failedKeys.counts.values()]).toEqual([1, 1]);
    expect(await ask(fresh)).toBe(200);
    clock.nowMs += 60_000;
    expect(await countAsked(() => ask(revoked))).toBe(1);
  });

  it("sent at once are no more statements than twenty", async () => {
    const { ask } = openApp({ failedKeys: limitOf(1_000) });
    const asked = await countAsked(() => Promise.all(Array.from({ length: 100 }, () => ask(makeUp()))));
    expect(asked).toBeLessThanOrEqual(20);
  });

  it("whose clients left before the answer do not count for ever", async () => {
    const { ask, clock } = openApp({ failedKeys: limitOf(1_000) });
    let asked = 0;
    stage.endpoint.setFault(() => {
      asked += 1;
      return { kind: "hang" };
    });
    const left = Array.from({ length: 20 }, () => ask(makeUp()));
    await expect.poll(() => asked).toBe(20);
    expect(await ask(makeUp())).toBe(429);
    clock.nowMs += 10_000;
    stage.endpoint.setFault(null);
    expect(await ask(makeUp())).toBe(401);
    await Promise.all(left);
  });

  it("sent at once are not mistaken for one good key that many requests use before the isolate knows it", async () => {
    const { ask } = openApp({ failedKeys: limitOf(0) });
    const fresh = await stage.addKey(workspace, ["admin"]);
    const statuses = await Promise.all(Array.from({ length: 50 }, () => ask(fresh)));
    expect(new Set(statuses)).toEqual(new Set([200]));
  });

  it("are refused as ever where the binding fails, or the platform tells no address", async () => {
    const { ask, app } = openApp({ failedKeys: { limit: () => Promise.reject(new Error("down")) } });
    expect([await ask(makeUp()), await ask(makeUp())]).toEqual([401, 401]);
    const headers = { authorization: `Bearer ${makeUp()}` };
    expect((await app.request("/api/v1/domains", { headers })).status).toBe(401);
  });

  it("that are refused while they are looked up do not hide a revocation: a key that worked is asked for each time", async () => {
    const { ask } = openApp({ failedKeys: limitOf(5) });
    const key = await stage.addKey(workspace, ["admin"]);
    expect(await ask(key)).toBe(200);
    await stage.client.query(
      "UPDATE api_keys SET revoked_at = now() WHERE workspace_id = $1 AND name = 'Test'",
      [workspace.id],
    );
    expect(await ask(key)).toBe(401);
    await stage.client.query("UPDATE api_keys SET revoked_at = NULL WHERE workspace_id = $1", [workspace.id]);
  });
});

describe("a request without a key", () => {
  const paths = ["/api/health", "/api/openapi.json", "/api/docs", "/api/docs/scalar.js", "/api/auth/options"];

  it.each(paths)("for %s is limited by network", async (path) => {
    const { app } = openApp({ anonymous: limitOf(2) });
    const ask = (from = address()) => app.request(path, { headers: { "cf-connecting-ip": from } });
    const answers = [await ask(), await ask(), await ask()];
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 429]);
    expect(answers.at(-1)?.headers.get("retry-after")).toBe("10");
    expect((await ask("192.0.2.1")).status).toBe(200);
  });

  it("covers every operation that needs no key and asks a dependency", () => {
    const open = operations
      .filter(
        ({ scope, isForPeople, path }) => scope === null && !isForPeople && !path.startsWith("/api/auth/"),
      )
      .map(({ name }) => name);
    // A wrong METRICS_TOKEN asks nothing.
    expect(open).toEqual(["GET /api/health", "GET /api/metrics", "GET /api/qr/{host}/{slug}"]);
  });

  it("does not build the OpenAPI document again", async () => {
    const app = stage.appWith();
    const build = vi.spyOn(app, "getOpenAPI31Document");
    const texts = [];
    for (let asked = 0; asked < 3; asked += 1) {
      texts.push(await (await app.request("/api/openapi.json")).text());
    }
    expect([build.mock.calls.length, new Set(texts).size]).toEqual([1, 1]);
  });
});

describe("no answer may be sniffed for another type:", () => {
  it.each(operations)("$name", async (operation) => {
    const ids = await stage.addObjects(workspace);
    for (const key of [null, admin]) {
      const response = await sendOperation(operation, { app: stage.app, key, ids });
      expect([response.status, response.headers.get("x-content-type-options")]).toEqual([
        expect.any(Number),
        "nosniff",
      ]);
      await response.body?.cancel();
    }
  });

  it.each(["/api", "/api/docs", "/api/docs/scalar.js", "/api/openapi.json", "/api/v1/nothing"])(
    "%s",
    async (path) => {
      const response = await stage.app.request(path);
      expect(response.headers.get("x-content-type-options")).toBe("nosniff");
    },
  );
});
