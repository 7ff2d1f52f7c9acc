/** Rows of webhook_deliveries as they are sent: their messages. Pure. */
import { toAnnouncedDomain } from "../domains/domain-shape.ts";
import type { StoredDomain } from "../domains/domain-store.ts";
import { toPublicId } from "../http/entity-id.ts";
import { toInstant } from "../instant.ts";
import { toLink } from "../links/link-shape.ts";
import type { StoredLink } from "../links/store/link-columns.ts";
import type { MessageType } from "./event-types.ts";

const MAX_MESSAGES = 200;

/** A row that waits. */
export type Delivery = {
  readonly id: string;
  readonly type: MessageType;
  readonly createdAtMs: number;
  /** Of its clicks; empty for other events. */
  readonly eventIds: readonly string[];
  /** Epoch milliseconds of the first and the last of them, rounded outwards. */
  readonly clickedFromMs: number;
  readonly clickedToMs: number;
  readonly data: unknown;
  /** Messages of it that were accepted before. */
  readonly sent: number;
  readonly attempts: number;
};

/** A click as messages have it. */
export type ClickText = {
  /** Its public id. */
  readonly id: string;
  /** RFC 3339. */
  readonly at: string;
  /** A `ClickBody`. */
  readonly json: string;
};

/** What rows of a kind refer to, as far as it is still there. */
export type Found = {
  /** By event id. */
  readonly clicks: ReadonlyMap<string, ClickText>;
  /** By the row's id. */
  readonly links: ReadonlyMap<string, StoredLink>;
};

/** A message before it is signed. */
export type Draft = { readonly id: string; readonly body: string };

/** The first rows, of some 200 messages together: what is read for them is not much more than what is sent. */
export function limitMessages(due: readonly Delivery[]): readonly Delivery[] {
  let messages = 0;
  return due.filter(({ type, eventIds, sent }) => {
    const isTaken = messages < MAX_MESSAGES;
    messages += type === "click" ? eventIds.length - sent : 1;
    return isTaken;
  });
}

/** In the order in which they are to be sent. `null`: what it was about is gone. */
export function toDrafts(delivery: Delivery, found: Found): readonly (Draft | null)[] {
  const { type, eventIds } = delivery;
  const at = toInstant(delivery.createdAtMs);
  const clickOf = (eventId: string) => found.clicks.get(eventId) ?? null;
  switch (type) {
    case "click":
      return eventIds.map((eventId) => {
        const click = clickOf(eventId);
        return click && { id: click.id, body: toBodyOf(type, click.at, click.json) };
      });
    case "click.batch": {
      const clicks = eventIds.map(clickOf).filter((click) => click !== null);
      const texts = clicks.map(({ json }) => json).join(",");
      return [clicks.length === 0 ? null : toDraft(delivery, toBodyOf(type, at, `{"clicks":[${texts}]}`))];
    }
    case "click.summary":
      return [toDraft(delivery, toBody(type, at, toSummary(delivery.data)))];
    case "link.created":
    case "link.updated":
    case "link.deleted":
    case "link.ended": {
      const link = found.links.get(delivery.id);
      return [link === undefined ? null : toDraft(delivery, toBody(type, at, { link: toLink(link) }))];
    }
    case "domain.verified":
    case "domain.failing":
      return [
        toDraft(delivery, toBody(type, at, { domain: toAnnouncedDomain(toStoredDomain(delivery.data)) })),
      ];
    case "webhook.disabled":
      return [toDraft(delivery, toBody(type, at, delivery.data))];
  }
}

/** How many clicks of it are not there any more. */
export function countLost({ eventIds }: Delivery, { clicks }: Found): number {
  return eventIds.filter((eventId) => !clicks.has(eventId)).length;
}

export function toBody(type: MessageType, timestamp: string, data: unknown): string {
  return toBodyOf(type, timestamp, JSON.stringify(data));
}

/** @param data JSON already. */
function toBodyOf(type: MessageType, timestamp: string, data: string): string {
  return `{"type":"${type}","timestamp":"${timestamp}","data":${data}}`;
}

function toDraft({ id }: Delivery, body: string): Draft {
  return { id: toPublicId("dlv", id), body };
}

/** From a row as the trigger on domains kept it. */
function toStoredDomain(data: unknown): Parameters<typeof toAnnouncedDomain>[0] {
  const row = data as Pick<StoredDomain, "settings" | "proof" | "seen"> & {
    readonly [column: string]: unknown;
  };
  const msOf = (column: string) => (typeof row[column] === "string" ? Date.parse(row[column]) : null);
  return {
    id: String(row["id"]),
    host: String(row["host"]),
    settings: row.settings,
    version: Number(row["version"]),
    proof: row.proof,
    proofToken: String(row["proof_token"]),
    provedAtMs: msOf("proved_at"),
    checkedAtMs: msOf("checked_at"),
    seen: row.seen,
    missingSinceMs: msOf("missing_since"),
    isTaken: false,
    customHostname: row["custom_hostname"],
    createdAtMs: msOf("created_at") ?? 0,
  };
}

type StoredSummary = {
  /** Epoch seconds. */
  readonly from: number;
  readonly links: readonly (readonly [linkId: string, clicks: number])[];
};

const MINUTE_MS = 60_000;

function toSummary(data: unknown) {
  const { from, links } = data as StoredSummary;
  return {
    from: toInstant(from * 1_000),
    to: toInstant(from * 1_000 + MINUTE_MS),
    links: links.map(([linkId, clicks]) => ({ linkId: toPublicId("lnk", linkId), clicks })),
  };
}
