/**
 * What a stranger can learn or do without an account: nothing, and not often; whatever is sent in a field. And what a
 * stranger's page can do: nothing.
 */
import { createHash } from "node:crypto";
import { afterAll, describe, expect, it } from "vitest";
import { countDeadlocks } from "../../../../packages/db/test/lock-waits.ts";
import { toPublicId } from "../../src/http/entity-id.ts";
import { toInvitationToken } from "../../src/people/invitation-token.ts";
import { listDocumentedOperations, sendOperation } from "../http/every-operation.ts";
import { openStage } from "../stage.ts";
import { openBrowser } from "./browser.ts";
import { APP_ORIGIN } from "./people-stage.ts";

const stage = await openStage();
afterAll(() => stage.close());
const workspace = await stage.addWorkspace();
const workspaceId = toPublicId("ws", workspace.id);
const { email, cookie, personId, token } = await stage.addPerson(workspace, "owner");
const PASSWORD = "correct horse battery";
await stage.client.query(
  "INSERT INTO accounts (id, person_id, provider_id, account_id, password) VALUES (gen_random_uuid(), $1::uuid, 'credential', ($1::uuid)::text, $2)",
  [personId, await stage.people.deps.passwords.hash(PASSWORD)],
);
const withoutPassword = await stage.addPerson(null, "viewer");

let networks = 0;
const openAnother = () => openBrowser(stage.app, { address: `198.51.${(networks += 1)}.1` });

async function askForLink(browser: ReturnType<typeof openAnother>, to: string): Promise<string> {
  expect(await browser.call("POST /api/auth/link", { email: to })).toMatchObject({ status: 202 });
  return stage.people.lastLink(to);
}

describe("nobody learns whether an account exists:", () => {
  it("a wrong password, an unknown address and one without a password get one answer for one hash", async () => {
    const answers = [];
    for (const address of [email, "nobody@example.com", withoutPassword.email]) {
      const before = stage.people.counts.hashed;
      const answer = await openAnother().call("POST /api/auth/sign-in", {
        email: address,
        password: "wrong",
      });
      answers.push([
        answer.status,
        answer.text.replace(/"requestId":"[^"]+"/, ""),
        answer.headers.has("set-cookie"),
        stage.people.counts.hashed - before,
      ]);
    }
    expect(answers[0]).toEqual([401, expect.stringContaining("sign_in_failed"), false, 1]);
    expect(new Set(answers.map((answer) => JSON.stringify(answer))).size).toBe(1);
  });

  it("asking for a link gets one answer, after as many statements; only who may sign in gets an email", async () => {
    const { deps, sendEmails, emails } = stage.openPeople();
    const app = stage.appWith({}, { people: { ...deps, sendWaitingEmails: () => undefined } });
    const answers = [];
    for (const address of [email, "stranger@example.com"]) {
      let statements = 0;
      stage.endpoint.setFault((request) => {
        statements += request.statements.length;
        return null;
      });
      const answer = await openBrowser(app).call("POST /api/auth/link", { email: address });
      stage.endpoint.setFault(null);
      answers.push([answer.status, answer.text, [...answer.headers.keys()].join(), statements]);
    }
    expect(answers).toEqual([answers[0], [202, "", expect.any(String), 6]]);
    await sendEmails();
    const links = emails.filter(({ subject }) => subject.startsWith("Your link"));
    expect(links.map(({ to }) => to)).toEqual([email]);
  });

  it("the log says nothing of it, nor any address", () => {
    expect(JSON.stringify(stage.log)).not.toMatch(/example\.com|198\.51/);
  });
});

