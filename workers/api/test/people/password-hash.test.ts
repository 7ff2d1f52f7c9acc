/** The form of a stored password, and what production would refuse. */
import { expect, it } from "vitest";
import { createPasswords, MAX_ITERATIONS } from "../../src/people/password-hash.ts";

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
