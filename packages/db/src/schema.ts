/**
 * The tables that the API reads and writes, for drizzle: all of them, and so more than a screen. `migrations/` defines them; a
 * test compares the two. Only the API may import this: everything else speaks `sql.ts`.
 */
import { sql } from "drizzle-orm";
import {
  bigint,
  boolean,
  customType,
  date,
  integer,
  jsonb,
  pgTable,
  smallint,
  text,
  timestamp,
  uuid,
} from "drizzle-orm/pg-core";
import type { StoredBound } from "./links/bounds.ts";

/** Bytes, in the hexadecimal form that Postgres prints. */
const bytes = customType<{ data: string; driverData: string }>({
  dataType: () => "bytea",
  toDriver: (hex) => `\\x${hex}`,
  fromDriver: (printed) => printed.slice(2),
});

/** Statements select instants as numbers (workers/api/src/instant.ts); what they write is RFC 3339. */
const instant = (name: string) => timestamp(name, { withTimezone: true, mode: "string" });
const createdAt = instant("created_at").notNull().defaultNow();
const updatedAt = instant("updated_at").notNull().defaultNow();

/** Counts and versions: exact up to 2^53. */
const count = (name: string) => bigint(name, { mode: "number" }).notNull();
/** Transactions, as text. */
const transactionId = (name: string) => bigint(name, { mode: "bigint" }).notNull();

const id = uuid("id").primaryKey();
const workspaceId = uuid("workspace_id").notNull();
/** Of a resource, for If-Match. */
const version = integer("version").notNull().default(1);

export const workspaces = pgTable("workspaces", {
  id,
  name: text("name").notNull(),
  qrPresets: jsonb("qr_presets").notNull().default([]),
  defaults: jsonb("defaults"),
  version,
  suspendedAt: instant("suspended_at"),
  suspendedFor: text("suspended_for"),
  deletedAt: instant("deleted_at"),
  createdAt,
});

export const workspaceLimits = pgTable("workspace_limits", {
  workspaceId: uuid("workspace_id").primaryKey(),
  links: bigint("links", { mode: "number" }),
  clicks: bigint("clicks", { mode: "number" }),
  requests: bigint("requests", { mode: "number" }),
});

export const workspaceRequests = pgTable("workspace_requests", {
  workspaceId,
  month: date("month").notNull(),
  requests: count("requests"),
});

export const apiKeys = pgTable("api_keys", {
  id,
  workspaceId,
  name: text("name").notNull(),
  prefix: text("prefix").notNull(),
  /** SHA-256. */
  keyHash: bytes("key_hash").notNull(),
  scopes: text("scopes").array().notNull(),
  expiresAt: instant("expires_at"),
  revokedAt: instant("revoked_at"),
  lastUsedAt: instant("last_used_at"),
  makerId: uuid("maker_id"),
  version,
  createdAt,
  bounds: jsonb("bounds").$type<StoredBound>(),
});

export const requestCounts = pgTable("request_counts", {
  subject: text("subject").primaryKey(),
  windowStartedAt: instant("window_started_at").notNull(),
  requests: integer("requests").notNull(),
  earlier: integer("earlier").notNull().default(0),
});

export const idempotencyKeys = pgTable("idempotency_keys", {
  ownerId: uuid("owner_id").notNull(),
  key: text("key").notNull(),
  requestHash: bytes("request_hash").notNull(),
  attemptId: uuid("attempt_id").notNull(),
  status: smallint("status"),
  headers: jsonb("headers").$type<Readonly<Record<string, string>>>(),
  body: text("body"),
  createdAt,
});

export const storedAnswers = pgTable("stored_answers", {
  ownerId: uuid("owner_id").notNull(),
  day: date("day").notNull(),
  bytes: bigint("bytes", { mode: "number" }).notNull(),
});

// People. better-auth reads and writes the first four with dates.

const instantOfAuth = (name: string) => timestamp(name, { withTimezone: true, mode: "date" });
const datesOfAuth = {
  createdAt: instantOfAuth("created_at").notNull().defaultNow(),
  updatedAt: instantOfAuth("updated_at").notNull().defaultNow(),
};

