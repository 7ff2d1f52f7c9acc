/**
 * Everything that outlives a request in this Worker: the isolate's cache, its identity and the database client. Plain
 * data only; a request, a context or an unsettled promise kept here would hang a later visitor.
 */
import type { LinkRecord } from "@hopline/core/link-record";
import { createNeonClient, type NeonSettings, type RunSql } from "@hopline/db/neon-client";
import { IsolateCache } from "@hopline/edge-cache/isolate-cache";

/** Numbers the clicks of this isolate, from 1. */
export interface ClickCounter {
  next(): { readonly isolateId: string; readonly sequence: number };
}

export type IsolateState = {
  readonly cache: IsolateCache<LinkRecord>;
  readonly counter: ClickCounter;
  readonly runSql: RunSql;
};

let state: IsolateState | undefined;

/**
 * The isolate's state, made with its first request: workerd gives out no randomness before one. The settings of the
 * first call hold: they are bindings, which an isolate never sees change.
 */
export function isolateState(settings: NeonSettings): IsolateState {
  state ??= {
    cache: new IsolateCache({ nowMs: Date.now, random: Math.random }),
    counter: createClickCounter(crypto.getRandomValues(new Uint8Array(8))),
    runSql: createNeonClient(settings),
  };
  return state;
}

function createClickCounter(randomBytes: Uint8Array): ClickCounter {
  const isolateId = Array.from(randomBytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
  let sequence = 0;
  return {
    next() {
      sequence += 1;
      return { isolateId, sequence };
    },
  };
}
