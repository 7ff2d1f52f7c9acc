/**
 * The tables of people for better-auth's drizzle adapter, under the names of its models and fields. `migrations/` defines
 * them; a test compares the two. Loaded only with better-auth.
 */
import { boolean, pgTable, text, timestamp, uuid } from "drizzle-orm/pg-core";

const instant = (name: string) => timestamp(name, { withTimezone: true, mode: "date" });
const createdAt = instant("created_at").notNull().defaultNow();
const updatedAt = instant("updated_at").notNull().defaultNow();

export const user = pgTable("people", {
  id: uuid("id").primaryKey(),
  name: text("name").notNull(),
  email: text("email").notNull(),
  emailVerified: boolean("email_verified").notNull().default(false),
  image: text("image"),
  createdAt,
  updatedAt,
});

export const session = pgTable("sessions", {
  id: uuid("id").primaryKey(),
  userId: uuid("person_id").notNull(),
  token: text("token").notNull(),
  expiresAt: instant("expires_at").notNull(),
  ipAddress: text("ip_address"),
  userAgent: text("user_agent"),
  createdAt,
  updatedAt,
});

export const account = pgTable("accounts", {
  id: uuid("id").primaryKey(),
  userId: uuid("person_id").notNull(),
  providerId: text("provider_id").notNull(),
  accountId: text("account_id").notNull(),
  password: text("password"),
  accessToken: text("access_token"),
  refreshToken: text("refresh_token"),
  idToken: text("id_token"),
  accessTokenExpiresAt: instant("access_token_expires_at"),
  refreshTokenExpiresAt: instant("refresh_token_expires_at"),
  scope: text("scope"),
  createdAt,
  updatedAt,
});

export const verification = pgTable("verifications", {
  id: uuid("id").primaryKey(),
  identifier: text("identifier").notNull(),
  value: text("value").notNull(),
  expiresAt: instant("expires_at").notNull(),
  createdAt,
  updatedAt,
});
