/** Judges the secrets that are at hand: whether they have the form that the Workers will ask for. Pure. */
import { toClientConfig } from "@hopline/testkit/postgres/database-url";
import { describeError, Failure } from "@hopline/testkit/console/failure";
import { fault, type Finding, good, unseen } from "./finding.ts";

const KEY_BYTES = 32;
const BASE64 = /^[A-Za-z0-9+/]+={0,2}$/;

/** `values`: by name, from the environment or from .secrets/; never repeated in a finding. */
export function judgeSecrets(
  required: readonly string[],
  values: ReadonlyMap<string, string>,
): readonly Finding[] {
  const unknown = required.filter((name) => !values.has(name));
  const known = required.flatMap((name) => judgeForm(name, values.get(name)));
  return unknown.length === 0
    ? known
    : [
        ...known,
        unseen(
          "secrets",
          "here",
          `${unknown.join(", ")} not at hand, so not looked at`,
          "Set them in the environment to have their form checked.",
        ),
      ];
}

function judgeForm(name: string, value: string | undefined): readonly Finding[] {
  if (value === undefined) {
    return [];
  }
  const problem = name === "DATABASE_URL" ? findUrlProblem(value) : findKeyProblem(name, value);
  return [problem ?? good("secrets", name, "has the right form")];
}

function findUrlProblem(value: string): Finding | null {
  try {
    toClientConfig(value);
    return null;
  } catch (error) {
    const what = error instanceof Failure ? describeError(error).replace(/\.$/, "") : "cannot be read";
    return fault("secrets", "DATABASE_URL", what, "Copy it from the database's console once more.");
  }
}

/** Only SEAL_KEY has a form; any text will do for the others. */
function findKeyProblem(name: string, value: string): Finding | null {
  const bytes = BASE64.test(value) ? Buffer.from(value, "base64").length : 0;
  return name === "SEAL_KEY" && bytes !== KEY_BYTES
    ? fault("secrets", name, `it is not base64 of ${KEY_BYTES} bytes`, "Make one: openssl rand -base64 32.")
    : null;
}