describe("guessing is limited", () => {
  const tryPassword = async (address: string, password = "x", from = openAnother()) =>
    (await from.call("POST /api/auth/sign-in", { email: address, password })).status;

  it("by account, from however many networks; beyond that each network has one try a minute", async () => {
    const statuses = [];
    for (let tried = 0; tried < 10; tried += 1) {
      statuses.push(await tryPassword("often@example.com"));
    }
    const one = openAnother();
    statuses.push(await tryPassword("often@example.com", "x", one));
    expect(new Set(statuses)).toEqual(new Set([401]));
    const before = stage.people.counts.hashed;
    const refused = await one.call("POST /api/auth/sign-in", { email: "often@example.com", password: "x" });
    expect([refused.status, stage.people.counts.hashed]).toEqual([429, before]);
    const seconds = Number(refused.headers.get("retry-after"));
    expect([seconds >= 1, seconds <= 60]).toEqual([true, true]);
    // Passwords and emails are counted apart.
    expect((await one.call("POST /api/auth/link", { email: "often@example.com" })).status).toBe(202);
  });

  it("to a hundred a day; a stranger who uses them up shuts out nobody who signed in from there before", async () => {
    const known = await stage.addPerson(null, "viewer");
    await stage.client.query(
      "INSERT INTO accounts (id, person_id, provider_id, account_id, password) VALUES (gen_random_uuid(), $1::uuid, 'credential', ($1::uuid)::text, $2)",
      [known.personId, await stage.people.deps.passwords.hash(PASSWORD)],
    );
    const home = openAnother();
    // However often: what is right does not count.
    for (let signedIn = 0; signedIn < 12; signedIn += 1) {
      expect(await tryPassword(known.email, PASSWORD, home)).toBe(200);
    }
    const stranger = openAnother();
    await stage.client.query("DELETE FROM credential_attempts");
    const guesses = [];
    for (let tried = 0; tried < 10; tried += 1) {
      guesses.push(await tryPassword(known.email));
    }
    await stage.client.query("UPDATE credential_attempts SET attempts = 99 WHERE attempts = 10");
    guesses.push(await tryPassword(known.email));
    expect(new Set(guesses)).toEqual(new Set([401]));
    const refused = await stranger.call("POST /api/auth/sign-in", { email: known.email, password: PASSWORD });
    expect([refused.status, Number(refused.headers.get("retry-after")) > 3_600]).toEqual([429, true]);
    expect(await tryPassword(known.email, PASSWORD, home)).toBe(200);
    // A link by email works from anywhere, and makes that network known.
    expect((await stranger.follow(await askForLink(stranger, known.email))).status).toBe(200);
    expect(await tryPassword(known.email, PASSWORD, stranger)).toBe(200);
  });

  it("and twenty people of one network who sign in at the same moment all do", async () => {
    const hash = await stage.people.deps.passwords.hash(PASSWORD);
    const people = await Array.fromAsync({ length: 20 }, async () => {
      const person = await stage.addPerson(null, "viewer");
      await stage.client.query(
        "INSERT INTO accounts (id, person_id, provider_id, account_id, password) VALUES (gen_random_uuid(), $1::uuid, 'credential', ($1::uuid)::text, $2)",
        [person.personId, hash],
      );
      return person;
    });
    const office = openAnother();
    // The first time their counts are made, and the second changed.
    for (const _time of [1, 2]) {
      const statuses = await Promise.all(people.map((person) => tryPassword(person.email, PASSWORD, office)));
      expect(new Set(statuses)).toEqual(new Set([200]));
    }
    expect(await countDeadlocks(stage.client)).toBe(0);
  });

  it("a hundred tries at once get no more than ten answers and one for each network", async () => {
    const one = openAnother();
    const statuses = await Promise.all(
      Array.from({ length: 40 }, () => tryPassword("parallel@example.com", "x", one)),
    );
    expect(statuses.filter((status) => status === 401)).toHaveLength(11);
  });

  it("by network, whatever accounts are tried at the same moment", async () => {
    const one = openAnother();
    await stage.client.query("DELETE FROM credential_attempts");
    expect(await tryPassword("first@example.com", "x", one)).toBe(401);
    // Two minutes ago: what counts by the minute begins again.
    await stage.client.query(
      "UPDATE credential_attempts SET attempts = 295, window_started_at = now() - interval '2 minutes'",
    );
    const statuses = await Promise.all(
      Array.from({ length: 20 }, (_, name) => tryPassword(`many-${name}@example.com`, "x", one)),
    );
    expect(statuses.filter((status) => status === 401)).toHaveLength(5);
  });

  it("by network, for whatever accounts, before a body is judged", async () => {
    const one = openAnother();
    const open = async (token: unknown) => (await one.call("POST /api/auth/link/open", { token })).status;
    await stage.client.query("DELETE FROM credential_attempts");
    expect([await open("guess"), await open(7)]).toEqual([401, 422]);
    // Only its requests are two: of the tokens one is a guess.
    const counted = await stage.client.query(
      "UPDATE credential_attempts SET attempts = 118 WHERE attempts = 2",
    );
    expect(counted.rowCount).toBe(1);
    expect([await open("guess"), await open(7), await open("guess")]).toEqual([401, 422, 429]);
  });

  it("by network for tokens of emails, by the hour and the day; beyond that one try a minute", async () => {
    const one = openAnother();
    const open = (token: string) => one.call("POST /api/auth/link/open", { token });
    await stage.client.query("DELETE FROM credential_attempts");
    expect((await open("guess")).status).toBe(401);
    // Two minutes ago: what counts by the minute begins again.
    await stage.client.query(
      "UPDATE credential_attempts SET attempts = 300, window_started_at = now() - interval '2 minutes'",
    );
    expect([(await open("guess")).status, (await open("guess")).status]).toEqual([401, 429]);
    const invitation = await one.call("POST /api/auth/invitation", { token: "guess" });
    expect([invitation.status, Number(invitation.headers.get("retry-after")) <= 60]).toEqual([429, true]);
  });

  it("of a session that is open, by session: a stranger's tries are not in its way", async () => {
    const person = await stage.addPerson(null, "viewer");
    const { deps } = stage.people;
    await stage.client.query(
      "INSERT INTO accounts (id, person_id, provider_id, account_id, password) VALUES (gen_random_uuid(), $1::uuid, 'credential', ($1::uuid)::text, $2)",
      [person.personId, await deps.passwords.hash(PASSWORD)],
    );
    await stage.client.query("UPDATE sessions SET created_at = now() - interval '1 hour' WHERE id = $1", [
      person.sessionId,
    ]);
    const browser = openAnother();
    for (let tried = 0; tried < 11; tried += 1) {
      await tryPassword(person.email, "x", browser);
    }
    const at = person.cookie.indexOf("=");
    browser.cookies.set(person.cookie.slice(0, at), person.cookie.slice(at + 1));
    const change = { newPassword: "a whole new password", currentPassword: PASSWORD };
    expect((await browser.call("PUT /api/v1/me/password", change)).status).toBe(204);
  });

  it("by the hour too, so that nobody has us fill a mailbox", async () => {
    const one = openAnother();
    const ask = async () => (await one.call("POST /api/auth/link", { email: "full@example.com" })).status;
    const pass = (what: string) =>
      stage.client.query(
        "UPDATE credential_attempts SET window_started_at = window_started_at - $1::interval",
        [what],
      );
    const statuses = [];
    for (let asked = 0; asked < 21; asked += 1) {
      statuses.push(await ask());
      await pass("61 seconds");
    }
    statuses.push(await ask(), await ask());
    expect(statuses).toEqual([...Array.from({ length: 22 }, () => 202), 429]);
    await pass("61 minutes");
    expect(await ask()).toBe(202);
  });

  it("and nothing that is kept for it names an address", async () => {
    const { rows } = await stage.client.query(
      "SELECT credential_attempts::text AS kept FROM credential_attempts UNION ALL SELECT known_networks::text FROM known_networks",
    );
    expect(rows.length).toBeGreaterThan(0);
    expect(JSON.stringify(rows)).not.toMatch(/example|198\.51/);
  });
});

