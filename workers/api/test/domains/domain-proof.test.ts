/** Hosts have to be proved: two workspaces, one of which means harm. DNS is a map. */
import { findLinkRecords } from "@hopline/db/links/find-link-records";
import { domainKeyOf } from "@hopline/core/link/domain-record";
import { describe, expect, it } from "vitest";
import { callApi } from "../call-api.ts";
import { openKeyedStage } from "../keyed-stage.ts";
import { runSqlOf } from "../run-sql-of.ts";

const { stage, key: owner } = await openKeyedStage("links:read", "links:write", "admin");
const neighbour = await stage.addKey(await stage.addWorkspace(), ["links:read", "links:write", "admin"]);

type Domain = {
  readonly id: string;
  readonly host: string;
  readonly status: string;
  readonly proof: {
    readonly record: { readonly name: string; readonly value: string };
    readonly [field: string]: unknown;
  };
};
type Problem = { readonly code: string; readonly errors?: readonly { readonly message: string }[] };

const url = "https://example.net/";
let hosts = 0;
const newHost = () => `go${(hosts += 1)}.example.org`;
const call = <Body = Problem>(key: string, target: string, body?: unknown) =>
  callApi<Body>(stage, target, { key, body });
const claim = async (key: string, host = newHost()) =>
  (await call<Domain>(key, "POST /api/v1/domains", { host })).body;
const read = async (key: string, { id }: Domain) =>
  (await call<Domain>(key, `GET /api/v1/domains/${id}`)).body;
const verify = (key: string, { id }: Domain) =>
  call<Problem & { readonly domain: Domain; readonly seen: string }>(
    key,
    `POST /api/v1/domains/${id}/verify`,
  );
const addRecord = ({ proof: { record } }: Domain) =>
  stage.dns.texts.set(record.name, [...(stage.dns.texts.get(record.name) ?? []), record.value]);
async function prove(key: string, domain: Domain): Promise<Domain> {
  addRecord(domain);
  return (await verify(key, domain)).body.domain;
}

it.each([
  ["missing", { names: [], addresses: [] }],
  ["found", { names: ["origin.hopline.example"], addresses: ["192.0.2.9"] }],
  ["found", { names: [], addresses: ["192.0.2.1"] }],
  ["wrong", { names: ["parked.example.net"], addresses: ["192.0.2.9"] }],
] as const)(
  "a host's verification says where it leads, and whether that is here: %s",
  async (seen, records) => {
    const domain = await claim(owner);
    stage.dns.hosts.set("origin.hopline.example", { names: [], addresses: ["192.0.2.1", "192.0.2.2"] });
    stage.dns.hosts.set(domain.host, records);
    expect((await verify(owner, domain)).body).toMatchObject({
      seen: "missing",
      pointing: {
        target: "origin.hopline.example",
        seen,
        found: [...records.names, ...records.addresses],
      },
    });
  },
);

it("a host that nobody has proved is pending, and says how to prove it", async () => {
  const domain = await claim(owner, "Bücher.Example.org");
  expect(domain).toMatchObject({
    host: "xn--bcher-kva.example.org",
    status: "pending",
    proof: {
      record: {
        type: "TXT",
        name: "_hopline.xn--bcher-kva.example.org",
        value: expect.stringMatching(/^hopline=[0-9a-f]{32}$/),
      },
      by: null,
      provedAt: null,
      seen: null,
      isTaken: false,
    },
  });
});

it("a host that is no registrable name is refused, and says why", async () => {
  const { status, body } = await call(owner, "POST /api/v1/domains", { host: "192.0.2.1" });
  expect([status, body.errors]).toEqual([
    422,
    [{ path: "host", message: "is an IP address: give a host name" }],
  ]);
});

