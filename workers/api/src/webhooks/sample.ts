/** What a test sends: a message of one of the endpoint's own events, about things that do not exist. Pure. */
import { toClick } from "../analytics/click-shape.ts";
import { toAnnouncedDomain } from "../domains/domain-shape.ts";
import { toPublicId } from "../http/entity-id.ts";
import { toLink } from "../links/link-shape.ts";
import { toBody } from "./delivery.ts";
import type { StoredEndpoint } from "./endpoint-store.ts";
import type { MessageType } from "./event-types.ts";

const ID = "00000000-0000-7000-8000-000000000001";
const HOST = "go.example.com";

/** The text of a body. @param at RFC 3339. */
export function toSample({ events, mode }: Pick<StoredEndpoint, "events" | "mode">, at: string): string {
  const [first = "click"] = events;
  const type = first === "click" && mode === "batch" ? "click.batch" : first;
  return toBody(type, at, dataOf(type, at));
}

function dataOf(type: MessageType, at: string): unknown {
  switch (type) {
    case "click":
      return aClick(at);
    case "click.batch":
      return { clicks: [aClick(at)] };
    case "click.summary":
      return { from: at, to: at, links: [{ linkId: toPublicId("lnk", ID), clicks: 3 }] };
    case "webhook.disabled":
      return { webhookId: toPublicId("whk", ID), reason: "failing" };
    case "domain.verified":
    case "domain.failing":
      return { domain: aDomain(Date.parse(at)) };
    case "link.created":
    case "link.updated":
    case "link.deleted":
    case "link.ended":
      return { link: aLink(Date.parse(at)) };
  }
}

function aClick(at: string) {
  return toClick({
    eventId: ID,
    atUs: String(Date.parse(at) * 1_000),
    values: new Map([
      ["link", ID],
      ["domain", ID],
      ["class", "human"],
      ["country", "CH"],
      ["device", "mobile"],
      ["browser", "Firefox"],
      ["destination", "https://example.com/"],
    ]),
  });
}

function aLink(atMs: number) {
  return toLink({
    id: ID,
    domainId: ID,
    host: HOST,
    slug: "sample",
    url: "https://example.com/",
    status: "live",
    redirectStatus: 302,
    followsDomainStatus: true,
    title: "A sample",
    tags: ["sample"],
    externalId: null,
    folderId: null,
    smart: {},
    startsAtMs: null,
    expiresAtMs: null,
    hasPassword: false,
    cap: null,
    version: 1,
    createdAtMs: atMs,
    updatedAtMs: atMs,
    clicks: { human: 0, total: 0, lastAtMs: null },
    aliases: [],
  });
}

function aDomain(atMs: number) {
  return toAnnouncedDomain({
    id: ID,
    host: HOST,
    settings: {},
    version: 1,
    proof: "dns",
    proofToken: "00000000000000000000000000000000",
    provedAtMs: atMs,
    checkedAtMs: atMs,
    seen: "found",
    missingSinceMs: null,
    isTaken: false,
    customHostname: null,
    createdAtMs: atMs,
  });
}