describe("a strange page", () => {
  const strange = "https://strange.example";

  it("can neither sign a visitor in nor out", async () => {
    const visitor = openBrowser(stage.app, { origin: strange });
    const body = { email, password: PASSWORD };
    expect(await visitor.call("POST /api/auth/sign-in", body)).toMatchObject({
      status: 403,
      body: { code: "origin_refused" },
    });
    expect(await visitor.call("POST /api/auth/sign-out")).toMatchObject({ status: 403 });
    expect(visitor.cookies.size).toBe(0);
  });

  it.each([
    ["of another origin", { origin: strange }],
    ["that hides its origin", {}],
    ["in a frame", { origin: "null" }],
  ])("%s changes nothing with a visitor's session", async (_what, headers) => {
    for (const [method, path] of [
      ["POST", "/api/v1/workspaces"],
      ["PATCH", `/api/v1/workspaces/${workspaceId}`],
      ["DELETE", "/api/v1/sessions"],
      ["POST", "/api/v1/links"],
    ] as const) {
      const answer = await stage.app.request(path, {
        method,
        headers: { cookie, "content-type": "application/json", ...headers },
        ...(method === "DELETE" ? {} : { body: "{}" }),
      });
      expect([path, answer.status]).toEqual([path, 401]);
    }
  });

  it("is never allowed to read with credentials, even where it may call with a key", async () => {
    const app = stage.appWith({ corsOrigins: [strange] });
    const answer = await app.request("/api/v1/me", { headers: { cookie, origin: strange } });
    expect(answer.headers.get("access-control-allow-credentials")).toBeNull();
  });
});

