/**
 * Ids as the API shows them: a prefix that says what it names, and the UUID's 32 digits. Opaque to clients; inside,
 * only the UUID is used.
 */
import { v7 as uuidv7 } from "uuid";

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
