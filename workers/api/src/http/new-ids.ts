/**
 * Ids for what a request creates. With an Idempotency-Key they are derived from its owner, the caller, the key and the
 * time of the first attempt: when the answer to a committed write is lost, the retry makes the same ids and finds it.
 */
import { v5 as uuidv5, v7 as uuidv7 } from "uuid";
import { newEntityId } from "./entity-id.ts";

export type NewIds = {
  /** The id of the request's n-th object, from 0. `content`: what the object is made of, if the request's hash does not cover it. */
  readonly idAt: (index: number, content?: string) => string;
  /** An earlier attempt may have created some of them. */
  readonly isRetry: boolean;
};

export const FRESH_IDS: NewIds = { idAt: newEntityId, isRetry: false };

/** Room for the index in the 32 bits of a UUIDv7 that keep ids of one moment in order. */
const MAX_INDEX = 2 ** 24 - 1;

/** @param key of the caller: a hash over both. */
export function deriveIds(
  { ownerId, key }: { readonly ownerId: string; readonly key: string },
  { firstAtMs, isRetry }: { readonly firstAtMs: number; readonly isRetry: boolean },
): NewIds {
  const namespace = uuidv5(key, ownerId, new Uint8Array(16));
  return {
    isRetry,
    idAt(index, content = "") {
      const random = uuidv5(`${index} ${content}`, namespace, new Uint8Array(16));
      // The first byte is the request's, so that its objects keep their order.
      const seq = ((namespace[0] ?? 0) << 24) | (index & MAX_INDEX);
      return uuidv7({ msecs: firstAtMs, seq, random });
    },
  };
}