describe("a session counts", () => {
  it("only at APP_ORIGIN: elsewhere its routes do not exist", async () => {
    for (const path of ["/api/v1/me", "/api/v1/sessions", "/api/auth/options"]) {
      const answer = await stage.app.request(`https://${workspace.host}${path}`, { headers: { cookie } });
      expect([path, answer.status]).toEqual([path, 404]);
    }
    const links = await stage.app.request(`https://${workspace.host}/api/v1/links`, { headers: { cookie } });
    expect(links.status).toBe(401);
  });

  it("only with the signature of the deployment: the table's token alone opens nothing", async () => {
    const forged = [
      token,
      `${token}.${createHash("sha256").update(token).digest("base64")}`,
      stage
        .openPeople({ secrets: ["a secret of somebody else, 32 characters"] })
        .toCookie(token)
        .replace(/^[^=]+=/, ""),
      "%",
    ];
    for (const value of forged) {
      const answer = await stage.app.request("/api/v1/me", {
        headers: { cookie: `hopline_session=${value}` },
      });
      expect(answer.status).toBe(401);
    }
    expect((await stage.app.request("/api/v1/me", { headers: { cookie } })).status).toBe(200);
  });

  it("also under the former secret while it is rotated", async () => {
    const newer = "a newer secret of the tests, 32 characters";
    const { deps } = stage.openPeople({ secrets: [newer, ...stage.people.deps.settings.secrets] });
    const app = stage.appWith({}, { people: deps });
    expect((await app.request("/api/v1/me", { headers: { cookie } })).status).toBe(200);
  });

  it("under a token of our own: one that a stranger has planted is not taken over by signing in", async () => {
    const planted = await stage.addPerson(null, "viewer");
    const browser = openAnother();
    const at = planted.cookie.indexOf("=");
    browser.cookies.set(planted.cookie.slice(0, at), planted.cookie.slice(at + 1));
    await browser.call("POST /api/auth/sign-in", { email, password: PASSWORD });
    expect((await browser.call("GET /api/v1/me")).body["email"]).toBe(email);
    const theirs = await stage.app.request("/api/v1/me", { headers: { cookie: planted.cookie } });
    expect(await theirs.json()).toMatchObject({ email: planted.email });
  });

  it("only until it ends", async () => {
    const person = await stage.addPerson(workspace, "viewer");
    await stage.client.query("UPDATE sessions SET expires_at = now() WHERE id = $1", [person.sessionId]);
    expect((await stage.app.request("/api/v1/me", { headers: { cookie: person.cookie } })).status).toBe(401);
  });

  it("over https in a cookie that is bound to its host, unreadable for scripts", async () => {
    const { deps } = stage.openPeople({ appOrigin: "https://app.example.com" });
    const app = stage.appWith({}, { people: deps });
    const answer = await app.request("https://app.example.com/api/auth/sign-in", {
      method: "POST",
      headers: { origin: "https://app.example.com", "content-type": "application/json" },
      body: JSON.stringify({ email, password: PASSWORD }),
    });
    expect([answer.status, answer.headers.get("cache-control")]).toEqual([200, "no-store"]);
    const [set = ""] = answer.headers.getSetCookie();
    expect(set).toMatch(
      /^__Host-hopline_session=[^;]+; Max-Age=2592000; Path=\/; HttpOnly; Secure; SameSite=Lax$/,
    );
    const me = await app.request("https://app.example.com/api/v1/me", {
      headers: { cookie: set.split(";")[0] ?? "" },
    });
    expect(me.status).toBe(200);
  });
});

