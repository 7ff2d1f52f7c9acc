/**
 * Makes the data set's links as they are after an import through the API: committed in Postgres, published in KV.
 *
 * Written to both directly: one request a link takes the API minutes here, and what is measured begins afterwards. The
 * workspace and the domain are those of the demo data.
 */
import { encodeLinkRecord } from "@hopline/core/link-record";
import { linkKeyOf } from "@hopline/core/link-address";
import type { WorkerRuntime } from "@hopline/local/runtime/worker-runtime";
import type { Pool } from "pg";

import { destinationOf, slugOf } from "../script/targets.ts";

export type ImportOptions = {
  readonly database: Pool;
  readonly runtime: WorkerRuntime;
  /** Of the short domain, with its port. */
  readonly host: string;
  readonly linkCount: number;
  readonly signal: AbortSignal;
};

const PUTS_AT_ONCE = 32;

const INSERT = `
  INSERT INTO links (id, workspace_id, domain_id, slug, url, record)
  SELECT link.id, domains.workspace_id, domains.id, link.slug, link.url, link.record
  FROM unnest($2::uuid[], $3::text[], $4::text[], $5::text[]) AS link (id, slug, url, record)
  JOIN domains ON domains.host = $1`;

/** Resolves when all links are there. */
export async function importLinks(options: ImportOptions): Promise<void> {
  const links = Array.from({ length: options.linkCount }, (_, index) => toLink(index));
  await options.database.query(INSERT, [
    options.host,
    links.map(({ id }) => id),
    links.map(({ slug }) => slug),
    links.map(({ url }) => url),
    links.map(({ record }) => record),
  ]);
  const namespace = await options.runtime.getKv("LINKS");
  let next = 0;
  const publish = async (): Promise<void> => {
    for (let link = links[next++]; link !== undefined; link = links[next++]) {
      options.signal.throwIfAborted();
      await namespace.put(linkKeyOf(options.host, link.slug), link.record);
    }
  };
  await Promise.all(Array.from({ length: PUTS_AT_ONCE }, publish));
}

function toLink(index: number) {
  // Version 7 in form, as the API makes them, with the time at zero.
  const id = `00000000-0000-7000-8001-${index.toString(16).padStart(12, "0")}`;
  const url = destinationOf(index);
  const record = encodeLinkRecord({ linkId: id, version: 1, state: "live", url, redirectStatus: 302 });
  return { id, slug: slugOf(index), url, record };
}