export const people = pgTable("people", {
  id,
  name: text("name").notNull(),
  email: text("email").notNull(),
  emailVerified: boolean("email_verified").notNull().default(false),
  image: text("image"),
  isOperator: boolean("is_operator").notNull().default(false),
  ...datesOfAuth,
});

export const sessions = pgTable("sessions", {
  id,
  personId: uuid("person_id").notNull(),
  token: text("token").notNull(),
  expiresAt: instantOfAuth("expires_at").notNull(),
  ipAddress: text("ip_address"),
  userAgent: text("user_agent"),
  ...datesOfAuth,
});

export const accounts = pgTable("accounts", {
  id,
  personId: uuid("person_id").notNull(),
  providerId: text("provider_id").notNull(),
  accountId: text("account_id").notNull(),
  password: text("password"),
  accessToken: text("access_token"),
  refreshToken: text("refresh_token"),
  idToken: text("id_token"),
  accessTokenExpiresAt: instantOfAuth("access_token_expires_at"),
  refreshTokenExpiresAt: instantOfAuth("refresh_token_expires_at"),
  scope: text("scope"),
  ...datesOfAuth,
});

export const verifications = pgTable("verifications", {
  id,
  identifier: text("identifier").notNull(),
  value: text("value").notNull(),
  expiresAt: instantOfAuth("expires_at").notNull(),
  ...datesOfAuth,
});

export const passkeys = pgTable("passkeys", {
  id,
  personId: uuid("person_id").notNull(),
  name: text("name").notNull(),
  credentialId: text("credential_id").notNull(),
  publicKey: text("public_key").notNull(),
  counter: count("counter"),
  transports: text("transports").array().notNull(),
  isSynced: boolean("is_synced").notNull(),
  createdAt,
  lastUsedAt: instant("last_used_at"),
});

const role = text("role", { enum: ["viewer", "editor", "admin", "owner"] }).notNull();

export const members = pgTable("members", {
  id,
  workspaceId,
  personId: uuid("person_id").notNull(),
  role,
  bounds: jsonb("bounds").$type<StoredBound>(),
  createdAt,
  version,
});

export const invitations = pgTable("invitations", {
  id,
  workspaceId,
  email: text("email").notNull(),
  role,
  bounds: jsonb("bounds").$type<StoredBound>(),
  status: text("status", { enum: ["pending", "accepted", "canceled"] })
    .notNull()
    .default("pending"),
  inviterId: uuid("inviter_id"),
  expiresAt: instant("expires_at").notNull(),
  createdAt,
  version,
  requestId: uuid("request_id"),
});

export const credentialAttempts = pgTable("credential_attempts", {
  subject: bytes("subject").primaryKey(),
  windowStartedAt: instant("window_started_at").notNull(),
  attempts: integer("attempts").notNull(),
});

export const knownNetworks = pgTable("known_networks", {
  subject: bytes("subject").primaryKey(),
  personId: uuid("person_id").notNull(),
  seenAt: instant("seen_at").notNull().defaultNow(),
});

export const auditLog = pgTable("audit_log", {
  id: uuid("id").primaryKey().defaultRandom(),
  at: instant("at")
    .notNull()
    .default(sql`clock_timestamp()`),
  workspaceId: uuid("workspace_id"),
  personId: uuid("person_id"),
  actor: text("actor").notNull(),
  requestId: text("request_id"),
  action: text("action").notNull(),
  resourceId: uuid("resource_id"),
  label: text("label"),
  before: jsonb("before").$type<Readonly<Record<string, unknown>>>(),
  after: jsonb("after").$type<Readonly<Record<string, unknown>>>(),
});

// Domains and links.

export const domains = pgTable("domains", {
  id,
  workspaceId,
  host: text("host").notNull(),
  settings: jsonb("settings").$type<Readonly<Record<string, unknown>>>().notNull().default({}),
  version: count("version").default(1),
  record: text("record"),
  proof: text("proof", { enum: ["pending", "dns", "vouched"] })
    .notNull()
    .default("pending"),
  proofToken: text("proof_token")
    .notNull()
    .default(sql`replace(gen_random_uuid()::text, '-', '')`),
  provedAt: instant("proved_at"),
  checkedAt: instant("checked_at"),
  seen: text("seen", { enum: ["found", "missing", "wrong", "unavailable"] }),
  missingSince: instant("missing_since"),
  customHostname: jsonb("custom_hostname"),
  suspendedAt: instant("suspended_at"),
  suspendedFor: text("suspended_for"),
  deletedAt: instant("deleted_at"),
  releasedAt: instant("released_at"),
  createdAt,
});

