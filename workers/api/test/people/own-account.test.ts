/**
 * What people do with their own accounts: passkeys, with an authenticator in software and every way in which one can be wrong;
 * the ways to sign in, and giving one up; another address; and leaving, which takes all that is theirs and never the last owner.
 * What has expired goes by itself.
 */
import { createAuthenticator, type Lies } from "@hopline/testkit/stack/software-authenticator";
import { afterAll, describe, expect, it } from "vitest";
import { untilWaitingForLock } from "../../../../packages/db/test/lock-waits.ts";
import { expiredHandler } from "../../src/people/remove-expired.ts";
import { openStage } from "../stage.ts";
import { type Browser, openBrowser } from "./browser.ts";
import { APP_ORIGIN } from "./people-stage.ts";

const stage = await openStage();
afterAll(() => stage.close());

type Challenged = Parameters<ReturnType<typeof createAuthenticator>["get"]>[0];

async function signedIn() {
  const person = await stage.addPerson(null, "viewer");
  const browser = openBrowser(stage.app);
  const at = person.cookie.indexOf("=");
  browser.cookies.set(person.cookie.slice(0, at), person.cookie.slice(at + 1));
  return { ...person, browser };
}

const optionsFor = async (browser: Browser, target = "POST /api/v1/me/passkeys/options") =>
  (await browser.call(target)).body as Challenged;
const requestFor = (browser: Browser) => optionsFor(browser, "POST /api/auth/passkey/options");

async function withPasskey(lies: Lies = {}) {
  const authenticator = createAuthenticator(APP_ORIGIN);
  const person = await signedIn();
  const credential = authenticator.create(await optionsFor(person.browser), lies);
  const added = await person.browser.call("POST /api/v1/me/passkeys", { name: "Laptop", credential });
  return { ...person, authenticator, added };
}

async function signInWith(
  authenticator: ReturnType<typeof createAuthenticator>,
  lies: Lies = {},
  browser = openBrowser(stage.app),
) {
  const credential = authenticator.get(await requestFor(browser), lies);
  return { browser, credential, answer: await browser.call("POST /api/auth/passkey", { credential }) };
}

it("a passkey is added, signs in, is listed with its use, renamed and removed", async () => {
  const { browser, authenticator, added, personId } = await withPasskey();
  expect(added).toMatchObject({ status: 201, body: { name: "Laptop", isSynced: false, lastUsedAt: null } });
  const { answer, browser: elsewhere } = await signInWith(authenticator);
  expect(answer).toMatchObject({ status: 200, body: { personId: `per_${personId.replaceAll("-", "")}` } });
  expect((await elsewhere.call("GET /api/v1/me")).status).toBe(200);
  const passkey = `/api/v1/me/passkeys/${String(added.body["id"])}`;
  expect((await browser.call(`PATCH ${passkey}`, { name: "Phone" })).body).toMatchObject({ name: "Phone" });
  expect((await browser.call("GET /api/v1/me/passkeys")).body["data"]).toMatchObject([
    { name: "Phone", lastUsedAt: expect.any(String) },
  ]);
  expect((await browser.call(`DELETE ${passkey}`)).status).toBe(204);
  expect((await signInWith(authenticator)).answer.body["code"]).toBe("passkey_refused");
});

it("a browser is told which passkeys there are, and asked to recognise its user", async () => {
  const { browser, authenticator } = await withPasskey();
  expect(await optionsFor(browser)).toMatchObject({
    rp: { id: "localhost" },
    attestation: "none",
    excludeCredentials: [{ id: authenticator.credentialId }],
    authenticatorSelection: { residentKey: "required", userVerification: "required" },
  });
  expect(await requestFor(browser)).toMatchObject({ rpId: "localhost", userVerification: "required" });
});

const LIES: readonly [string, Lies][] = [
  ["on another site", { origin: "https://strange.example" }],
  ["for another site", { rpId: "strange.example" }],
  ["whose user was not recognised", { flags: 1 }],
  ["whose user was not there", { flags: 0 }],
  ["of the other ceremony", { type: "webauthn.other" }],
];

