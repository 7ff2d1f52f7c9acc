/** Signing in with an identity provider: a real OpenID provider, and what GitHub says instead. */
import { startIdentityProvider, type ProvidedPerson } from "@hopline/testkit/stack/identity-provider";
import { afterAll, afterEach, describe, expect, it } from "vitest";
import { parseProviders } from "../../src/people/providers/provider-settings.ts";
import { toReturnAddress } from "../../src/people/providers/return-path.ts";
import { openStage } from "../stage.ts";
import { type Browser, openBrowser as openBrowserAt } from "./browser.ts";
import { APP_ORIGIN, type PeopleChange } from "./people-stage.ts";

const stage = await openStage();
const callback = (id: string) => `${APP_ORIGIN}/api/auth/provider/${id}/callback`;
const provider = await startIdentityProvider([callback("acme"), callback("other")]);
const { issuer, clientId, clientSecret } = provider;
const settings = { issuer, clientId, clientSecret };
const providers = [
  { id: "acme", name: "Acme", ...settings },
  { id: "other", name: "Other", ...settings },
];
afterAll(async () => {
  await provider.stop();
  await stage.close();
});
afterEach(() => {
  stage.endpoint.setFault(null);
  stage.log.length = 0;
});

let networks = 0;
const openBrowser = (to: typeof app) => openBrowserAt(to, { address: `198.51.${(networks += 1)}.1` });

let people = 0;
function aPerson(change: Partial<ProvidedPerson> = {}): ProvidedPerson {
  people += 1;
  const subject = `subject-${people}`;
  return {
    subject,
    email: `person-${people}@acme.example`,
    isVerified: true,
    name: "Ada Lovelace",
    ...change,
  };
}

function openApp(change: PeopleChange = {}) {
  const opened = stage.openPeople({
    providers,
    signUp: { kind: "open" },
    fetch: (url, init) => fetch(url, init),
    ...change,
  });
  return { ...opened, app: stage.appWith({}, { people: opened.deps }) };
}
const { app } = openApp();

const start = (browser: Browser, body: object = { provider: "acme" }) =>
  browser.call("POST /api/auth/provider", { ...body });

/** All the way; the answer to the callback. */
async function signIn(browser: Browser, person: ProvidedPerson, body: object = { provider: "acme" }) {
  const { body: started } = await start(browser, body);
  return browser.open(await provider.visit(String(started["location"]), person));
}

/** Why nobody was signed in, as the dashboard's page is told; `null` if somebody was. */
function failureOf({
  status,
  headers,
}: {
  readonly status: number;
  readonly headers: Headers;
}): string | null {
  const { origin, pathname, searchParams } = new URL(headers.get("location") ?? "");
  expect([status, origin, headers.get("cache-control")]).toEqual([303, APP_ORIGIN, "no-store"]);
  return pathname === "/sign-in" ? searchParams.get("failed") : null;
}

const emailOf = async (browser: Browser) => (await browser.call("GET /api/v1/me")).body["email"];

describe("with a verified address", () => {
  it("a new person gets an account, and the same one the next time, under another address too", async () => {
    const person = aPerson();
    const [first, second] = [openBrowser(app), openBrowser(app)];
    const { body: started } = await start(first, { provider: "acme", returnTo: "/links?page=2" });
    const back = await provider.visit(String(started["location"]), person);
    const announced = stage.countAnnouncements();
    const answer = await first.open(back);
    // A GET that makes work for the jobs: the email that tells of a new way in.
    expect(stage.countAnnouncements()).toBeGreaterThan(announced);
    expect([answer.status, answer.headers.get("location")]).toEqual([303, `${APP_ORIGIN}/links?page=2`]);
    expect((await first.call("GET /api/v1/me")).body).toMatchObject({
      email: person.email,
      name: "Ada Lovelace",
      hasPassword: false,
    });
    await signIn(second, { ...person, email: "elsewhere@acme.example", isVerified: false });
    expect(await emailOf(second)).toBe(person.email);
  });

  it("an account that is there already is theirs", async () => {
    const { email, personId } = await stage.addPerson(null, "viewer");
    const browser = openBrowser(app);
    expect(failureOf(await signIn(browser, aPerson({ email: email.toUpperCase() })))).toBeNull();
    expect((await browser.call("GET /api/v1/me")).body["id"]).toBe(`per_${personId.replaceAll("-", "")}`);
  });

  it("keeps neither tokens nor a picture of theirs", async () => {
    await signIn(openBrowser(app), aPerson());
    const { rows } = await stage.client.query(
      `SELECT count(*)::int AS accounts, count(access_token)::int + count(refresh_token)::int + count(id_token)::int AS tokens
       FROM accounts WHERE provider_id = $1`,
      [issuer],
    );
    expect(rows[0]).toMatchObject({ tokens: 0 });
  });

  it("two callbacks of a new person at once make one account", async () => {
    const person = aPerson();
    const browsers = [openBrowser(app), openBrowser(app)];
    const answers = await Promise.all(browsers.map((browser) => signIn(browser, person)));
    expect(answers.map(failureOf)).toEqual([null, null]);
    expect(new Set(await Promise.all(browsers.map(emailOf)))).toEqual(new Set([person.email]));
  });
});