describe("an invitation", async () => {
  const owner = await stage.addPerson(workspace, "owner");
  const invite = async (change: string, to = `${crypto.randomUUID()}@example.com`, by = owner.personId) => {
    const { rows } = await stage.client.query<{ id: string }>(
      `INSERT INTO invitations (id, workspace_id, email, role, inviter_id, expires_at, status)
       VALUES (gen_random_uuid(), $1, $2, 'editor', $3, ${change}) RETURNING id`,
      [workspace.id, to, by],
    );
    return toInvitationToken(rows[0]?.id ?? "", stage.people.deps.settings.secrets[0]);
  };
  const accept = (invitation: string, more = {}) =>
    openAnother().call("POST /api/auth/invitation", { token: invitation, ...more });
  const readDetails = (invitation: string, by = openAnother()) =>
    by.call("POST /api/auth/invitation/details", { token: invitation });

  it("names its inviter, workspace and role to who holds its token, no address, and is not used up by that", async () => {
    const invited = await stage.addPerson(await stage.addWorkspace(), "viewer");
    const [toNew, toKnown] = [
      await invite("now() + interval '1 day', 'pending'"),
      await invite("now() + interval '1 day', 'pending'", invited.email),
    ];
    const details = { workspaceName: expect.any(String), inviterName: expect.any(String), role: "editor" };
    const { rows } = await stage.client.query(
      `SELECT workspaces.name AS "workspaceName", people.name AS "inviterName" FROM workspaces, people
       WHERE workspaces.id = $1 AND people.id = $2`,
      [workspace.id, owner.personId],
    );
    const found = await readDetails(toNew);
    expect(found).toMatchObject({ status: 200, body: { ...details, ...rows[0], account: "none" } });
    expect(JSON.stringify(found.body)).not.toContain("@");
    expect((await readDetails(toKnown)).body["account"]).toBe("signed-out");
    const browser = openAnother();
    await browser.follow(await askForLink(browser, invited.email));
    expect((await readDetails(toKnown, browser)).body["account"]).toBe("signed-in");
    for (const wrong of [`${toNew}x`, await invite("now(), 'pending'")]) {
      expect(await readDetails(wrong)).toMatchObject({ status: 401, body: { code: "token_invalid" } });
    }
    expect((await accept(toNew)).status).toBe(200);
  });

  it.each([
    ["has expired", "now(), 'pending'"],
    ["was withdrawn", "now() + interval '1 day', 'canceled'"],
    ["was accepted", "now() + interval '1 day', 'accepted'"],
  ])("that %s opens nothing", async (_what, change) => {
    expect(await accept(await invite(change))).toMatchObject({
      status: 401,
      body: { code: "token_invalid" },
    });
  });

  it.each([
    ["was removed", "DELETE FROM members WHERE id = $1"],
    ["may invite nobody any more", "UPDATE members SET role = 'editor' WHERE id = $1"],
    [
      "has no account any more",
      "DELETE FROM people WHERE id = (SELECT person_id FROM members WHERE id = $1)",
    ],
  ])("from somebody who %s brings nobody in", async (_what, change) => {
    const { personId, memberId } = await stage.addPerson(workspace, "admin");
    const planted = await invite("now() + interval '1 day', 'pending'", undefined, personId);
    await stage.client.query(change, [memberId]);
    expect(await accept(planted)).toMatchObject({ status: 401, body: { code: "token_invalid" } });
  });

  it("opens nothing with another's id or a changed signature", async () => {
    const good = await invite("now() + interval '1 day', 'pending'");
    const other = await invite("now() + interval '1 day', 'pending'");
    const [id] = good.split(".");
    for (const bad of [`${id}.${other.split(".")[1]}`, `${id}`, `${id}.`, "inv_.x", good.slice(0, -2)]) {
      expect((await accept(bad)).status).toBe(401);
    }
    expect((await accept(good)).status).toBe(200);
  });

  it("to somebody with an account is theirs alone, needs them signed in, and leads into its workspace", async () => {
    const invited = await stage.addPerson(await stage.addWorkspace(), "viewer");
    const good = await invite("now() + interval '1 day', 'pending'", invited.email);
    expect(await accept(good, { password: PASSWORD })).toMatchObject({
      status: 409,
      body: { code: "sign_in_first" },
    });
    const asOther = await stage.app.request("/api/auth/invitation", {
      method: "POST",
      headers: { cookie, origin: "http://localhost", "content-type": "application/json" },
      body: JSON.stringify({ token: good }),
    });
    expect(asOther.status).toBe(409);
    const browser = openAnother();
    await browser.follow(await askForLink(browser, invited.email));
    const joined = await browser.call("POST /api/auth/invitation", { token: good });
    expect(joined).toMatchObject({ status: 200, body: { workspaceId } });
    expect((await browser.call(`GET /api/v1/workspaces/${workspaceId}`)).body["role"]).toBe("editor");
  });
});