export const domainLogos = pgTable("domain_logos", {
  domainId: uuid("domain_id").primaryKey(),
  workspaceId,
  png: bytes("png").notNull(),
  width: smallint("width").notNull(),
  height: smallint("height").notNull(),
  /** Of the picture: another one has another. */
  hash: text("hash").generatedAlwaysAs(sql`left(encode(sha256(png), 'hex'), 32)`),
  updatedAt,
});

export const links = pgTable("links", {
  id,
  workspaceId,
  domainId: uuid("domain_id").notNull(),
  slug: text("slug").notNull(),
  url: text("url").notNull(),
  state: text("state", { enum: ["live", "disabled", "archived", "deleted"] }).notNull(),
  redirectStatus: smallint("redirect_status").notNull(),
  followsDomainStatus: boolean("follows_domain_status").notNull().default(false),
  title: text("title"),
  tags: text("tags").array().notNull(),
  externalId: text("external_id"),
  folderId: uuid("folder_id"),
  searchText: text("search_text").generatedAlwaysAs(sql`link_search_text(slug, url, title, tags)`),
  version: count("version"),
  record: text("record").notNull(),
  smart: jsonb("smart").$type<Readonly<Record<string, unknown>>>().notNull().default({}),
  startsAt: instant("starts_at"),
  expiresAt: instant("expires_at"),
  password: jsonb("password"),
  createdAt,
  updatedAt,
  deletedAt: instant("deleted_at"),
  makerId: uuid("maker_id"),
});

export const linkCaps = pgTable("link_caps", {
  linkId: uuid("link_id").primaryKey(),
  workspaceId: uuid("workspace_id").notNull(),
  mode: text("mode", { enum: ["strict", "fast"] }).notNull(),
  maxClicks: count("max_clicks"),
  used: count("used").default(0),
  publishedUsedUp: boolean("published_used_up").notNull().default(false),
  claimed: bigint({ mode: "number" }).notNull().default(0),
});

export const linkVersions = pgTable("link_versions", {
  linkId: uuid("link_id").notNull(),
  version: count("version"),
  destination: text("destination").notNull(),
  createdAt: instant("created_at").notNull(),
  state: jsonb("state").notNull(),
  actor: text("actor"),
});

export const removedDestinations = pgTable("removed_destinations", {
  linkId: uuid("link_id").notNull(),
  version: count("version"),
  destination: text("destination").notNull(),
});

export const linkTotals = pgTable("link_totals", {
  linkId: uuid("link_id").primaryKey(),
  workspaceId: uuid("workspace_id"),
  human: count("human").default(0),
  total: count("total").default(0),
  /** `-infinity`: never. */
  lastClickedAt: instant("last_clicked_at")
    .notNull()
    .default(sql`'-infinity'`),
  /** What lists are ordered by: migrations/0003_clicks.sql. */
  clicksRank: bigint("clicks_rank", { mode: "number" }).default(0),
  lastClickedMinute: instant("last_clicked_minute").default(sql`'-infinity'`),
});

export const addresses = pgTable("addresses", {
  host: text("host").notNull(),
  slug: text("slug").notNull(),
  version: count("version"),
  linkId: uuid("link_id").notNull(),
  endedAt: instant("ended_at"),
  takenAt: instant("taken_at").notNull().defaultNow(),
  record: text("record").notNull(),
});

export const folders = pgTable("folders", {
  id,
  workspaceId,
  name: text("name").notNull(),
  defaults: jsonb("defaults"),
  version,
  createdAt,
  deletedAt: instant("deleted_at"),
});

export const tags = pgTable("tags", {
  id,
  workspaceId,
  name: text("name").notNull(),
  color: text("color"),
  isKept: boolean("is_kept").notNull().default(true),
  createdAt,
});

/** Written by triggers of `links`. Rows of one name are to be added up. */
export const tagCounts = pgTable("tag_counts", {
  workspaceId,
  name: text("name").notNull(),
  links: count("links").notNull(),
});

// Work and publishing.

