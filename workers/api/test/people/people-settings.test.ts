/** Variables that make no sense stop the Worker, and who may make an account. */
import { expect, it } from "vitest";
import { toInvitationEmail } from "../../src/people/email/email-message.ts";
import { createSendEmail } from "../../src/people/email/send-email.ts";
import { maySignUp, readPeopleSettings } from "../../src/people/people-settings.ts";

const AUTH_SECRET = "a secret of these tests that is long enough";
const good = { APP_ORIGIN: "https://app.example.com", SIGN_UP: "closed", AUTH_SECRET };

it("without APP_ORIGIN nobody signs in, whatever else is set", () => {
  expect(readPeopleSettings({ ...good, APP_ORIGIN: "" })).toBeNull();
});

it.each([
  ["APP_ORIGIN", "http://app.example.com"],
  ["APP_ORIGIN", "https://app.example.com/"],
  ["APP_ORIGIN", "http://127.0.0.1:8787"],
  ["APP_ORIGIN", "app.example.com"],
  ["AUTH_SECRET", "short"],
  ["AUTH_SECRET", `${AUTH_SECRET},short`],
  ["SIGN_UP", ""],
  ["SIGN_UP", "everybody"],
  ["SIGN_UP", "example.com"],
])("refuses %s=%s by name, and never quotes the secret", (name, value) => {
  const read = () => readPeopleSettings({ ...good, [name]: value });
  expect(read).toThrow(name);
  expect(read).not.toThrow(AUTH_SECRET);
});

it("accepts localhost without https, and several secrets", () => {
  const settings = readPeopleSettings({
    APP_ORIGIN: "http://localhost:8787",
    SIGN_UP: "@Example.com, @example.org",
    AUTH_SECRET: `${AUTH_SECRET},${AUTH_SECRET}`,
  });
  expect(settings).toEqual({
    appOrigin: "http://localhost:8787",
    secrets: [AUTH_SECRET, AUTH_SECRET],
    signUp: { kind: "domains", domains: ["example.com", "example.org"] },
    providers: [],
  });
});

it.each([
  ["closed", [false, false, false]],
  ["invited", [false, true, false]],
  ["@example.com", [true, true, false]],
  ["open", [true, true, true]],
])("SIGN_UP=%s lets the right people make an account", (text, expected) => {
  const { signUp } = readPeopleSettings({ ...good, SIGN_UP: text }) ?? {};
  const people = [
    { email: "ada@example.com", isInvited: false },
    { email: "ada@example.net", isInvited: true },
    { email: "ada@not-example.com", isInvited: false },
  ];
  expect(people.map((person) => signUp !== undefined && maySignUp(signUp, person))).toEqual(expected);
});

const FROM = "hopline@example.com";
const EMAIL = { to: "ada@example.com", subject: "Your link", text: "https://app.example.com/" };

it("emails need a sender", () => {
  const fetch = () => Promise.reject(new Error("not called"));
  const webhook = { EMAIL_WEBHOOK_URL: "https://mail.example/" };
  expect(createSendEmail({ EMAIL_FROM: "" }, fetch)).toBeNull();
  expect(() => createSendEmail({ EMAIL_FROM: "", ...webhook }, fetch)).toThrow("EMAIL_FROM");
});

it("emails leave by Cloudflare's binding, and are refused where it refuses them", async () => {
  const sent: unknown[] = [];
  let isDown = false;
  const binding = {
    async send(email: object) {
      if (isDown) {
        throw new Error("E_DAILY_LIMIT_EXCEEDED");
      }
      sent.push(email);
    },
  };
  const fetch = () => Promise.reject(new Error("not called"));
  const send = createSendEmail({ EMAIL_FROM: FROM, EMAIL: binding }, fetch);
  await send?.(EMAIL, new AbortController().signal);
  expect(sent).toEqual([{ from: FROM, ...EMAIL }]);
  isDown = true;
  await expect(send?.(EMAIL, new AbortController().signal)).rejects.toThrow("E_DAILY");
});

it.each([
  [204, true],
  [302, false],
  [403, false],
  [500, false],
])("an email to a webhook that answers %i is sent: %s", async (status, isSent) => {
  const calls: { url: string; init: RequestInit }[] = [];
  const fetch = async (url: string, init: RequestInit) => {
    calls.push({ url, init });
    return new Response(null, { status });
  };
  const variables = {
    EMAIL_FROM: FROM,
    EMAIL_WEBHOOK_URL: "https://mail.example/",
    EMAIL_WEBHOOK_TOKEN: "token",
  };
  const sending = createSendEmail(variables, fetch)?.(EMAIL, new AbortController().signal);
  const outcome = await sending?.then(
    () => null,
    (error: Error) => error.message,
  );
  expect(outcome).toBe(isSent ? null : `the webhook answered ${status}`);
  const [call] = calls;
  expect([call?.url, JSON.parse(String(call?.init.body)), call?.init.headers, call?.init.redirect]).toEqual([
    "https://mail.example/",
    { from: FROM, ...EMAIL },
    { "content-type": "application/json", authorization: "Bearer token" },
    "manual",
  ]);
});

it.each([
  ["Acme\r\nBcc: victim@example.com", "a workspace"],
  ["Acme\u2028\nSales", "the workspace Acme Sales"],
  ["Your account is locked: https://evil.example", "a workspace"],
  ["Sign in at evil.example", "a workspace"],
  ["x".repeat(61), "a workspace"],
  ["St. Mary's, 2nd floor", "the workspace St. Mary's, 2nd floor"],
])(
  "a workspace named %j adds neither header fields, lines nor links to an invitation",
  (workspace, shown) => {
    const { subject, text } = toInvitationEmail({
      to: "grace@example.com",
      link: "https://app.example.com/invitation",
      workspace,
      role: "editor",
      inviter: "Ada\nhttps://evil.example",
      days: 7,
    });
    expect([subject, text.split("\n").length]).toEqual([`You are invited to ${shown} on Hopline`, 6]);
    expect(text).toMatch(new RegExp(`^A member invites you to ${shown}, as editor\\.`));
  },
);
