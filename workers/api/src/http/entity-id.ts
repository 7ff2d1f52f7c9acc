/**
 * Ids as the API shows them: a prefix that says what it names, and the UUID's 32 digits. Opaque to clients; inside,
 * only the UUID is used.
 */
import { z } from "@hono/zod-openapi";
import { v7 as uuidv7 } from "uuid";
import { ProblemError } from "./problem.ts";

export type EntityKind = "lnk" | "ws" | "key" | "dom";

/** A new UUIDv7: time-ordered, so rows made together lie together. */
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

/**
 * The UUID behind the id in a path. What is no id of this kind names nothing, so it is answered as any unknown id is:
 * throws `ProblemError` not_found.
 */
export function readEntityId(kind: EntityKind, id: string): string {
  const uuid = parsePublicId(kind, id);
  if (uuid === null) {
    throw new ProblemError("not_found");
  }
  return uuid;
}

/** The schema of a path parameter that `readEntityId` reads. */
export function entityIdParam(kind: EntityKind) {
  return z.string().openapi({ example: `${kind}_0198f3c2a1b27c3d8e4f5a6b7c8d9e0f` });
}