describe("a passkey is not added", () => {
  it.each(LIES)("%s", async (_what, lies) => {
    expect((await withPasskey(lies)).added).toMatchObject({ status: 401, body: { code: "passkey_refused" } });
  });

  it("with a challenge that was used, made for somebody else, too old, or made up", async () => {
    const { browser } = await signedIn();
    const { browser: stranger } = await signedIn();
    const used = await optionsFor(browser);
    const own = createAuthenticator(APP_ORIGIN).create(used);
    expect((await browser.call("POST /api/v1/me/passkeys", { name: "A", credential: own })).status).toBe(201);
    const old = await optionsFor(browser);
    await stage.client.query("UPDATE verifications SET expires_at = now()");
    const challenges = [
      used,
      await optionsFor(stranger),
      old,
      { ...used, challenge: "bWFkZS11cA" },
      await requestFor(browser),
    ];
    for (const challenge of challenges) {
      const credential = createAuthenticator(APP_ORIGIN).create({ ...used, challenge: challenge.challenge });
      const answer = await browser.call("POST /api/v1/me/passkeys", { name: "B", credential });
      expect(answer.body["code"]).toBe("passkey_refused");
    }
  });

  it("in an old session, nor a second time, nor as the twenty-first, also of two at once", async () => {
    const { browser, authenticator, sessionId, personId } = await withPasskey();
    const again = authenticator.create(await optionsFor(browser));
    expect(
      await browser.call("POST /api/v1/me/passkeys", { name: "Again", credential: again }),
    ).toMatchObject({
      status: 422,
    });
    await stage.client.query(
      `INSERT INTO passkeys (id, person_id, name, credential_id, public_key, counter, transports, is_synced)
       SELECT gen_random_uuid(), $1, 'P', gen_random_uuid()::text, '', 0, '{}', false FROM generate_series(1, 18)`,
      [personId],
    );
    const challenges = [await optionsFor(browser), await optionsFor(browser)];
    await stage.client.query("BEGIN");
    await stage.client.query("SELECT FROM people WHERE id = $1 FOR UPDATE", [personId]);
    const made = challenges.map(async (challenge) => {
      const credential = createAuthenticator(APP_ORIGIN).create(challenge);
      return (await browser.call("POST /api/v1/me/passkeys", { name: "One", credential })).status;
    });
    await untilWaitingForLock(stage.client, 2);
    await stage.client.query("COMMIT");
    expect((await Promise.all(made)).toSorted()).toEqual([201, 422]);
    await stage.client.query("UPDATE sessions SET created_at = now() - interval '16 minutes' WHERE id = $1", [
      sessionId,
    ]);
    expect((await browser.call("POST /api/v1/me/passkeys/options")).body["code"]).toBe("sign_in_again");
  });
});

it("guessing a passkey is limited like guessing a password, and shuts out nobody who signed in from there before", async () => {
  const { authenticator, personId } = await withPasskey();
  const networks = Array.from({ length: 12 }, (_, at) =>
    openBrowser(stage.app, { address: `198.52.${at}.1` }),
  );
  const [home, ...strangers] = networks;
  // However often: what is right does not count.
  for (let signedIn = 0; signedIn < 11; signedIn += 1) {
    expect((await signInWith(authenticator, {}, home)).answer.status).toBe(200);
  }
  const guess = async (browser?: Browser) =>
    (await signInWith(authenticator, { isForged: true }, browser)).answer.status;
  const statuses = [];
  for (const stranger of strangers) {
    statuses.push(await guess(stranger));
  }
  statuses.push(await guess(strangers.at(-1)));
  expect(statuses).toEqual([...strangers.map(() => 401), 429]);
  await stage.client.query("UPDATE credential_attempts SET attempts = 100 WHERE attempts BETWEEN 10 AND 99");
  expect((await signInWith(authenticator, {}, strangers[0])).answer.status).toBe(429);
  expect((await signInWith(authenticator, {}, home)).answer.status).toBe(200);
  const { rows } = await stage.client.query(
    "SELECT FROM audit_log WHERE person_id = $1 AND action = 'session.refused'",
    [personId],
  );
  expect(rows).toHaveLength(11);
});

describe("a passkey signs nobody in", () => {
  const refused = { status: 401, body: { code: "passkey_refused" } };

  it.each<[string, Lies]>([
    ...LIES,
    ["signed by another key", { isForged: true }],
    ["whose count did not grow: a copy of it", { counter: 1 }],
  ])("%s", async (_what, lies) => {
    const { authenticator } = await withPasskey();
    const { answer, browser } = await signInWith(authenticator, lies);
    expect(answer).toMatchObject(refused);
    expect(browser.cookies.size).toBe(0);
  });

  it("twice with one answer, nor with a challenge for adding one", async () => {
    const { authenticator, browser: owner } = await withPasskey();
    const { browser, credential } = await signInWith(authenticator);
    expect(await browser.call("POST /api/auth/passkey", { credential })).toMatchObject(refused);
    const { challenge } = await optionsFor(owner);
    const other = authenticator.get({ challenge, rpId: "localhost" });
    expect(await browser.call("POST /api/auth/passkey", { credential: other })).toMatchObject(refused);
  });

  it("that is unknown, with the same answer", async () => {
    const { answer } = await signInWith(createAuthenticator(APP_ORIGIN));
    expect(answer).toMatchObject(refused);
  });
});

