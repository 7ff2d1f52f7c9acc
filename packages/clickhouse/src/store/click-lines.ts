/** Clicks as the data of one insert into `clicks` (migrations/clickhouse). Pure. */
import type { ClickRow } from "@hopline/db/ingest/click-row";
import type { LinkOwner } from "@hopline/db/ingest/find-segments";
import { hashOfEvent } from "./event-hash.ts";

/** A click with what Postgres knows of its link. */
export type OwnedClick = {
  readonly row: ClickRow;
  readonly owner: LinkOwner;
  /** Of its link's version, where the click was sent nowhere else. */
  readonly destination: string | null;
};

/** What is not known is null here, and empty there. */
const CELLS = {
  workspace_id: ({ owner }) => owner.workspaceId,
  clicked_at: ({ row }) => (row.clickedAtMs / 1_000).toFixed(3),
  link_id: ({ row }) => row.linkId,
  event_id: ({ row }) => row.eventId,
  event_hash: ({ row }) => hashOfEvent(row.eventId),
  link_version: ({ row }) => String(row.linkVersion),
  domain_id: ({ owner }) => owner.domainId,
  rule_id: ({ row }) => row.ruleId,
  variant_id: ({ row }) => row.variantId,
  destination: ({ row, destination }) => row.destination || destination,
  source: ({ row }) => row.source,
  class: ({ row }) => row.class,
  visitor: ({ row }) => (row.visitor === null ? "0" : keyOfVisitor(row.visitor)),
  referrer_host: ({ row }) => row.referrerHost,
  language: ({ row }) => row.language,
  browser: ({ row }) => row.browser,
  os: ({ row }) => row.os,
  device: ({ row }) => row.device,
  country: ({ row }) => row.country,
  region: ({ row }) => row.region,
  city: ({ row }) => row.city,
  continent: ({ row }) => row.continent,
  colo: ({ row }) => row.colo,
  utm_source: ({ row }) => row.utmSource,
  utm_medium: ({ row }) => row.utmMedium,
  utm_campaign: ({ row }) => row.utmCampaign,
  utm_term: ({ row }) => row.utmTerm,
  utm_content: ({ row }) => row.utmContent,
} satisfies Readonly<Record<string, (click: OwnedClick) => string | number | null>>;

const COLUMNS = Object.keys(CELLS);
const WRITE = Object.values(CELLS);

export const INSERT_CLICKS: string = `INSERT INTO clicks (${COLUMNS.join(", ")}) FORMAT JSONCompactEachRow`;

export function toLines(clicks: readonly OwnedClick[]): string {
  return clicks.map((click) => JSON.stringify(WRITE.map((write) => write(click)))).join("\n");
}

/** Both halves of a visitor's hash, combined to 64 bits, signed: enough to tell those of a day apart. */
function keyOfVisitor(visitor: string): string {
  const digits = visitor.replaceAll("-", "");
  const [first, second] = [BigInt(`0x${digits.slice(0, 16)}`), BigInt(`0x${digits.slice(16)}`)];
  return String(BigInt.asIntN(64, first ^ second));
}
