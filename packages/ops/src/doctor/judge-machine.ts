/** Judges this machine: its tools (Node, and one workerd for everything that runs a Worker), and the secrets it knows. Pure. */
import { Failure } from "@hopline/testkit/console/failure";
import { toClientConfig } from "@hopline/testkit/postgres/database-url";
import { about, type Finding } from "./finding.ts";

export type ToolVersions = {
  /** Of the Node that runs this command: `24.21.0`. */
  readonly node: string;
  readonly wrangler: string;
  /** Every workerd of the lock file: `1.20261102.1`. */
  readonly workerds: readonly string[];
  /** The latest of the configurations: `2026-10-20`. */
  readonly compatibilityDate: string;
};

/** The commands are TypeScript that Node runs as it is. */
const MIN_NODE_MAJOR = 24;
/** workerd accepts a compatibility date up to a week past its own build. */
const DAYS_AHEAD = 7;
const DAY_MS = 86_400_000;
const WORKERD = /^ {2}workerd@(\d+\.\d+\.\d+):$/gm;
const KEY_BYTES = 32;
const BASE64 = /^[A-Za-z0-9+/]+={0,2}$/;

/** The versions of workerd that a pnpm-lock.yaml names. */
export function readWorkerds(lockFile: string): readonly string[] {
  return [...new Set([...lockFile.matchAll(WORKERD)].map((match) => match[1] ?? ""))];
}

export function judgeTools({
  node,
  wrangler,
  workerds,
  compatibilityDate,
}: ToolVersions): readonly Finding[] {
  const lockFile = about("versions", "pnpm-lock.yaml");
  const findings = [
    Number(node.split(".")[0]) >= MIN_NODE_MAJOR
      ? about("versions", "Node").good(node)
      : about("versions", "Node").fault(
          `${node} is older than ${MIN_NODE_MAJOR}`,
          "Run the command through pnpm, which brings its own.",
        ),
    workerds.length === 1
      ? lockFile.good(`wrangler ${wrangler}, one workerd: ${workerds.join()}`)
      : lockFile.fault(
          `${workerds.length} versions of workerd (${workerds.join(", ")}): tests and deployment do not run the same`,
          "Move wrangler, miniflare and the Vitest pool together in pnpm-workspace.yaml.",
        ),
  ];
  const latestMs = Math.min(...workerds.map(toLatestDateMs));
  if (Date.parse(compatibilityDate) > latestMs) {
    findings.push(
      about("versions", "wrangler.jsonc").fault(
        `compatibility date ${compatibilityDate} is later than the installed workerd accepts`,
        `Use ${new Date(latestMs).toISOString().slice(0, 10)} at most.`,
      ),
    );
  }
  return findings;
}

function toLatestDateMs(workerd: string): number {
  const [, year = "", month = "", day = ""] = /\.(\d{4})(\d{2})(\d{2})\./.exec(workerd) ?? [];
  return Date.UTC(Number(year), Number(month) - 1, Number(day)) + DAYS_AHEAD * DAY_MS;
}

const MIN_AUTH_SECRET_LENGTH = 32;

/** Whether secrets have the form that the Workers ask for. Their values are never repeated in a finding. */
export function judgeSecrets(
  required: readonly string[],
  values: ReadonlyMap<string, string>,
): readonly Finding[] {
  const unknown = required.filter((name) => !values.has(name));
  const findings = required.flatMap((name) => {
    const value = values.get(name);
    return value === undefined ? [] : [judgeForm(name, value)];
  });
  if (unknown.length > 0) {
    const todo = "Set them in the environment to have their form checked.";
    findings.push(about("secrets", "here").unseen(`${unknown.join(", ")} not set, so not checked`, todo));
  }
  return findings;
}

/** DATABASE_URL, SEAL_KEY, WEBHOOK_SEAL_KEY and AUTH_SECRET have a form; any text will do for the others. */
function judgeForm(name: string, value: string): Finding {
  const secret = about("secrets", name);
  const isKey = (text: string) => BASE64.test(text) && Buffer.from(text, "base64").length === KEY_BYTES;
  // Several while it is rotated (workers/api/src/webhooks/sealed-secrets.ts).
  const keys = name === "WEBHOOK_SEAL_KEY" ? value.split(",").map((text) => text.trim()) : [value];
  if (name.endsWith("SEAL_KEY") && !keys.every(isKey)) {
    return secret.fault(`it is not base64 of ${KEY_BYTES} bytes`, "Make one: openssl rand -base64 32.");
  }
  // Several while it is rotated (workers/api/src/people/people-settings.ts).
  if (
    name === "AUTH_SECRET" &&
    value.split(",").some((text) => text.trim().length < MIN_AUTH_SECRET_LENGTH)
  ) {
    return secret.fault(
      `it is shorter than ${MIN_AUTH_SECRET_LENGTH} characters`,
      "Make one: openssl rand -base64 32. If it is in use, keep it behind a comma: new,old.",
    );
  }
  try {
    if (name === "DATABASE_URL") {
      toClientConfig(value);
    }
    return secret.good("has the right form");
  } catch (error) {
    const what = error instanceof Failure ? error.message.replace(/\.$/, "") : "cannot be read";
    return secret.fault(what, "Copy it from the database's console again.");
  }
}
