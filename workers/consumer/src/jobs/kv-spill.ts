/** The spill in a KV namespace. Lists and reads may lag a removal by a minute; what is read again is a duplicate. */
import { SPILL_KEY_PREFIX } from "@hopline/core/click/spill-key";
import type { SpillStore } from "./drain-spill.ts";

/** KV's limit for one list. */
const MAX_LISTED = 1_000;

export function createKvSpill(namespace: KVNamespace): SpillStore {
  return {
    async list(limit) {
      const names: string[] = [];
      let cursor: string | null = "";
      while (cursor !== null && names.length < limit) {
        const page: KVNamespaceListResult<unknown> = await namespace.list({
          prefix: SPILL_KEY_PREFIX,
          limit: Math.min(limit - names.length, MAX_LISTED),
          ...(cursor === "" ? {} : { cursor }),
        });
        names.push(...page.keys.map(({ name }) => name));
        cursor = page.list_complete ? null : page.cursor;
      }
      return names;
    },
    async read(keys) {
      const texts = await namespace.get([...keys], "text");
      return new Map([...texts].flatMap(([key, text]) => (text === null ? [] : [[key, text]])));
    },
    remove: (key) => namespace.delete(key),
  };
}