it("an address that is not verified opens nobody's account and makes none", async () => {
  const { email } = await stage.addPerson(null, "viewer");
  for (const person of [aPerson({ email, isVerified: false }), aPerson({ isVerified: false })]) {
    const browser = openBrowser(app);
    const answer = await signIn(browser, person);
    expect(failureOf(answer)).toBe("email_unverified");
    expect(browser.cookies.has("hopline_session")).toBe(false);
  }
  const { rows } = await stage.client.query(
    "SELECT FROM accounts JOIN people ON people.id = person_id WHERE email = $1",
    [email],
  );
  expect(rows).toEqual([]);
});

it("an address that is somebody else's only in lower case opens nobody's account", async () => {
  const { personId } = await stage.addPerson(null, "viewer");
  await stage.client.query("UPDATE people SET email = 'kim@acme.example' WHERE id = $1", [personId]);
  const browser = openBrowser(app);
  const answer = await signIn(browser, aPerson({ email: "\u212Aim@acme.example" }));
  expect([failureOf(answer), browser.cookies.has("hopline_session")]).toEqual(["email_unverified", false]);
});

it("another provider under the same id opens nobody's account", async () => {
  const person = aPerson();
  await signIn(openBrowser(app), person);
  const moved = await startIdentityProvider([callback("acme")]);
  const { issuer: movedIssuer, clientId: id, clientSecret: secret } = moved;
  const there = openApp({
    providers: [{ id: "acme", name: "Acme", issuer: movedIssuer, clientId: id, clientSecret: secret }],
  });
  const browser = openBrowser(there.app);
  const { body } = await start(browser);
  const impostor = { ...person, email: "impostor@acme.example" };
  await browser.open(await moved.visit(String(body["location"]), impostor));
  expect(await emailOf(browser)).toBe("impostor@acme.example");
  await moved.stop();
});

describe("SIGN_UP holds:", () => {
  it.each([
    ["closed", { kind: "closed" }],
    ["invited", { kind: "invited" }],
    ["domains", { kind: "domains", domains: ["example.org"] }],
  ] as const)("%s lets a stranger make no account", async (_name, signUp) => {
    const browser = openBrowser(openApp({ signUp }).app);
    const answer = await signIn(browser, aPerson());
    expect(failureOf(answer)).toBe("sign_up_closed");
    expect(browser.cookies.has("hopline_session")).toBe(false);
  });

  it("somebody who is invited signs in from the invitation's page, and accepts", async () => {
    const invited = openApp({ signUp: { kind: "invited" } });
    const workspace = await stage.addWorkspace();
    const owner = openBrowser(invited.app);
    owner.cookies.set(...cookieOf((await stage.addPerson(workspace, "owner")).cookie));
    const person = aPerson();
    const workspaceId = `ws_${workspace.id.replaceAll("-", "")}`;
    const invitation = { email: person.email, role: "editor" };
    await owner.call(`POST /api/v1/workspaces/${workspaceId}/invitations`, invitation);
    const link = await invited.lastLink();
    const browser = openBrowser(invited.app);
    expect((await browser.call("GET /api/auth/options")).body["providers"]).toContainEqual({
      id: "acme",
      name: "Acme",
    });
    const { pathname, search } = new URL(link);
    const back = await signIn(browser, person, { provider: "acme", returnTo: pathname + search });
    expect(back.headers.get("location")).toBe(link);
    expect((await browser.follow(link)).status).toBe(200);
    const { body } = await browser.call("GET /api/v1/workspaces");
    expect(body["data"]).toMatchObject([{ id: workspaceId, role: "editor" }]);
  });
});

