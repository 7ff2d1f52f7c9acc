/** The first day of a deployment, as its people see it: set-up link, emails, roles, sessions. */
import { createHash } from "node:crypto";
import { afterAll, expect, it } from "vitest";
import { openStage } from "../stage.ts";
import { openBrowser } from "./browser.ts";

const stage = await openStage();
afterAll(() => stage.close());

const TOKEN = "set-up-token-of-this-test";
await stage.client.query(
  "INSERT INTO verifications (id, identifier, value, expires_at) VALUES (gen_random_uuid(), $1, '', now() + interval '1 day')",
  [`set-up:${createHash("sha256").update(TOKEN).digest("hex")}`],
);
const older = await stage.addWorkspace();

const [ada, grace, joan] = [openBrowser(stage.app), openBrowser(stage.app), openBrowser(stage.app)];
const adasWorkspace = `ws_${older.id.replaceAll("-", "")}`;

it("who opens the set-up link becomes owner of what is there, once", async () => {
  const link = `/set-up?token=${TOKEN}`;
  const person = { email: "Ada@Example.com", name: "Ada", password: "correct horse battery" };
  // The length alone would let it pass.
  const weak = await ada.follow(link, { ...person, password: "password12" });
  expect(weak).toMatchObject({
    status: 422,
    body: { errors: [{ path: "password", message: expect.stringContaining("most common passwords") }] },
  });
  const done = await ada.follow(link, person);
  expect(done.status).toBe(200);
  const cookie = done.headers.getSetCookie().join();
  expect(cookie).toMatch(/^hopline_session=[^;]+; Max-Age=2592000; Path=\/; HttpOnly; SameSite=Lax$/);
  expect((await ada.call("GET /api/v1/me")).body).toMatchObject({
    email: "ada@example.com",
    name: "Ada",
    hasPassword: true,
  });
  expect((await ada.call("GET /api/v1/workspaces")).body["data"]).toMatchObject([
    { id: adasWorkspace, role: "owner" },
  ]);
  const again = await joan.follow(link, { ...person, email: "joan@example.com" });
  expect(again).toMatchObject({ status: 409, body: { code: "already_set_up" } });
});

it("an editor and a viewer are invited by email, and get what their roles allow", async () => {
  const invite = (email: string, role: string) =>
    ada.call(`POST /api/v1/workspaces/${adasWorkspace}/invitations`, { email, role });
  expect((await invite("grace@example.com", "editor")).status).toBe(201);
  const toGrace = await stage.people.lastLink();
  expect(toGrace).toMatch(/^http:\/\/localhost\/invitation\?token=inv_/);
  expect((await invite("joan@example.com", "viewer")).status).toBe(201);
  const toJoan = await stage.people.lastLink();

  // A GET uses nothing up, whatever a mail scanner opens.
  expect((await joan.open(`/api/auth/invitation${new URL(toGrace).search}`)).status).toBe(405);
  const accepted = await grace.follow(toGrace, { name: "Grace", password: "another good password" });
  expect(accepted.status).toBe(200);
  expect((await joan.follow(toJoan)).status).toBe(200);
  expect((await joan.follow(toJoan)).status).toBe(401);

  grace.enter(adasWorkspace);
  joan.enter(adasWorkspace);
  const link = { url: "https://example.com/" };
  expect((await grace.call("POST /api/v1/links", link)).status).toBe(201);
  expect(await joan.call("POST /api/v1/links", link)).toMatchObject({
    status: 403,
    body: { code: "scope_missing" },
  });
  expect((await joan.call("GET /api/v1/links")).body["data"]).toHaveLength(1);
  expect((await grace.call("GET /api/v1/keys")).body["code"]).toBe("scope_missing");
});

it("signs in by password and by a link from an email, and out", async () => {
  expect((await grace.call("POST /api/auth/sign-out")).status).toBe(204);
  expect((await grace.call("GET /api/v1/me")).status).toBe(401);
  const signedIn = await grace.call("POST /api/auth/sign-in", {
    email: "grace@example.com",
    password: "another good password",
  });
  const its = await grace.call(`GET /api/v1/workspaces/${adasWorkspace}`);
  expect([signedIn.status, its.body["role"]]).toEqual([200, "editor"]);

  const elsewhere = openBrowser(stage.app);
  expect((await elsewhere.call("POST /api/auth/link", { email: "joan@example.com" })).status).toBe(202);
  const email = await stage.people.lastLink();
  expect((await elsewhere.open(`/api/auth/link/open${new URL(email).search}`)).status).toBe(405);
  expect((await elsewhere.follow(email)).status).toBe(200);
  expect((await elsewhere.call("GET /api/v1/me")).body).toMatchObject({
    email: "joan@example.com",
    hasPassword: false,
  });
  expect((await elsewhere.follow(email)).status).toBe(401);
});

it("lists sessions and ends them", async () => {
  const other = openBrowser(stage.app);
  await other.call("POST /api/auth/sign-in", { email: "ada@example.com", password: "correct horse battery" });
  const list = (await ada.call("GET /api/v1/sessions")).body["data"] as readonly {
    id: string;
    isCurrent: boolean;
  }[];
  expect(list.map(({ isCurrent }) => isCurrent)).toEqual([false, true]);
  const [its] = list;
  expect((await grace.call(`DELETE /api/v1/sessions/${its?.id}`)).status).toBe(404);
  expect((await ada.call(`DELETE /api/v1/sessions/${its?.id}`)).status).toBe(204);
  expect(await other.call("GET /api/v1/me")).toMatchObject({ status: 401, body: { code: "key_invalid" } });
});

it("creates, enters, leaves and deletes workspaces", async () => {
  const made = await ada.call("POST /api/v1/workspaces", { name: "Second" });
  expect(made).toMatchObject({ status: 201, body: { name: "Second", role: "owner" } });
  const second = String(made.body["id"]);
  ada.enter(second);
  expect((await ada.call("GET /api/v1/links")).body["data"]).toEqual([]);
  expect((await ada.call("GET /api/v1/workspaces")).body["data"]).toHaveLength(2);
  ada.enter(adasWorkspace);
  expect((await ada.call("GET /api/v1/links")).body["data"]).toHaveLength(1);
  joan.enter(second);
  expect((await joan.call(`GET /api/v1/workspaces/${second}`)).status).toBe(404);
  ada.enter(second);
  expect(await ada.call(`POST /api/v1/workspaces/${second}/leave`)).toMatchObject({
    status: 409,
    body: { code: "last_owner" },
  });
  expect((await ada.call(`DELETE /api/v1/workspaces/${second}?name=Second`)).status).toBe(204);
  joan.enter(adasWorkspace);
  expect((await joan.call(`POST /api/v1/workspaces/${adasWorkspace}/leave`)).status).toBe(204);
  expect(await joan.call("GET /api/v1/links")).toMatchObject({
    status: 404,
    body: { code: "workspace_not_found" },
  });
  expect((await joan.call("GET /api/v1/workspaces")).body["data"]).toEqual([]);
});
