/**
 * The tables that the API reads and writes, for drizzle. `migrations/` defines them; a test compares the two. Only the API
 * may import this: producer and consumer work without drizzle.
 */
import { sql } from "drizzle-orm";
import {
  bigint,
  boolean,
  customType,
  jsonb,
  pgTable,
  smallint,
  text,
  timestamp,
  uuid,
} from "drizzle-orm/pg-core";

/** SHA-256 as bytea, in the hexadecimal form that Postgres prints. */
const sha256 = customType<{ data: string; driverData: string }>({
  dataType: () => "bytea",
  toDriver: (hex) => `\\x${hex}`,
  fromDriver: (text) => text.slice(2),
});

const createdAt = timestamp("created_at", { withTimezone: true, mode: "string" }).notNull().defaultNow();

export const workspaces = pgTable("workspaces", {
  id: uuid("id").primaryKey(),
  name: text("name").notNull(),
  createdAt,
});

export const apiKeys = pgTable("api_keys", {
  id: uuid("id").primaryKey(),
  workspaceId: uuid("workspace_id").notNull(),
  name: text("name").notNull(),
  prefix: text("prefix").notNull(),
  keyHash: sha256("key_hash").notNull(),
  scopes: text("scopes").array().notNull(),
  expiresAt: timestamp("expires_at", { withTimezone: true, mode: "string" }),
  revokedAt: timestamp("revoked_at", { withTimezone: true, mode: "string" }),
  lastUsedAt: timestamp("last_used_at", { withTimezone: true, mode: "string" }),
  createdAt,
});

export const domains = pgTable("domains", {
  id: uuid("id").primaryKey(),
  workspaceId: uuid("workspace_id").notNull(),
  host: text("host").notNull(),
  settings: jsonb("settings").$type<Readonly<Record<string, unknown>>>().notNull().default({}),
  version: bigint("version", { mode: "number" }).notNull().default(1),
  record: text("record"),
  proof: text("proof", { enum: ["pending", "dns", "vouched"] })
    .notNull()
    .default("pending"),
  proofToken: text("proof_token")
    .notNull()
    .default(sql`replace(gen_random_uuid()::text, '-', '')`),
  provedAt: timestamp("proved_at", { withTimezone: true, mode: "string" }),
  checkedAt: timestamp("checked_at", { withTimezone: true, mode: "string" }),
  seen: text("seen", { enum: ["found", "missing", "wrong", "unavailable"] }),
  missingSince: timestamp("missing_since", { withTimezone: true, mode: "string" }),
  customHostname: jsonb("custom_hostname"),
  deletedAt: timestamp("deleted_at", { withTimezone: true, mode: "string" }),
  createdAt,
});

export const links = pgTable("links", {
  id: uuid("id").primaryKey(),
  workspaceId: uuid("workspace_id").notNull(),
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
  searchText: text("search_text").generatedAlwaysAs(
    sql`link_search_text(link_search_document(slug, url, title, tags))`,
  ),
  version: bigint("version", { mode: "number" }).notNull(),
  record: text("record").notNull(),
  smart: jsonb("smart").$type<Readonly<Record<string, unknown>>>().notNull().default({}),
  startsAt: timestamp("starts_at", { withTimezone: true, mode: "string" }),
  expiresAt: timestamp("expires_at", { withTimezone: true, mode: "string" }),
  password: jsonb("password"),
  createdAt,
  updatedAt: timestamp("updated_at", { withTimezone: true, mode: "string" }).notNull().defaultNow(),
});

export const linkTotals = pgTable("link_totals", {
  linkId: uuid("link_id").primaryKey(),
  workspaceId: uuid("workspace_id"),
  human: bigint("human", { mode: "number" }).notNull().default(0),
  total: bigint("total", { mode: "number" }).notNull().default(0),
  /** `-infinity`: never. */
  lastClickedAt: timestamp("last_clicked_at", { withTimezone: true, mode: "string" })
    .notNull()
    .default(sql`'-infinity'`),
  /** What lists are ordered by: migrations/0038. */
  clicksRank: bigint("clicks_rank", { mode: "number" }).generatedAlwaysAs(sql`clicks_rank`),
  lastClickedMinute: timestamp("last_clicked_minute", {
    withTimezone: true,
    mode: "string",
  }).generatedAlwaysAs(sql`last_clicked_minute`),
});

export const folders = pgTable("folders", {
  id: uuid("id").primaryKey(),
  workspaceId: uuid("workspace_id").notNull(),
  name: text("name").notNull(),
  createdAt,
  deletedAt: timestamp("deleted_at", { withTimezone: true, mode: "string" }),
});

export const tags = pgTable("tags", {
  id: uuid("id").primaryKey(),
  workspaceId: uuid("workspace_id").notNull(),
  name: text("name").notNull(),
  color: text("color"),
  createdAt,
});

export const linkCaps = pgTable("link_caps", {
  linkId: uuid("link_id").primaryKey(),
  mode: text("mode", { enum: ["strict", "fast"] }).notNull(),
  maxClicks: bigint("max_clicks", { mode: "number" }).notNull(),
  used: bigint("used", { mode: "number" }).notNull().default(0),
  publishedUsedUp: boolean("published_used_up").notNull().default(false),
});

export const clickEvents = pgTable("click_events", {
  eventId: uuid("event_id").notNull(),
  clickedAt: timestamp("clicked_at", { withTimezone: true, mode: "string" }).notNull(),
  linkId: uuid("link_id").notNull(),
});
