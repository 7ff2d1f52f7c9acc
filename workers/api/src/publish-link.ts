/** Brings a committed link to the edge. Until it succeeds, the edge finds the link in Postgres. */
import { fitsKvKey, type LinkKey } from "@hopline/core/link-address";

/** Writes the record where the edge reads it. Rejects when the write fails. */
export type PublishLink = (key: LinkKey, recordText: string) => Promise<void>;

export function createPublishLink(namespace: KVNamespace): PublishLink {
  return async (key, recordText) => {
    if (fitsKvKey(key)) {
      await namespace.put(key, recordText);
    }
  };
}
