/** The first key of a deployment, kept with its secrets before the database knows it: no run loses one. */
import type { Place } from "../deploy/prove.ts";
import { keepSecrets, readSecrets } from "../deploy/secrets.ts";
import { createKey, findWorkspaceOf, isKeyKnown, newKey } from "./create-key.ts";

const NAME = "FIRST_API_KEY";
/** Its owner can change it. */
const WORKSPACE_NAME = "My workspace";

/** Resolves to the key. Makes workspace and host where they are missing. */
export async function ensureFirstKey(environment: string, { databaseUrl, host }: Place): Promise<string> {
  const kept = (await readSecrets(environment, [NAME])).get(NAME);
  if (kept !== undefined && (await isKeyKnown(databaseUrl, kept))) {
    return kept;
  }
  const key = newKey();
  await keepSecrets(environment, new Map([[NAME, key]]));
  const id = await findWorkspaceOf(databaseUrl, host);
  const workspace = id === null ? { newName: WORKSPACE_NAME } : { id };
  await createKey(databaseUrl, { workspace, name: "First key", scopes: ["admin"], domain: host, key });
  return key;
}
