/** An account ends with all that is its own, and never leaves a workspace without an owner. What has expired goes by itself. */
import { afterAll, describe, expect, it } from "vitest";
import { expiredHandler } from "../../src/people/remove-expired.ts";
import { openStage } from "../stage.ts";
import { openBrowser } from "./browser.ts";
import { linkIn } from "./people-stage.ts";

const stage = await openStage();
afterAll(() => stage.close());

function browse(cookie: string) {
  const browser = openBrowser(stage.app);
  const at = cookie.indexOf("=");
  browser.cookies.set(cookie.slice(0, at), cookie.slice(at + 1));
  return browser;
}

const countOf = async (table: string, personId: string) => {
  const column = table === "people" ? "id" : "person_id";
  const { rows } = await stage.client.query(`SELECT FROM ${table} WHERE ${column} = $1`, [personId]);
  return rows.length;
};

describe("deleting one's own account", () => {
  it("removes its sessions, memberships and ways to sign in, and signs out", async () => {
    const workspace = await stage.addWorkspace();
    await stage.addPerson(workspace, "owner");
    const { personId, cookie } = await stage.addPerson(workspace, "owner");
    const browser = browse(cookie);
    expect((await browser.call("DELETE /api/v1/me")).status).toBe(204);
    expect(browser.cookies.size).toBe(0);
    for (const table of ["people", "sessions", "members", "accounts"]) {
      expect([table, await countOf(table, personId)]).toEqual([table, 0]);
    }
    expect((await browse(cookie).call("GET /api/v1/me")).status).toBe(401);
  });

  it("is refused to the only owner of workspaces, by their names, and changes nothing", async () => {
    const workspace = await stage.addWorkspace();
    await stage.addPerson(workspace, "admin");
    const { personId, cookie } = await stage.addPerson(workspace, "owner");
    const { rows } = await stage.client.query<{ name: string }>("SELECT name FROM workspaces WHERE id = $1", [
      workspace.id,
    ]);
    expect(await browse(cookie).call("DELETE /api/v1/me")).toMatchObject({
      status: 409,
      body: { code: "sole_owner", errors: [{ message: `"${rows[0]?.name}" has no other owner` }] },
    });
    expect([await countOf("people", personId), await countOf("sessions", personId)]).toEqual([1, 1]);
    await stage.client.query("UPDATE workspaces SET deleted_at = now() WHERE id = $1", [workspace.id]);
    expect((await browse(cookie).call("DELETE /api/v1/me")).status).toBe(204);
  });

  it("two owners who go at once: one of them stays", async () => {
    const workspace = await stage.addWorkspace();
    const owners = [await stage.addPerson(workspace, "owner"), await stage.addPerson(workspace, "owner")];
    const answers = await Promise.all(owners.map(({ cookie }) => browse(cookie).call("DELETE /api/v1/me")));
    expect(answers.map(({ status }) => status).toSorted()).toEqual([204, 409]);
  });

  it("takes a session that has just begun", async () => {
    const { cookie, sessionId } = await stage.addPerson(null, "viewer");
    await stage.client.query("UPDATE sessions SET created_at = now() - interval '11 minutes' WHERE id = $1", [
      sessionId,
    ]);
    expect((await browse(cookie).call("DELETE /api/v1/me")).body["code"]).toBe("sign_in_again");
  });

  it("an email that is on its way makes no new account of it", async () => {
    const { cookie, email } = await stage.addPerson(null, "viewer");
    await openBrowser(stage.app).call("POST /api/auth/link", { email });
    const link = linkIn((await stage.people.settledEmails()).at(-1) ?? { to: "", subject: "", text: "" });
    expect((await browse(cookie).call("DELETE /api/v1/me")).status).toBe(204);
    expect((await openBrowser(stage.app).submit(link, {})).status).toBe(401);
    const { rows } = await stage.client.query("SELECT FROM people WHERE email = $1", [email]);
    expect(rows).toEqual([]);
  });
});

it("sessions and tokens that have expired are removed, so many at once, and no others", async () => {
  const people = await Promise.all([1, 2, 3].map(() => stage.addPerson(null, "viewer")));
  const ended = people.slice(0, 2).map(({ sessionId }) => sessionId);
  await stage.client.query("UPDATE sessions SET expires_at = now() - interval '1 hour' WHERE id = ANY ($1)", [
    ended,
  ]);
  const handler = expiredHandler(stage.database, 1);
  const run = () =>
    handler.run({ kind: "", key: "", payload: {}, revision: 1, attempts: 1 }, new AbortController().signal);
  expect([await run(), await run(), await run()]).toEqual([
    { againInSeconds: 0 },
    { againInSeconds: 0 },
    { againInSeconds: 3_600 },
  ]);
  const { rows } = await stage.client.query("SELECT id FROM sessions WHERE id = ANY ($1)", [
    people.map(({ sessionId }) => sessionId),
  ]);
  expect(rows).toEqual([{ id: people[2]?.sessionId }]);
});
