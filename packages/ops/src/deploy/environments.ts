/** The deployments of this repository (environments.jsonc): what differs between staging and production. */
import { readFile, writeFile } from "node:fs/promises";

import { Failure } from "@hopline/testkit/console/failure";
import { applyEdits, modify } from "jsonc-parser";
import { inDeployment } from "./deployment-directory.ts";
import { isJsonObject, type JsonObject, objectAt, parseJsonObject, textAt, textsAt } from "./json-object.ts";

const PATH = "environments.jsonc";
const SUFFIX = /^(-[a-z0-9]+)*$/;
const KEYS = new Set(["suffix", "domains", "rateLimitOffset", "vars"]);

/** For a command without `--env`: not production. */
export const DEFAULT_ENVIRONMENT = "staging";
/** Of the commands that work on a deployment. */
export const envArg = {
  type: "string",
  default: DEFAULT_ENVIRONMENT,
  description: "An environment of environments.jsonc",
} as const;

export type Environment = {
  readonly name: string;
  /** Ends the name of every Worker, queue and KV namespace; empty for one of the environments at most. */
  readonly suffix: string;
  /** Host names of the producer. */
  readonly domains: readonly string[];
  readonly rateLimitOffset: number;
  /** Worker to its variables. */
  readonly vars: JsonObject;
};

/** Rejects with a `Failure` when the file, or an environment of that name, is not there. */
export async function readEnvironment(name: string): Promise<Environment> {
  const environments = parseEnvironments(await readFile(inDeployment(PATH), "utf8"));
  const environment = environments.find((candidate) => candidate.name === name);
  if (environment === undefined) {
    const known = environments.map((candidate) => candidate.name).join(", ");
    throw new Failure(`There is no environment "${name}" in ${PATH}; it has ${known}.`);
  }
  return environment;
}

/** What a command sets of an environment: its hosts, and variables by Worker. */
export type EnvironmentChange = {
  readonly domains?: readonly string[];
  readonly vars?: Readonly<Record<string, Readonly<Record<string, string>>>>;
};

/** Writes it into the file, whose comments stay. Resolves to the environment as it is then. */
export async function changeEnvironment(name: string, change: EnvironmentChange): Promise<Environment> {
  const path = inDeployment(PATH);
  await writeFile(path, editEnvironment(await readFile(path, "utf8"), name, change));
  return readEnvironment(name);
}

/** The text of the file with the change in it. */
export function editEnvironment(text: string, name: string, { domains, vars }: EnvironmentChange): string {
  const values: { readonly path: string[]; readonly value: unknown }[] = [
    ...(domains === undefined ? [] : [{ path: [name, "domains"], value: domains }]),
    ...Object.entries(vars ?? {}).flatMap(([worker, own]) =>
      Object.entries(own).map(([key, value]) => ({ path: [name, "vars", worker, key], value })),
    ),
  ];
  const formattingOptions = { insertSpaces: true, tabSize: 2 };
  return values.reduce(
    (edited, { path, value }) => applyEdits(edited, modify(edited, path, value, { formattingOptions })),
    text,
  );
}

/** Two environments with one suffix would deploy over each other: a `Failure`. */
export function parseEnvironments(text: string): readonly Environment[] {
  const environments = Object.entries(parseJsonObject(text, PATH)).map(([name, value]) =>
    parseEnvironment(name, isJsonObject(value) ? value : {}),
  );
  for (const [index, { name, suffix }] of environments.entries()) {
    const other = environments.slice(0, index).find((earlier) => earlier.suffix === suffix)?.name;
    if (other !== undefined) {
      throw new Failure(
        `${PATH}: ${other} and ${name} have the same suffix "${suffix}" and would deploy over each other.`,
      );
    }
  }
  return environments;
}

function parseEnvironment(name: string, value: JsonObject): Environment {
  const suffix = textAt(value, "suffix");
  if (suffix === null || !SUFFIX.test(suffix)) {
    throw new Failure(`${PATH}: the suffix of ${name} must be empty or look like "-staging".`);
  }
  const unknown = Object.keys(value).find((key) => !KEYS.has(key));
  if (unknown !== undefined) {
    throw new Failure(`${PATH}: ${name} has an unknown key "${unknown}": remove it.`);
  }
  const rateLimitOffset = value["rateLimitOffset"] ?? 0;
  if (typeof rateLimitOffset !== "number" || !Number.isSafeInteger(rateLimitOffset) || rateLimitOffset < 0) {
    throw new Failure(`${PATH}: the rateLimitOffset of ${name} must be a whole number.`);
  }
  return {
    name,
    suffix,
    domains: textsAt(value, "domains"),
    rateLimitOffset,
    vars: objectAt(value, "vars"),
  };
}