describe("verify answers what it saw:", () => {
  it.each<[string, (name: string) => void, object]>([
    ["nothing", () => undefined, { seen: "missing", texts: [], reason: null }],
    [
      "another text",
      (name) => stage.dns.texts.set(name, ["v=spf1 -all"]),
      { seen: "wrong", texts: ["v=spf1 -all"], reason: null },
    ],
    [
      "a resolver that fails",
      (name) => stage.dns.faults.set(name, { reason: "dns_status", status: 2 }),
      { seen: "unavailable", texts: [], reason: expect.stringContaining("SERVFAIL") },
    ],
  ])("%s", async (_what, arrange, saw) => {
    const domain = await claim(owner);
    arrange(domain.proof.record.name);
    const { status, body } = await verify(owner, domain);
    expect([status, body]).toMatchObject([200, { ...saw, domain: { status: "pending" } }]);
    expect((await read(owner, domain)).proof).toMatchObject({
      seen: body.seen,
      checkedAt: expect.any(String),
    });
  });

  it("the record, which makes the domain active", async () => {
    const domain = await claim(owner);
    expect(await prove(owner, domain)).toMatchObject({
      status: "active",
      proof: { by: "dns", provedAt: expect.any(String), seen: "found" },
    });
    expect((await call(owner, "POST /api/v1/links", { url, domain: domain.host })).status).toBe(201);
  });
});

describe("a pending host", () => {
  it("takes no links, however they come, and names the record that it lacks", async () => {
    const { host, proof } = await claim(owner);
    const message = expect.stringContaining(`${proof.record.name} with the value ${proof.record.value}`);
    const link = { url, domain: host };
    const refused = { code: "domain_pending", errors: [{ path: "domain", message }] };
    expect((await call(owner, "POST /api/v1/links", link)).body).toMatchObject(refused);
    expect(
      (await call(owner, "POST /api/v1/links/upsert", { ...link, externalId: host })).body,
    ).toMatchObject(refused);
    const bulk = await call<{ results: unknown }>(owner, "POST /api/v1/links/bulk", { items: [link] });
    expect(bulk.body.results).toMatchObject([refused]);
    const imported = await call<{ refusals: unknown }>(owner, "POST /api/v1/links/import", [link]);
    expect(imported.body.refusals).toMatchObject([refused]);
  });

  it("takes no settings, and resolves nothing", async () => {
    const domain = await claim(owner);
    const change = await call(owner, `PATCH /api/v1/domains/${domain.id}`, { rootUrl: url });
    expect([change.status, change.body.code]).toEqual([409, "domain_pending"]);
    const root = domainKeyOf(domain.host);
    const runSql = runSqlOf(stage.client);
    expect([...(await findLinkRecords(runSql, [root], 1_000))]).toEqual([]);
    expect(stage.edge.inKv.has(root)).toBe(false);
    await prove(owner, domain);
    expect((await findLinkRecords(runSql, [root], 1_000)).has(root)).toBe(true);
  });

  it("is not the domain of a link that names none", async () => {
    const workspace = await stage.addWorkspace();
    const key = await stage.addKey(workspace, ["admin", "links:read", "links:write"]);
    await claim(key);
    await stage.client.query("UPDATE domains SET created_at = now() WHERE id = $1", [workspace.domainId]);
    const link = await call<{ domain: string }>(key, "POST /api/v1/links", { url });
    expect([link.status, link.body.domain]).toEqual([201, workspace.host]);
  });

  it("is no loop: a claim does not stop other workspaces from linking there", async () => {
    const domain = await claim(neighbour);
    const destination = `https://${domain.host}/`;
    const link = await call<{ id: string }>(owner, "POST /api/v1/links", { url: destination });
    expect(link.status).toBe(201);
    const change = { url: destination, expiredUrl: destination };
    expect((await call(owner, `PATCH /api/v1/links/${link.body.id}`, change)).status).toBe(200);
    await prove(neighbour, domain);
    expect((await call(owner, "POST /api/v1/links", { url: destination })).body.code).toBe("invalid");
    expect((await call(owner, `PATCH /api/v1/links/${link.body.id}`, change)).status).toBe(422);
  });

  it("is in nobody's way: the owner adds the host, proves it, and the other one is told", async () => {
    const squatted = await claim(neighbour);
    const owned = await claim(owner, squatted.host);
    expect(owned).toMatchObject({ status: "pending", proof: { isTaken: false } });
    expect((await verify(neighbour, squatted)).body).toMatchObject({ seen: "missing" });
    expect(await prove(owner, owned)).toMatchObject({ status: "active" });
    expect(await read(neighbour, squatted)).toMatchObject({ status: "pending", proof: { isTaken: true } });
    // Even with a record of its own, which the owner might have added by mistake.
    addRecord(squatted);
    const late = await verify(neighbour, squatted);
    expect([late.status, late.body.code]).toEqual([409, "domain_taken"]);
    expect(await read(neighbour, squatted)).toMatchObject({ status: "pending", proof: { seen: "found" } });
    expect((await call(neighbour, `DELETE /api/v1/domains/${squatted.id}`)).status).toBe(204);
    expect(await read(owner, owned)).toMatchObject({ status: "active" });
  });

  it("is claimed once in a workspace, and not at all while another one has proved it", async () => {
    const domain = await claim(owner);
    expect((await call(owner, "POST /api/v1/domains", { host: domain.host })).body.code).toBe("domain_taken");
    await prove(owner, domain);
    const { status, body } = await call(neighbour, "POST /api/v1/domains", { host: domain.host });
    expect([status, body.code]).toEqual([409, "domain_taken"]);
  });
});

