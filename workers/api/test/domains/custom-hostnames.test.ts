/** Cloudflare's custom hostnames, over a fake of its API. */
import { afterAll, beforeEach, describe, expect, it } from "vitest";
import { findCustomHostnameFault, readCustomHostnameAccess } from "../../src/domains/custom-hostnames.ts";
import { startFakeCloudflare } from "./fake-cloudflare.ts";

const cloudflare = await startFakeCloudflare();
const hostnames = cloudflare.open();
const HOST = "go.example.com";
const { signal } = new AbortController();

afterAll(() => cloudflare.close());
beforeEach(() => {
  cloudflare.hostnames.clear();
  cloudflare.calls.length = 0;
  cloudflare.refuse(null);
});

it("creates a hostname once, validated over HTTP, then says how it is, and has it looked at again", async () => {
  const pending = { hostname: "pending", certificate: "initializing", errors: [] };
  expect(await hostnames.ensure(HOST, signal)).toEqual(pending);
  const made = cloudflare.hostnames.get(HOST);
  expect(made).toMatchObject({ ssl: { method: "http", type: "dv" } });
  Object.assign(made ?? {}, { verification_errors: ["custom hostname does not CNAME to this zone."] });
  Object.assign(made?.ssl ?? {}, {
    status: "pending_validation",
    validation_errors: [{ message: "SERVFAIL" }],
  });
  expect(await hostnames.ensure(HOST, signal)).toEqual({
    hostname: "pending",
    certificate: "pending_validation",
    errors: ["custom hostname does not CNAME to this zone.", "SERVFAIL"],
  });
  const again = expect.stringMatching(/^PATCH /);
  const changes = () => cloudflare.calls.filter((call) => !call.startsWith("GET"));
  expect(changes()).toEqual(["POST /custom_hostnames", again]);
  Object.assign(made?.ssl ?? {}, { status: "active" });
  await hostnames.ensure(HOST, signal);
  expect(changes()).toEqual(["POST /custom_hostnames", again]);
});

it("is not misled by another host that a search finds too", async () => {
  await hostnames.ensure(`www.${HOST}`, signal);
  await hostnames.ensure(HOST, signal);
  expect([...cloudflare.hostnames.keys()]).toEqual([`www.${HOST}`, HOST]);
  await hostnames.remove(HOST, signal);
  expect([...cloudflare.hostnames.keys()]).toEqual([`www.${HOST}`]);
});

it("starts a validation again that has timed out", async () => {
  await hostnames.ensure(HOST, signal);
  Object.assign(cloudflare.hostnames.get(HOST)?.ssl ?? {}, { status: "validation_timed_out" });
  expect(await hostnames.ensure(HOST, signal)).toMatchObject({ certificate: "pending_validation" });
});

it("removes a hostname, and is content where there is none", async () => {
  await hostnames.ensure(HOST, signal);
  await hostnames.remove(HOST, signal);
  await hostnames.remove(HOST, signal);
  expect(cloudflare.hostnames.size).toBe(0);
});

describe("a failure has a name to act on, and no text of Cloudflare's:", () => {
  it.each([
    ["a token that may not", { status: 403, code: 10_000 }, "cloudflare_403_10000"],
    ["too many calls", { status: 429, code: 10_013 }, "cloudflare_429_10013"],
    ["a proxy's page", "page" as const, "cloudflare_502"],
  ])("%s", async (_what, how, name) => {
    cloudflare.refuse(how);
    await expect(hostnames.ensure(HOST, signal)).rejects.toMatchObject({ name, message: name });
    await expect(hostnames.remove(HOST, signal)).rejects.toMatchObject({ name });
  });

  it("a wrong token", async () => {
    await expect(cloudflare.open("other").ensure(HOST, signal)).rejects.toThrow("cloudflare_403_10000");
  });
});

it("half a configuration of custom hostnames switches them off and is a fault, so that either half may come first", () => {
  const none = { CUSTOM_HOSTNAMES_ZONE_ID: "" };
  const zone = { CUSTOM_HOSTNAMES_ZONE_ID: "zone" };
  const token = { CUSTOM_HOSTNAMES_TOKEN: "token" };
  expect([none, zone, { ...none, ...token }].map(readCustomHostnameAccess)).toEqual([null, null, null]);
  expect(readCustomHostnameAccess({ ...zone, ...token })).toEqual({ zoneId: "zone", token: "token" });
  expect([findCustomHostnameFault(true, true), findCustomHostnameFault(false, false)]).toEqual([null, null]);
  expect(findCustomHostnameFault(true, false)).toMatch(/the secret CUSTOM_HOSTNAMES_TOKEN is not$/);
  expect(findCustomHostnameFault(false, true)).toMatch(/CUSTOM_HOSTNAMES_ZONE_ID is not$/);
});
