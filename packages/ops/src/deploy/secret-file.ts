/**
 * Where `pnpm run provision` keeps the secrets it made: `.secrets/<environment>.json`, readable by its owner alone and
 * never committed. Cloudflare does not give a secret back, and sealed clicks can only be read with SEAL_KEY.
 */
import { chmod, mkdir, readFile, writeFile } from "node:fs/promises";
import { dirname } from "node:path";

import { errorCode } from "@hopline/testkit/console/failure";
import { inWorkspace } from "@hopline/testkit/workspace/workspace";
import { parseJsonObject } from "./json-object.ts";

export type SecretFile = {
  /** Relative to the root. */
  readonly path: string;
  /** Empty where there is no file yet. */
  read(): Promise<ReadonlyMap<string, string>>;
  write(values: ReadonlyMap<string, string>): Promise<void>;
};

const OWNER_ONLY = 0o600;
const OWNER_ONLY_FOLDER = 0o700;

export function createSecretFile(environment: string): SecretFile {
  const path = `.secrets/${environment}.json`;
  return {
    path,
    async read() {
      const text = await readFile(inWorkspace(path), "utf8").catch((error: unknown) => {
        if (errorCode(error) === "ENOENT") {
          return "{}";
        }
        throw error;
      });
      const entries = Object.entries(parseJsonObject(text, path));
      return new Map(
        entries.filter((entry): entry is [string, string] => typeof entry[1] === "string" && entry[1] !== ""),
      );
    },
    async write(values) {
      const text = `${JSON.stringify(Object.fromEntries(values), null, 2)}\n`;
      await mkdir(dirname(inWorkspace(path)), { recursive: true, mode: OWNER_ONLY_FOLDER });
      await writeFile(inWorkspace(path), text, { mode: OWNER_ONLY });
      // The mode above is only for a new file.
      await chmod(inWorkspace(path), OWNER_ONLY);
    },
  };
}