it("a link makes no account for somebody whose invitation was withdrawn meanwhile", async () => {
  const id = crypto.randomUUID();
  const to = `${id}@example.com`;
  await stage.client.query(
    "INSERT INTO invitations (id, workspace_id, email, role, inviter_id, expires_at) VALUES ($1, $2, $3, 'editor', $4, now() + interval '1 day')",
    [id, workspace.id, to, personId],
  );
  const browser = openAnother();
  const link = await askForLink(browser, to);
  await stage.client.query("UPDATE invitations SET status = 'canceled' WHERE id = $1", [id]);
  expect((await browser.follow(link)).status).toBe(401);
  const { rows } = await stage.client.query("SELECT FROM people WHERE email = $1", [to]);
  expect(rows).toEqual([]);
});

describe("a password", () => {
  it("is not given to an account without one by an old session", async () => {
    const person = await stage.addPerson(null, "viewer");
    const set = async () => {
      const response = await stage.app.request("/api/v1/me/password", {
        method: "PUT",
        headers: { cookie: person.cookie, origin: "http://localhost", "content-type": "application/json" },
        body: JSON.stringify({ newPassword: "a whole new password" }),
      });
      return response.status;
    };
    await stage.client.query("UPDATE sessions SET created_at = now() - interval '16 minutes' WHERE id = $1", [
      person.sessionId,
    ]);
    expect(await set()).toBe(403);
    await stage.client.query("UPDATE sessions SET created_at = now() WHERE id = $1", [person.sessionId]);
    expect(await set()).toBe(204);
  });

  it("is changed by who knows it, or has just signed in, and ends the other sessions", async () => {
    const browser = openAnother();
    const other = openAnother();
    for (const one of [browser, other]) {
      expect((await one.call("POST /api/auth/sign-in", { email, password: PASSWORD })).status).toBe(200);
    }
    const change = (currentPassword?: string) =>
      browser.call("PUT /api/v1/me/password", { newPassword: "a whole new password", currentPassword });
    await stage.client.query(
      "UPDATE sessions SET created_at = now() - interval '1 hour' WHERE person_id = $1",
      [personId],
    );
    expect((await change()).status).toBe(422);
    expect((await change("wrong")).status).toBe(422);
    expect((await other.call("GET /api/v1/me")).status).toBe(200);
    expect((await change(PASSWORD)).status).toBe(204);
    // Its answer may have been lost, and the one before it is no more.
    expect((await change(PASSWORD)).status).toBe(204);
    expect((await other.call("GET /api/v1/me")).status).toBe(401);
    expect((await browser.call("GET /api/v1/me")).status).toBe(200);
    expect((await openAnother().call("POST /api/auth/sign-in", { email, password: PASSWORD })).status).toBe(
      401,
    );
    const fresh = openAnother();
    expect(
      (await fresh.call("POST /api/auth/sign-in", { email, password: "a whole new password" })).status,
    ).toBe(200);
    expect((await fresh.call("PUT /api/v1/me/password", { newPassword: PASSWORD })).status).toBe(204);
  });
});