it("nobody renames or removes another's passkey", async () => {
  const { added } = await withPasskey();
  const { browser: stranger } = await signedIn();
  const passkey = `/api/v1/me/passkeys/${String(added.body["id"])}`;
  expect((await stranger.call(`PATCH ${passkey}`, { name: "Mine" })).status).toBe(404);
  expect((await stranger.call(`DELETE ${passkey}`)).status).toBe(404);
});

function browse(cookie: string, app = stage.app) {
  const browser = openBrowser(app);
  const at = cookie.indexOf("=");
  browser.cookies.set(cookie.slice(0, at), cookie.slice(at + 1));
  return browser;
}

const GOOGLE = "https://accounts.google.com";
const toId = (kind: string, uuid: string) => `${kind}_${uuid.replaceAll("-", "")}`;

async function addAccount(personId: string, providerId: string): Promise<string> {
  const { rows } = await stage.client.query<{ id: string }>(
    "INSERT INTO accounts (id, person_id, provider_id, account_id) VALUES (gen_random_uuid(), $1::uuid, $2, ($1::uuid)::text) RETURNING id",
    [personId, providerId],
  );
  return toId("acc", rows[0]?.id ?? "");
}

describe("the ways to sign in", () => {
  const methodsOf = async (browser: Browser) =>
    (await browser.call("GET /api/v1/me/sign-in-methods")).body["data"];
  const { deps } = stage.openPeople({ sendEmail: null });
  const withoutEmail = stage.appWith({}, { people: deps });

  it("are listed with what they are called: the address, the password, passkeys, providers, former ones too", async () => {
    const { browser, personId, email, added } = await withPasskey();
    const password = await addAccount(personId, "credential");
    const google = await addAccount(personId, GOOGLE);
    const former = await addAccount(personId, "https://former.example");
    expect(await methodsOf(browser)).toMatchObject([
      { id: null, kind: "email", name: email, createdAt: null },
      { id: added.body["id"], kind: "passkey", name: "Laptop" },
      { id: password, kind: "password", name: "Password", provider: null },
      { id: google, kind: "provider", name: "Google", provider: "google" },
      { id: former, kind: "provider", name: "https://former.example", provider: null },
    ]);
  });

  it("are removed one by one while a link by email remains", async () => {
    const { browser, personId, added } = await withPasskey();
    const google = await addAccount(personId, GOOGLE);
    expect((await browser.call(`DELETE /api/v1/me/sign-in-methods/${google}`)).status).toBe(204);
    expect((await browser.call(`DELETE /api/v1/me/sign-in-methods/${google}`)).status).toBe(404);
    expect((await browser.call(`DELETE /api/v1/me/passkeys/${String(added.body["id"])}`)).status).toBe(204);
    expect(await methodsOf(browser)).toMatchObject([{ kind: "email" }]);
  });

  it("never lose the last one that works here: a former provider's account does not count", async () => {
    const { cookie, personId } = await stage.addPerson(null, "viewer");
    const browser = browse(cookie, withoutEmail);
    const google = await addAccount(personId, GOOGLE);
    const former = await addAccount(personId, "https://former.example");
    const remove = (id: string) => browser.call(`DELETE /api/v1/me/sign-in-methods/${id}`);
    expect(await remove(google)).toMatchObject({ status: 409, body: { code: "last_sign_in_method" } });
    expect((await remove(former)).status).toBe(204);
    const password = await addAccount(personId, "credential");
    expect((await remove(google)).status).toBe(204);
    expect((await remove(password)).status).toBe(409);
    expect(await methodsOf(browser)).toMatchObject([{ id: password }]);
  });

  it("are nobody else's to remove, nor an old session's", async () => {
    const { personId } = await stage.addPerson(null, "viewer");
    const google = await addAccount(personId, GOOGLE);
    const { browser, sessionId } = await signedIn();
    expect((await browser.call(`DELETE /api/v1/me/sign-in-methods/${google}`)).status).toBe(404);
    await stage.client.query("UPDATE sessions SET created_at = now() - interval '16 minutes' WHERE id = $1", [
      sessionId,
    ]);
    expect((await browser.call(`DELETE /api/v1/me/sign-in-methods/${google}`)).body["code"]).toBe(
      "sign_in_again",
    );
    expect(await countOf("accounts", personId)).toBe(1);
  });
});

