import { expect, it } from "vitest";
import { toDatabaseFailure } from "../src/database-failure.ts";

it.each([
  ["57P01", "unavailable"], // admin shutdown
  ["57014", "unavailable"], // query cancelled: our own timeout
  ["08006", "unavailable"], // connection failure
  ["53300", "unavailable"], // too many connections
  ["53100", "unavailable"], // disk full
  ["55P03", "unavailable"], // lock not available
  ["25006", "unavailable"], // read-only while a standby takes over
  ["XX000", "unavailable"], // internal error
  ["40001", "conflict"],
  ["40P01", "conflict"],
  ["22P02", "data"], // invalid text representation
  ["22003", "data"], // out of range
  ["23514", "data"], // check violation
  ["23505", "data"], // unique violation
  ["42P01", "statement"], // undefined table
  ["42703", "statement"], // undefined column
  ["42501", "statement"], // insufficient privilege
  ["0A000", "statement"], // not in this edition of TimescaleDB
])("classifies SQLSTATE %s as %s", (code, reason) => {
  const error = Object.assign(new Error("details"), { code, constraint: "links_slug_check" });
  expect(toDatabaseFailure(error)).toEqual({ reason, sqlState: code, constraint: "links_slug_check" });
});

it.each([
  ["a connection that died in mid-statement", Object.assign(new Error(""), { code: "" })],
  ["a timeout", new DOMException("timed out", "TimeoutError")],
  ["a code of the operating system", Object.assign(new Error(""), { code: "ECONNRESET" })],
  ["nothing at all", undefined],
  ["a text", "oops"],
])("classifies %s as unavailable", (_what, error) => {
  expect(toDatabaseFailure(error)).toEqual({ reason: "unavailable", sqlState: null, constraint: null });
});
