/**
 * Everything that outlives a request in this Worker: the isolate's cache, its identity and the database client. Plain
 * data only; a request, a context or an unsettled promise kept here would hang a later visitor.
 */
import type { LinkKey } from "@hopline/core/link-address";
import type { LinkRecord } from "@hopline/core/link-record";
import { createIsolateCache, type IsolateCache } from "@hopline/edge-cache/isolate-cache";
import { createNeonClient, type NeonSettings, type RunSql } from "@hopline/db/neon-client";

/** Numbers the clicks of this isolate, from 1. */
export interface ClickCounter {
  next(): { readonly isolateId: string; readonly sequence: number };
}

export type IsolateState = {
  readonly cache: IsolateCache<LinkRecord | null>;
  readonly counter: ClickCounter;
  readonly runSql: RunSql;
};

let state: IsolateState | undefined;
