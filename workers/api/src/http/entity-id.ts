/**
 * Ids as the API shows them: a prefix that names the kind, and the UUID's 32 digits. Opaque to clients; inside, only the
 * UUID is used.
 */
import { z } from "@hono/zod-openapi";
import { v7 as uuidv7 } from "uuid";
import { ProblemError } from "./problem.ts";

export type EntityKind =
  | "lnk"
  | "ws"
  | "key"
  | "dom"
  | "fld"
  | "tag"
  | "per"
  | "mem"
  | "inv"
  | "ses"
  | "psk"
  | "whk"
  | "dlv"
  | "acc"
  | "aud";

/** A new UUIDv7: ordered by time, so rows created together are stored together. */
export function newEntityId(): string {
  return uuidv7();
}

export function toPublicId(kind: EntityKind, uuid: string): string {
  return `${kind}_${uuid.replaceAll("-", "")}`;
}

const DIGITS = /^([0-9a-f]{8})([0-9a-f]{4})([0-9a-f]{4})([0-9a-f]{4})([0-9a-f]{12})$/;

/** The UUID behind a public id, or `null` when it is not an id of this kind. */
export function parsePublicId(kind: EntityKind, id: string): string | null {
  const digits = id.startsWith(`${kind}_`) ? DIGITS.exec(id.slice(kind.length + 1)) : null;
  return digits === null ? null : digits.slice(1).join("-");
}

/** The UUID behind the id in a path. A malformed id gets the same answer as an unknown one: throws not_found. */
export function readEntityId(kind: EntityKind, id: string): string {
  return requireFound(parsePublicId(kind, id));
}

/** What a statement found, or that it changed something; throws `ProblemError` not_found for `null` and `false`. */
export function requireFound<Entity>(found: Entity | null | false): Entity {
  if (found === null || found === false) {
    throw new ProblemError("not_found");
  }
  return found;
}

/** The schema of a path parameter that `readEntityId` reads. */
export function entityIdParam(kind: EntityKind) {
  return z.string().openapi({ example: `${kind}_0198f3c2a1b27c3d8e4f5a6b7c8d9e0f` });
}
