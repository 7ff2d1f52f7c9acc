/** Our tables against what better-auth expects of them: a new version that needs another column fails here. */
import * as schema from "@hopline/db/schema";
import { getAuthTables } from "better-auth/db";
import { organization } from "better-auth/plugins/organization";
import { getTableColumns } from "drizzle-orm";
import type { PgTable } from "drizzle-orm/pg-core";
import { afterAll, expect, it } from "vitest";
import { openStage } from "../stage.ts";

const stage = await openStage();
afterAll(() => stage.close());
const wanted = getAuthTables({ plugins: [organization()] });

it.each([
  ["user", schema.people],
  ["session", schema.sessions],
  ["account", schema.accounts],
  ["verification", schema.verifications],
] as const)("%s has every field, as nullable as wanted", (model, table) => {
  const columns = new Map(Object.entries(getTableColumns<PgTable>(table)));
  const fields = Object.entries(wanted[model]?.fields ?? {}).filter(
    ([name]) => name !== "activeOrganizationId",
  );
  expect(fields.length).toBeGreaterThan(3);
  for (const [name, field] of fields) {
    const ours = name === "userId" ? "personId" : name;
    expect([model, ours, columns.get(ours)?.notNull]).toEqual([model, ours, field.required === true]);
  }
});

it.each([
  ["member", "members", ["bounds", "version"]],
  ["invitation", "invitations", ["bounds", "request_id", "version"]],
])("%s of its organisation plugin is %s, under our names", async (model, table, added) => {
  const { rows } = await stage.client.query<{ column_name: string }>(
    "SELECT column_name FROM information_schema.columns WHERE table_name = $1",
    [table],
  );
  const ours: { readonly [name: string]: string } = {
    organizationId: "workspace_id",
    userId: "person_id",
    inviterId: "inviter_id",
    expiresAt: "expires_at",
    createdAt: "created_at",
  };
  const fields = Object.keys(wanted[model]?.fields ?? {}).map((name) => ours[name] ?? name);
  expect(rows.map((row) => row.column_name).toSorted()).toEqual(["id", ...fields, ...added].toSorted());
});