it("of two workspaces that verify at the same moment, one gets the host", async () => {
  const host = newHost();
  const claims = [await claim(owner, host), await claim(neighbour, host)] as const;
  claims.forEach(addRecord);
  const answers = await Promise.all([verify(owner, claims[0]), verify(neighbour, claims[1])]);
  expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 409]);
});

it("two verifications of one domain at the same moment both succeed", async () => {
  const domain = await claim(owner);
  addRecord(domain);
  const answers = await Promise.all([verify(owner, domain), verify(owner, domain)]);
  expect(answers.map(({ status, body }) => [status, body.domain.status])).toEqual([
    [200, "active"],
    [200, "active"],
  ]);
});

it("a record that was left behind proves nothing for the next one who adds the host", async () => {
  const first = await claim(owner);
  await prove(owner, first);
  expect((await call(owner, `DELETE /api/v1/domains/${first.id}`)).status).toBe(204);
  await stage.client.query("UPDATE domains SET released_at = now() WHERE deleted_at IS NOT NULL");
  const next = await claim(neighbour, first.host);
  expect((await verify(neighbour, next)).body).toMatchObject({
    seen: "wrong",
    domain: { status: "pending" },
  });
});

it("a workspace does not see or verify another one's claim", async () => {
  const domain = await claim(owner);
  expect((await verify(neighbour, domain)).status).toBe(404);
});

describe("a short host with a dot at its end is the same host:", () => {
  it.each([
    ["as the destination", (destination: string) => ({ url: destination })],
    ["in a rule", (to: string) => ({ url, rules: [{ id: "r", when: { os: ["iOS"] }, to: { url: to } }] })],
  ])("%s, it is a loop", async (_where, toLink) => {
    const { host } = await prove(owner, await claim(owner));
    for (const end of ["", ".", ".:443"]) {
      const { status, body } = await call(neighbour, "POST /api/v1/links", toLink(`https://${host}${end}/x`));
      expect([end, status, body.code]).toEqual([end, 422, "invalid"]);
    }
  });
});

it("ignoresCase on another workspace's domain is a 404, whatever slugs it has", async () => {
  const { id, host } = await prove(owner, await claim(owner));
  await call(owner, "POST /api/v1/links", { url, domain: host, slug: "Mixed" });
  const change = await call(neighbour, `PATCH /api/v1/domains/${id}`, { ignoresCase: true });
  expect(change.status).toBe(404);
  expect((await call(owner, `PATCH /api/v1/domains/${id}`, { ignoresCase: true })).status).toBe(422);
});
