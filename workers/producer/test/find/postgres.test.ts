import { domainKeyOf } from "@hopline/core/link/domain-record";
import { linkKeyOf } from "@hopline/core/link/link-address";
import { encodeLinkRecord } from "@hopline/core/link/link-record";
import { afterEach, expect, it, vi } from "vitest";
import { decodeEdgeRecord } from "../../src/find/edge-record.ts";
import { createPostgres } from "../../src/find/postgres.ts";
import { aRecord, HOST } from "./feed/a-feed.ts";

afterEach(() => vi.restoreAllMocks());

it("says of a link whose domain has ended that it is deleted, in a newer version than its record's", async () => {
  const key = linkKeyOf(HOST, "spring");
  const domain = encodeLinkRecord(aRecord({ version: 4, state: "deleted" }));
  const rows = [
    [key, encodeLinkRecord(aRecord({ version: 2 }))],
    [domainKeyOf(HOST), domain],
  ];
  const fields = ["key", "record"].map((name) => ({ name, dataTypeID: 25 }));
  vi.spyOn(globalThis, "fetch").mockImplementation(async () =>
    Response.json({ command: "SELECT", rowCount: 2, rowAsArray: true, rows, fields }),
  );
  const settings = { databaseUrl: "postgresql://user:password@database.example/hopline", sqlEndpoint: "" };
  const records = await createPostgres(settings, 1_000).links.load([key]);
  expect(decodeEdgeRecord(records.get(key) ?? "")).toMatchObject({ kind: "negative", version: 3 });
  expect(records.get(domainKeyOf(HOST))).toBe(domain);
});
