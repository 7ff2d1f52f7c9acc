/** The form of a stored password, and what production would refuse. */
import { describe, expect, it } from "vitest";
import { hashInTurn } from "../../src/people/hash-in-turn.ts";
import { createPasswords, MAX_ITERATIONS, type Passwords } from "../../src/people/password-hash.ts";

const SECRET = "a secret of these tests that is long enough";
const NEWER = "another secret of the tests, 32 characters";
const few = createPasswords([SECRET], 10);

it("never hashes with more iterations than production Workers accept", async () => {
  expect(MAX_ITERATIONS).toBe(100_000);
  expect(() => createPasswords([SECRET], MAX_ITERATIONS + 1)).toThrow("100000 iterations");
  expect(await createPasswords([SECRET]).hash("correct horse battery")).toMatch(
    /^pbkdf2-sha512\$100000\$[\w-]{8}\$[\w-]{22}\$[\w-]{86}$/,
  );
});

it("verifies by the parameters in the hash, and refuses to work harder than it may", async () => {
  const hash = await few.hash("Grüße, correct horse");
  expect(await createPasswords([SECRET]).verify("Grüße, correct horse".normalize("NFD"), hash)).toBe(true);
  expect(await few.verify("correct horse", hash)).toBe(false);
  expect(await few.verify("Grüße, correct horse", hash.replace("$10$", "$100001$"))).toBe(false);
  for (const broken of ["", "plain", hash.slice(0, -1), `${hash}$`, hash.replace("sha512", "sha1")]) {
    expect(await few.verify("Grüße, correct horse", broken)).toBe(false);
  }
});

it("needs the deployment's secret, also an older one while it is rotated", async () => {
  const hash = await few.hash("correct horse battery");
  expect(await createPasswords([NEWER, SECRET], 10).verify("correct horse battery", hash)).toBe(true);
  expect(await createPasswords([NEWER], 10).verify("correct horse battery", hash)).toBe(false);
});

describe("seventy sign-ins at once", () => {
  /** Time that goes on when somebody waits; a hash keeps everybody waiting for 100 ms. */
  function aWorker() {
    let atMs = 0;
    const log: string[] = [];
    const slow: Passwords = {
      hash: async (password) => {
        log.push(password);
        atMs += 100;
        return password;
      },
      verify: () => new Promise(() => undefined),
    };
    const clock = {
      nowMs: () => atMs,
      wait: async (ms: number) => {
        await new Promise((resolve) => setImmediate(resolve));
        atMs += ms / 100;
      },
    };
    return { passwords: hashInTurn(slow, clock), log, clock, skip: (ms: number) => (atMs += ms) };
  }

  it("hash in turn, and let what else has come go on in between", async () => {
    const { passwords, log } = aWorker();
    const first = passwords.hash("first");
    const second = passwords.hash("second");
    setImmediate(() => log.push("an answer of the database"));
    await Promise.all([first, second]);
    expect(log).toEqual(["first", "an answer of the database", "second"]);
  });

  it("are asked to come again after three seconds, and none hangs", async () => {
    const { passwords, log } = aWorker();
    const all = await Promise.allSettled(
      Array.from({ length: 70 }, (_, index) => passwords.hash(String(index))),
    );
    const refused = all.filter(({ status }) => status === "rejected");
    expect(refused[0]).toMatchObject({ reason: { code: "rate_limited", headers: { "retry-after": "5" } } });
    expect([log.length + refused.length, log.length >= 10, log.length <= 31]).toEqual([70, true, true]);
    await expect(passwords.hash("later")).resolves.toBe("later");
  });

  it("do not wait for one whose request was cut off in its turn", async () => {
    const { passwords, skip } = aWorker();
    void passwords.verify("cut off", "");
    skip(2_001);
    await expect(passwords.hash("next")).resolves.toBe("next");
  });
});