describe("a callback signs nobody in", () => {
  it("twice", async () => {
    const browser = openBrowser(app);
    const { body } = await start(browser);
    const cookies = new Map(browser.cookies);
    const address = await provider.visit(String(body["location"]), aPerson());
    expect(failureOf(await browser.open(address))).toBeNull();
    const again = openBrowser(app);
    cookies.forEach((value, name) => again.cookies.set(name, value));
    const answer = await again.open(address);
    expect(failureOf(answer)).toBe("sign_in_interrupted");
    expect(again.cookies.has("hopline_session")).toBe(false);
  });

  it("in another browser: a stranger's address signs a visitor in as nobody", async () => {
    const stranger = openBrowser(app);
    const { body } = await start(stranger);
    const address = await provider.visit(String(body["location"]), aPerson());
    const visitor = openBrowser(app);
    expect(failureOf(await visitor.open(address))).toBe("sign_in_interrupted");
    // Who has begun to sign in on their own keeps their attempt.
    const { body: own } = await start(visitor);
    expect(failureOf(await visitor.open(address))).toBe("sign_in_interrupted");
    expect(visitor.cookies.has("hopline_session")).toBe(false);
    const person = aPerson();
    await visitor.open(await provider.visit(String(own["location"]), person));
    expect(await emailOf(visitor)).toBe(person.email);
  });

  it("under another provider's address", async () => {
    const browser = openBrowser(app);
    const { body } = await start(browser);
    const address = await provider.visit(String(body["location"]), aPerson());
    expect(failureOf(await browser.open(address.replace("/acme/", "/other/")))).toBe("sign_in_interrupted");
  });

  it("after ten minutes", async () => {
    const browser = openBrowser(app);
    const { body } = await start(browser);
    const address = await provider.visit(String(body["location"]), aPerson());
    await stage.client.query("UPDATE verifications SET expires_at = now()");
    expect(failureOf(await browser.open(address))).toBe("sign_in_interrupted");
  });

  it.each([
    ["a code of its own", (address: URL) => address.searchParams.set("code", "made-up")],
    ["no code", (address: URL) => address.searchParams.delete("code")],
    ["two codes", (address: URL) => address.searchParams.append("code", "another")],
    ["another issuer", (address: URL) => address.searchParams.set("iss", "https://another.example")],
  ])("with %s", async (_what, change) => {
    const browser = openBrowser(app);
    const { body } = await start(browser);
    const address = new URL(await provider.visit(String(body["location"]), aPerson()));
    change(address);
    const answer = await browser.open(address.href);
    expect(failureOf(answer)).toBe("provider_refused");
    expect(browser.cookies.has("hopline_session")).toBe(false);
  });

  it.each(["nonce", "code_challenge"])("whose %s belongs to another attempt", async (name) => {
    const browser = openBrowser(app);
    const { body } = await start(browser);
    const location = new URL(String(body["location"]));
    location.searchParams.set(name, "of-somebody-else-of-somebody-else-of-somebo");
    const answer = await browser.open(await provider.visit(location.href, aPerson()));
    expect(failureOf(answer)).toBe("provider_refused");
  });

  it("who has changed their mind; the log has no fault then", async () => {
    const browser = openBrowser(app);
    const { body } = await start(browser);
    const state = new URL(String(body["location"])).searchParams.get("state");
    const answer = await browser.open(`${callback("acme")}?state=${state}&error=access_denied&iss=${issuer}`);
    expect([failureOf(answer), stage.log]).toEqual(["provider_refused", []]);
  });
});

describe("a provider that is down", () => {
  it.each([
    ["can't be reached", () => Promise.reject(new TypeError("connection refused")), "TypeError"],
    ["answers 502", async () => new Response("bad gateway", { status: 502 }), "server_error"],
  ] as const)("%s: says so, is logged, and is asked again the next time", async (_what, fail, reason) => {
    let isDown = true;
    const { app: failing } = openApp({ fetch: (url, init) => (isDown ? fail() : fetch(url, init)) });
    const browser = openBrowser(failing);
    expect(await start(browser)).toMatchObject({ status: 503, body: { code: "provider_unavailable" } });
    expect(stage.log).toEqual([{ event: "provider.failed", provider: "acme", reason }]);
    isDown = false;
    const { body } = await start(browser);
    const address = await provider.visit(String(body["location"]), aPerson());
    isDown = true;
    const answer = await browser.open(address);
    expect(failureOf(answer)).toBe("provider_unavailable");
  });

  it("holds nobody up who signs in another way", async () => {
    const { app: failing } = openApp({ fetch: () => new Promise(() => undefined) });
    const answer = await openBrowser(failing).call("POST /api/auth/sign-in", {
      email: "nobody@acme.example",
      password: "x",
    });
    expect(answer.status).toBe(401);
  });

  it("that refuses our client is in the log by the protocol's word, without its secret", async () => {
    const wrong = openApp({
      providers: providers.map((one) => ({ ...one, clientSecret: "a wrong secret" })),
    });
    expect(failureOf(await signIn(openBrowser(wrong.app), aPerson()))).toBe("provider_refused");
    expect(stage.log).toEqual([{ event: "provider.failed", provider: "acme", reason: "invalid_client" }]);
  });
});