export const work = pgTable("work", {
  kind: text("kind").notNull(),
  key: text("key").notNull(),
  payload: jsonb("payload").$type<Readonly<Record<string, unknown>>>().notNull().default({}),
  revision: count("revision").default(1),
  wantedAt: instant("wanted_at").notNull().defaultNow(),
  dueAt: instant("due_at").notNull().defaultNow(),
  lease: uuid("lease"),
  attempts: integer("attempts").notNull().default(0),
  lastError: text("last_error"),
});

export const kvWrites = pgTable("kv_writes", {
  day: date("day").primaryKey(),
  writes: count("writes").default(0),
});

// Webhooks.

export const webhookEndpoints = pgTable("webhook_endpoints", {
  id,
  workspaceId,
  url: text("url").notNull(),
  description: text("description"),
  events: text("events").array().notNull(),
  mode: text("mode", { enum: ["each", "batch"] }).notNull(),
  linkIds: uuid("link_ids").array(),
  domainIds: uuid("domain_ids").array(),
  tags: text("tags").array(),
  classes: text("classes").array().notNull(),
  secret: text("secret").notNull(),
  secretId: uuid("secret_id"),
  oldSecret: text("old_secret"),
  oldSecretUntil: instant("old_secret_until"),
  offSince: instant("off_since"),
  offReason: text("off_reason", { enum: ["owner", "gone", "failing"] }),
  fromXid: transactionId("from_xid").default(sql`(pg_current_xact_id()::text::bigint)`),
  filterXid: transactionId("filter_xid").default(sql`(pg_current_xact_id()::text::bigint)`),
  createdAt,
  updatedAt,
  deletedAt: instant("deleted_at"),
  version,
});

export const webhookTotals = pgTable("webhook_totals", {
  endpointId: uuid("endpoint_id").primaryKey(),
  clicksMatched: count("clicks_matched").default(0),
  clicksDelivered: count("clicks_delivered").default(0),
  clicksGivenUp: count("clicks_given_up").default(0),
  failingSince: instant("failing_since"),
  succeededAt: instant("succeeded_at"),
});

export const webhookDeliveries = pgTable("webhook_deliveries", {
  id: uuid("id")
    .primaryKey()
    .default(sql`new_delivery_id()`),
  endpointId: uuid("endpoint_id").notNull(),
  type: text("type").notNull(),
  subject: text("subject"),
  createdAt,
  clicks: integer("clicks").notNull().default(0),
  eventIds: uuid("event_ids").array(),
  clickedFrom: instant("clicked_from"),
  clickedTo: instant("clicked_to"),
  data: jsonb("data"),
  state: text("state", { enum: ["waiting", "delivered", "given-up"] })
    .notNull()
    .default("waiting"),
  dueAt: instant("due_at").notNull().defaultNow(),
  giveUpAt: instant("give_up_at")
    .notNull()
    .default(sql`now() + interval '24 hours'`),
  sent: integer("sent").notNull().default(0),
  lost: integer("lost").notNull().default(0),
  attempts: integer("attempts").notNull().default(0),
  attemptedAt: instant("attempted_at"),
  status: smallint("status"),
  durationMs: integer("duration_ms"),
  error: text("error"),
  answer: text("answer"),
});

export const webhookSums = pgTable("webhook_sums", {
  endpointId: uuid("endpoint_id").notNull(),
  minute: instant("minute").notNull(),
  linkId: uuid("link_id").notNull(),
  clicks: count("clicks"),
});

export const webhookCursor = pgTable("webhook_cursor", {
  isOnly: boolean("is_only").primaryKey().default(true),
  nextXid: transactionId("next_xid").default(sql`0`),
  afterEvent: uuid("after_event").notNull().default("00000000-0000-0000-0000-000000000000"),
  movedAt: instant("moved_at").notNull().defaultNow(),
  expiredUntil: instant("expired_until").notNull().defaultNow(),
});

export const webhookAlarm = pgTable("webhook_alarm", {
  isOnly: boolean("is_only").primaryKey().default(true),
  ringsAt: instant("rings_at")
    .notNull()
    .default(sql`'-infinity'`),
  busyUntil: instant("busy_until")
    .notNull()
    .default(sql`'-infinity'`),
});

export const liveStreams = pgTable("live_streams", {
  id,
  workspaceId,
  endsAt: instant("ends_at").notNull(),
});
