/** Signatures, verified by the published libraries of two languages; secrets at rest; delays. */
import { execFileSync } from "node:child_process";
import { randomBytes } from "node:crypto";
import { Webhook } from "standardwebhooks";
import { describe, expect, it } from "vitest";
import { pauseSeconds, retryDelaySeconds } from "../../src/webhooks/retry-delay.ts";
import { createSecretSeal } from "../../src/webhooks/sealed-secrets.ts";
import { importSecrets, newWebhookSecret, signMessage } from "../../src/webhooks/signature.ts";

const newSecret = () => newWebhookSecret((count) => new Uint8Array(randomBytes(count)));
const body = JSON.stringify({ type: "click", data: { city: "Zürich 🚀" } });
const sign = async (secrets: readonly string[], timestamp = Math.floor(Date.now() / 1_000)) =>
  signMessage({ id: "dlv_1", timestamp }, body, await importSecrets(secrets));

describe("the library of npm", () => {
  it("accepts a message, and while a secret is rotated with either of the two", async () => {
    const [now, before] = [newSecret(), newSecret()];
    const headers = await sign([now, before]);
    expect([now, before].map((secret) => new Webhook(secret).verify(body, headers))).toEqual([
      JSON.parse(body),
      JSON.parse(body),
    ]);
  });

  it("refuses another secret, another body, another id and an old message", async () => {
    const secret = newSecret();
    const headers = await sign([secret]);
    const refuse = (text: string, change: object, with_ = secret) =>
      expect(() => new Webhook(with_).verify(text, { ...headers, ...change })).toThrow(/signature|too old/i);
    refuse(body, {}, newSecret());
    refuse(`${body} `, {});
    refuse(body, { "webhook-id": "dlv_2" });
    refuse(body, await sign([secret], Math.floor(Date.now() / 1_000) - 3_600));
  });
});

const hasPython = ((): boolean => {
  try {
    execFileSync("python3", ["-c", "import standardwebhooks"], { stdio: "ignore" });
    return true;
  } catch {
    return false;
  }
})();

it.skipIf(!hasPython)("the library of PyPI accepts a message, if it is installed", async () => {
  const secret = newSecret();
  const headers = await sign([newSecret(), secret]);
  const program =
    "import json,sys;from standardwebhooks import Webhook;p=json.load(sys.stdin);print(json.dumps(Webhook(p['secret']).verify(p['body'],p['headers'])))";
  const answer = execFileSync("python3", ["-c", program], {
    input: JSON.stringify({ secret, body, headers }),
  });
  expect(JSON.parse(String(answer))).toEqual(JSON.parse(body));
});

it("a secret is 256 random bits, and stored only sealed; the key can be rotated", async () => {
  const [old, now] = [randomBytes(32).toString("base64"), randomBytes(32).toString("base64")];
  const secret = newSecret();
  expect(secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
  const before = await createSecretSeal(old);
  const sealed = await before.seal(secret);
  expect(sealed).toMatch(/^sealed\.v1\./);
  expect(await before.renew(sealed)).toBeNull();
  const rotating = await createSecretSeal(`${now},${old}`);
  expect(await rotating.open(sealed)).toBe(secret);
  const renewed = (await rotating.renew(sealed)) ?? "";
  expect(await (await createSecretSeal(now)).open(renewed)).toBe(secret);
  await expect((await createSecretSeal(now)).open(sealed)).rejects.toThrow("WEBHOOK_SEAL_KEY");
  await expect(createSecretSeal("short")).rejects.toThrow("openssl rand -base64 32");
});

it("retries wait from 5 s to 2 h, a quarter more or less; a pause is a minute at most", () => {
  const attempts = Array.from({ length: 12 }, (_, index) => index + 1);
  expect(attempts.map((attempt) => retryDelaySeconds(attempt, 0.5))).toEqual([
    5, 10, 20, 40, 80, 160, 320, 640, 1_280, 2_560, 5_120, 7_200,
  ]);
  expect([0, 0.999].map((random) => Math.round(retryDelaySeconds(3, random)))).toEqual([15, 25]);
  expect(retryDelaySeconds(1_000, 0.999)).toBe(7_200);
  expect([1, 2, 5, 9, 99].map((failures) => pauseSeconds(failures, 0.5))).toEqual([5, 10, 60, 60, 60]);
});
