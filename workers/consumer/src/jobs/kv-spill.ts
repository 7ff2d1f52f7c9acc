/** The spill in a KV namespace. Lists and reads may lag a removal by a minute; what is read again is a duplicate. */
import { SPILL_KEY_PREFIX } from "@hopline/core/click/spill-key";
import type { SpillStore } from "./drain-spill.ts";

export function createKvSpill(namespace: KVNamespace): SpillStore {
  return {
    async list(limit) {
      const { keys } = await namespace.list({ prefix: SPILL_KEY_PREFIX, limit });
      return keys.map((key) => key.name);
    },
    read: (key) => namespace.get(key, "text"),
    remove: (key) => namespace.delete(key),
  };
}