const ids = await stage.addObjects(workspace);
/** Who has a session still, whatever becomes of the other's. */
const typist = await stage.addPerson(workspace, "owner");
await stage.client.query("UPDATE passkeys SET person_id = $1", [typist.personId]);
const operations = (await listDocumentedOperations(stage)).filter(
  ({ path, body }) => body !== null && /^\/api\/(auth|v1\/(me|workspaces))(\/|$)/.test(path),
);

const BAD: readonly [string, unknown][] = [
  ["nothing", ""],
  ["null", null],
  ["too much", "x".repeat(50_000)],
  ["a number", 7],
  ["a list", [["x"]]],
  ["an object", { toString: "x" }],
  ["a NUL", "a\u0000b@example.com"],
  ["half a character", "a\ud800b@example.com"],
];

/** What people are, before and after. */
const fingerprint = async () => {
  const { rows } = await stage.client.query(
    `SELECT (SELECT md5(string_agg(t::text, '' ORDER BY t::text)) FROM people AS t) AS people,
       (SELECT md5(string_agg(t::text, '' ORDER BY t::text)) FROM members AS t) AS members,
       (SELECT md5(string_agg(t::text, '' ORDER BY t::text)) FROM sessions AS t) AS sessions,
       (SELECT md5(string_agg(t::text, '' ORDER BY t::text)) FROM invitations AS t) AS invitations`,
  );
  return rows;
};

it.each(operations)(
  "$name refuses what is no value of a field, by its name, and does nothing",
  async (operation) => {
    const example = JSON.parse(String(operation.body?.text ?? "{}")) as { readonly [name: string]: unknown };
    const before = await fingerprint();
    for (const name of Object.keys(example)) {
      for (const [what, bad] of BAD) {
        const response = await sendOperation(operation, {
          app: stage.app,
          ids,
          key: null,
          person: typist.cookie,
          headers: { cookie: typist.cookie, origin: APP_ORIGIN },
          body: { ...example, [name]: bad },
        });
        const named = expect.objectContaining({ path: expect.stringContaining(name) });
        expect([name, what, response.status, await response.json()]).toMatchObject([
          name,
          what,
          422,
          { errors: expect.arrayContaining([named]) },
        ]);
      }
    }
    expect(await fingerprint()).toEqual(before);
  },
);
