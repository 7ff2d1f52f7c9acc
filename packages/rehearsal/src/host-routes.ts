/** Hosts of Workers, the zones they are in, and uploads of static files. */
import type { Hono } from "hono";

import { isJsonObject, objectAt, textAt } from "@hopline/ops/deploy/json-object";
import type { FakeAccount } from "./account-state.ts";
import { ok, readObject, readObjects, refuse } from "./answers.ts";
import * as refusals from "./refusals.ts";

/** Files of one request, as the session asks for them. */
const BUCKET_SIZE = 50;

export function addHostRoutes(api: Hono, account: FakeAccount): void {
  const root = "/accounts/:account/workers";
  api.get(`${root}/domains`, (c) => ok(c, account.hosts.map(toHostAnswer)));
  api.delete(`${root}/domains/:host`, (c) => {
    const index = account.hosts.findIndex(({ id }) => id === c.req.param("host"));
    account.hosts.splice(index, index === -1 ? 0 : 1);
    return index === -1 ? refuse(refusals.UNKNOWN_REQUEST) : ok(c, null);
  });
  // workers-sdk deploy-helpers `publishCustomDomains`, with a terminal: what would change.
  api.post(`${root}/scripts/:worker/domains/changeset`, async (c) => {
    const worker = c.req.param("worker");
    if (!account.workers.has(worker)) {
      return refuse(refusals.NO_SUCH_WORKER);
    }
    const origins = (await readObjects(c)).map((origin) => textAt(origin, "hostname") ?? "");
    const taken = account.hosts.filter(
      ({ hostname, service }) => origins.includes(hostname) && service !== worker,
    );
    return ok(c, {
      added: origins
        .filter((host) => !account.hosts.some(({ hostname }) => hostname === host))
        .map((hostname) => ({ hostname })),
      removed: account.hosts
        .filter(({ hostname, service }) => service === worker && !origins.includes(hostname))
        .map(toHostAnswer),
      updated: taken.map((host) => ({ ...toHostAnswer(host), modified: true })),
      conflicting: origins.filter((host) => account.dnsRecords.has(host)).map((hostname) => ({ hostname })),
    });
  });
  api.put(`${root}/scripts/:worker/domains/records`, async (c) => {
    const body = await readObject(c);
    const service = c.req.param("worker");
    const list = body["origins"];
    const origins = (Array.isArray(list) ? list.filter(isJsonObject) : []).map(
      (origin) => textAt(origin, "hostname") ?? "",
    );
    for (const host of origins) {
      if (![...account.zones].some((zone) => host === zone || host.endsWith(`.${zone}`))) {
        return refuse(refusals.noSuchZone(host));
      }
      const isOther = account.hosts.some(
        ({ hostname, service: owner }) => hostname === host && owner !== service,
      );
      const isConflict =
        (isOther && body["override_existing_origin"] !== true) ||
        (account.dnsRecords.has(host) && body["override_existing_dns_record"] !== true);
      if (isConflict) {
        return refuse(refusals.hostTaken(host));
      }
    }
    const others = account.hosts.filter(
      ({ hostname, service: owner }) => owner !== service && !origins.includes(hostname),
    );
    const own = origins.map((hostname) => ({ id: `id-of-${hostname}`, hostname, service }));
    account.hosts.splice(0, account.hosts.length, ...others, ...own);
    origins.forEach((host) => account.dnsRecords.delete(host));
    return ok(c, own.map(toHostAnswer));
  });
  api.get("/zones", (c) => {
    const name = c.req.query("name") ?? "";
    return ok(c, account.zones.has(name) ? [{ id: `zone-${name}`, name }] : []);
  });
  api.get("/zones/:zone", (c) => {
    const name = c.req.param("zone").replace("zone-", "");
    return account.zones.has(name) ? ok(c, { id: c.req.param("zone"), name }) : refuse(refusals.NOT_ALLOWED);
  });
  api.get("/zones/:zone/workers/routes", (c) => ok(c, []));
  addAssetRoutes(api, account, root);
}

/** workers-sdk deploy-helpers `syncAssets`: a session says which files are missing, and they are uploaded in buckets. */
function addAssetRoutes(api: Hono, account: FakeAccount, root: string): void {
  api.post(`${root}/scripts/:worker/assets-upload-session`, async (c) => {
    const worker = c.req.param("worker");
    const manifest = objectAt(await readObject(c), "manifest");
    const hashes = Object.entries(manifest).map(
      ([path, entry]) => [path, textAt(isJsonObject(entry) ? entry : {}, "hash") ?? ""] as const,
    );
    account.assetManifests.set(worker, Object.fromEntries(hashes));
    const missing = [...new Set(hashes.map(([, hash]) => hash))].filter((hash) => !account.assets.has(hash));
    const buckets = Array.from({ length: Math.ceil(missing.length / BUCKET_SIZE) }, (_, index) =>
      missing.slice(index * BUCKET_SIZE, (index + 1) * BUCKET_SIZE),
    );
    return ok(c, { jwt: "assets", buckets });
  });
  api.post(`${root}/assets/upload`, async (c) => {
    const form = await c.req.formData();
    for (const [hash, part] of form) {
      account.assets.set(hash, part instanceof File ? await part.text() : part);
    }
    return ok(c, { jwt: "assets" });
  });
}

function toHostAnswer({ id, hostname, service }: FakeAccount["hosts"][number]) {
  return {
    id,
    hostname,
    service,
    environment: "production",
    zone_id: "zone",
    zone_name: hostname.split(".").slice(-2).join("."),
  };
}
