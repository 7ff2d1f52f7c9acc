/** Passkeys, with an authenticator in software: made, used, named, removed, and every way in which one can be wrong. */
import { createAuthenticator, type Lies } from "@hopline/testkit/stack/software-authenticator";
import { afterAll, describe, expect, it } from "vitest";
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

async function signInWith(authenticator: ReturnType<typeof createAuthenticator>, lies: Lies = {}) {
  const browser = openBrowser(stage.app);
  const credential = authenticator.get(await requestFor(browser), lies);
  return { browser, credential, answer: await browser.call("POST /api/auth/passkey", { credential }) };
}

it("is added, signs in, is listed with its use, renamed and removed", async () => {
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

it("the browser is told which passkeys there are, and asked to recognise its user", async () => {
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

describe("is not added", () => {
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

  it("in an old session, nor a second time, nor as the twenty-first", async () => {
    const { browser, authenticator, sessionId, personId } = await withPasskey();
    const again = authenticator.create(await optionsFor(browser));
    expect(
      await browser.call("POST /api/v1/me/passkeys", { name: "Again", credential: again }),
    ).toMatchObject({
      status: 422,
    });
    await stage.client.query(
      `INSERT INTO passkeys (id, person_id, name, credential_id, public_key, counter, transports, is_synced)
       SELECT gen_random_uuid(), $1, 'P', gen_random_uuid()::text, '', 0, '{}', false FROM generate_series(1, 19)`,
      [personId],
    );
    const one = createAuthenticator(APP_ORIGIN).create(await optionsFor(browser));
    expect((await browser.call("POST /api/v1/me/passkeys", { name: "One", credential: one })).status).toBe(
      422,
    );
    await stage.client.query("UPDATE sessions SET created_at = now() - interval '11 minutes' WHERE id = $1", [
      sessionId,
    ]);
    expect((await browser.call("POST /api/v1/me/passkeys/options")).body["code"]).toBe("sign_in_again");
  });
});

describe("signs nobody in", () => {
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

it("nobody renames or removes another's", async () => {
  const { added } = await withPasskey();
  const { browser: stranger } = await signedIn();
  const passkey = `/api/v1/me/passkeys/${String(added.body["id"])}`;
  expect((await stranger.call(`PATCH ${passkey}`, { name: "Mine" })).status).toBe(404);
  expect((await stranger.call(`DELETE ${passkey}`)).status).toBe(404);
});
