/**
 * The secrets this machine knows: from the environment, or else from `.secrets/<environment>.json`, readable by its owner alone and never
 * committed. There `provision` keeps what it generated, and `start` also the first key and the answers it got. Cloudflare does not give a
 * secret back, and sealed clicks can only be read with SEAL_KEY.
 */
import { chmod, mkdir, readFile, writeFile } from "node:fs/promises";
import { dirname } from "node:path";

import { errorCode, Failure } from "@hopline/testkit/console/failure";
import { inDeployment } from "./deployment-directory.ts";
import { type JsonObject, parseJsonObject, textAt } from "./json-object.ts";

const OWNER_ONLY = 0o600;
const OWNER_ONLY_FOLDER = 0o700;

/** Relative to the root. */
export function secretsPath(environment: string): string {
  return `.secrets/${environment}.json`;
}

/** DATABASE_URL, or a Failure that says how to give it. */
export async function readDatabaseUrlOf(environment: string): Promise<string> {
  const known = (await readSecrets(environment, ["DATABASE_URL"])).get("DATABASE_URL");
  if (known === undefined) {
    throw new Failure(
      `The database of ${environment} is not known here: set DATABASE_URL to postgresql://user:password@host/name.`,
    );
  }
  return known;
}

/** The values of these secrets; a secret that is not known here has no entry. */
export async function readSecrets(
  environment: string,
  names: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  const kept = await readKept(environment);
  return new Map(
    names.flatMap((name): [string, string][] => {
      const value = process.env[name] || textAt(kept, name) || "";
      return value === "" ? [] : [[name, value]];
    }),
  );
}

/** Adds secrets to the file. */
export async function keepSecrets(environment: string, values: ReadonlyMap<string, string>): Promise<void> {
  const path = inDeployment(secretsPath(environment));
  const text = JSON.stringify({ ...(await readKept(environment)), ...Object.fromEntries(values) }, null, 2);
  await mkdir(dirname(path), { recursive: true, mode: OWNER_ONLY_FOLDER });
  await writeFile(path, `${text}\n`, { mode: OWNER_ONLY });
  // The mode above is only for a new file.
  await chmod(path, OWNER_ONLY);
}

async function readKept(environment: string): Promise<JsonObject> {
  const path = secretsPath(environment);
  const text = await readFile(inDeployment(path), "utf8").catch((error: unknown) => {
    if (errorCode(error) === "ENOENT") {
      return "{}";
    }
    throw error;
  });
  return parseJsonObject(text, path);
}