describe("another email address", () => {
  async function asking(address = `${crypto.randomUUID()}@example.com`) {
    const person = await signedIn();
    expect((await person.browser.call("POST /api/v1/me/email", { email: address })).status).toBe(202);
    return { ...person, address, link: await stage.people.lastLink(address) };
  }
  const emailOf = async (browser: Browser) => (await browser.call("GET /api/v1/me")).body["email"];

  it("is taken when its link is opened, once; the former one is told, and its links sign nobody in", async () => {
    const { browser, email, address, link } = await asking();
    expect(await emailOf(browser)).toBe(email);
    await browser.call("POST /api/auth/link", { email });
    const former = await stage.people.lastLink(email);
    expect((await browser.follow(link)).status).toBe(204);
    expect(await emailOf(browser)).toBe(address);
    expect((await browser.follow(link)).body["code"]).toBe("token_invalid");
    expect((await openBrowser(stage.app).follow(former)).status).toBe(401);
    const told = (await stage.people.settledEmails()).findLast(({ to }) => to === email);
    expect(told?.subject).toBe("The email address of your Hopline account has changed");
  });

  it("is taken by nobody but who asked, so that no stranger gets a mailbox's owner into their account", async () => {
    const { browser, email, link } = await asking();
    const { browser: other, email: otherEmail } = await signedIn();
    expect((await other.follow(link)).body["code"]).toBe("token_invalid");
    expect(await emailOf(other)).toBe(otherEmail);
    expect((await openBrowser(stage.app).follow(link)).status).toBe(401);
    expect(await emailOf(browser)).toBe(email);
  });

  it.each([
    ["too old", "UPDATE verifications SET expires_at = now() WHERE identifier LIKE 'email-change:%'"],
    ["that was replaced by a newer one", "DELETE FROM verifications WHERE identifier LIKE 'email-change:%'"],
  ])("is not taken by a link %s", async (_what, change) => {
    const { browser, email, link } = await asking();
    await stage.client.query(change);
    expect((await browser.follow(link)).body["code"]).toBe("token_invalid");
    expect(await emailOf(browser)).toBe(email);
  });

  it("that has an account gets no email, the answer does not tell, and it can't be taken", async () => {
    const { email: taken } = await stage.addPerson(null, "viewer");
    expect((await asking(taken)).link).toBe("");
    const { browser, address, link } = await asking();
    await stage.client.query(
      "INSERT INTO people (id, name, email, email_verified) VALUES (gen_random_uuid(), 'Fast', $1, true)",
      [address],
    );
    expect((await browser.follow(link)).body["code"]).toBe("token_invalid");
  });
});

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
    await stage.client.query("UPDATE sessions SET created_at = now() - interval '16 minutes' WHERE id = $1", [
      sessionId,
    ]);
    expect((await browse(cookie).call("DELETE /api/v1/me")).body["code"]).toBe("sign_in_again");
  });

  it("an email that is on its way makes no new account of it", async () => {
    const { cookie, email } = await stage.addPerson(null, "viewer");
    await openBrowser(stage.app).call("POST /api/auth/link", { email });
    const link = await stage.people.lastLink();
    expect((await browse(cookie).call("DELETE /api/v1/me")).status).toBe(204);
    expect((await openBrowser(stage.app).follow(link)).status).toBe(401);
    const { rows } = await stage.client.query("SELECT FROM people WHERE email = $1", [email]);
    expect(rows).toEqual([]);
  });
});

it("what has expired is removed, so many at once: sessions, tokens, and answers of workspaces that send nothing any more", async () => {
  const idle = await stage.addWorkspace();
  const keys = ["old", "older", "young"];
  await stage.client.query(
    `INSERT INTO idempotency_keys (owner_id, key, request_hash, attempt_id, created_at)
     SELECT $1, key, sha256('x'), gen_random_uuid(), now() - CASE key WHEN 'young' THEN interval '23 hours' ELSE interval '25 hours' END
     FROM unnest($2::text[]) AS key`,
    [idle.id, keys],
  );
  await stage.client.query(
    "INSERT INTO stored_answers (owner_id, day, bytes) SELECT $1, current_date - ago, 1 FROM generate_series(0, 2) AS ago",
    [idle.id],
  );
  const people = await Array.fromAsync([1, 2, 3], () => stage.addPerson(null, "viewer"));
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
  const left = await stage.client.query("SELECT key FROM idempotency_keys WHERE owner_id = $1", [idle.id]);
  const days = await stage.client.query("SELECT FROM stored_answers WHERE owner_id = $1", [idle.id]);
  expect([left.rows, days.rowCount]).toEqual([[{ key: "young" }], 2]);
});