it("a half-finished sign-in leaves no session, and the next one works", async () => {
  const person = aPerson();
  for (let nth = 0; ; nth += 1) {
    const browser = openBrowser(app);
    const { body } = await start(browser);
    const address = await provider.visit(String(body["location"]), person);
    let seen = 0;
    let isCut = false;
    stage.endpoint.setFault(() => {
      isCut ||= seen === nth;
      return seen++ >= nth ? { kind: "reset" } : null;
    });
    const answer = await browser.open(address);
    stage.endpoint.setFault(null);
    expect(browser.cookies.has("hopline_session")).toBe(!isCut);
    if (!isCut) {
      expect([answer.status, nth > 2]).toEqual([303, true]);
      break;
    }
    expect(answer.status).toBe(503);
  }
  const { rows } = await stage.client.query("SELECT FROM people WHERE email = $1", [person.email]);
  expect(rows).toHaveLength(1);
});

it.each([
  ["/links", `${APP_ORIGIN}/links`],
  ["/", `${APP_ORIGIN}/`],
  ["//elsewhere.example/", null],
  ["/\\elsewhere.example/", null],
  ["/\t/elsewhere.example/", null],
  ["https://elsewhere.example/", null],
  ["javascript:alert(1)", null],
  ["links", null],
  ["", null],
  // A path of ours, which alone would be another site's address.
  ["/.//elsewhere.example/", `${APP_ORIGIN}//elsewhere.example/`],
])("after signing in, %j leads to %j: never to another site", (path, expected) => {
  expect(toReturnAddress(path, APP_ORIGIN)).toBe(expected);
});

it("a page of another site is refused before anything is kept", async () => {
  const answer = await start(openBrowser(app), { provider: "acme", returnTo: "//elsewhere.example/" });
  expect(answer).toMatchObject({ status: 422, body: { errors: [{ path: "returnTo" }] } });
});

describe("GitHub, which is no OpenID provider", () => {
  const github = parseProviders('[{"id":"github","clientId":"id","clientSecret":"secret"}]');

  function aGitHub(emails: readonly object[], token: object = { access_token: "t", token_type: "bearer" }) {
    const answers: { readonly [address: string]: unknown } = {
      "https://github.com/login/oauth/access_token": token,
      "https://api.github.com/user": { id: 4_711, login: "ada", name: null },
      "https://api.github.com/user/emails": emails,
    };
    return openApp({ providers: github, fetch: async (url) => Response.json(answers[url]) }).app;
  }

  async function signInThere(to: ReturnType<typeof aGitHub>) {
    const browser = openBrowser(to);
    const { body } = await start(browser, { provider: "github" });
    const location = new URL(String(body["location"]));
    expect([location.origin, location.searchParams.get("code_challenge_method")]).toEqual([
      "https://github.com",
      "S256",
    ]);
    const state = location.searchParams.get("state");
    return { browser, answer: await browser.open(`${callback("github")}?code=c&state=${state}`) };
  }

  const primary = { email: "Ada@GitHub.example", primary: true, verified: true };

  it("signs in whom it names, with the primary address that it has verified", async () => {
    const { browser, answer } = await signInThere(
      aGitHub([{ ...primary, primary: false, email: "x@y.z" }, primary]),
    );
    expect(failureOf(answer)).toBeNull();
    expect((await browser.call("GET /api/v1/me")).body).toMatchObject({
      email: "ada@github.example",
      name: "ada",
    });
    const { answer: later } = await signInThere(aGitHub([]));
    expect(failureOf(later)).toBeNull();
  });

  it("refuses a code that it does not know", async () => {
    const { answer } = await signInThere(aGitHub([primary], { error: "bad_verification_code" }));
    expect(failureOf(answer)).toBe("provider_refused");
    expect(stage.log).toMatchObject([{ event: "provider.failed", provider: "github" }]);
  });
});

it.each([
  ["no JSON", "google"],
  ["no list", '{"id":"google","clientId":"c","clientSecret":"s"}'],
  ["no secret", '[{"id":"google","clientId":"c"}]'],
  ["no issuer", '[{"id":"acme","name":"Acme","clientId":"c","clientSecret":"s"}]'],
  [
    "an issuer without https",
    '[{"id":"acme","name":"A","issuer":"http://a.example","clientId":"c","clientSecret":"s"}]',
  ],
  [
    "an id that is no part of an address",
    '[{"id":"a/b","name":"A","issuer":"https://a.example","clientId":"c","clientSecret":"s"}]',
  ],
  [
    "another issuer for Google",
    '[{"id":"google","issuer":"https://a.example","clientId":"c","clientSecret":"s"}]',
  ],
  [
    "one id twice",
    '[{"id":"google","clientId":"c","clientSecret":"s"},{"id":"google","clientId":"c","clientSecret":"s"}]',
  ],
])("SIGN_IN_PROVIDERS with %s stops the Worker, and is not quoted", (_what, text) => {
  expect(() => parseProviders(text)).toThrow("SIGN_IN_PROVIDERS is not usable");
});

function cookieOf(header: string): [string, string] {
  const at = header.indexOf("=");
  return [header.slice(0, at), header.slice(at + 1)];
}
