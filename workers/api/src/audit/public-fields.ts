/** What changed, from the names of columns to those of the API. Pure. */
import { type EntityKind, toPublicId } from "../http/entity-id.ts";

export type Fields = { readonly [name: string]: unknown };

const NAMES: { readonly [column: string]: string } = {
  state: "status",
  follows_domain_status: "hasOwnRedirectStatus",
};

const IDS: { readonly [column: string]: EntityKind } = {
  folder_id: "fld",
  link_ids: "lnk",
  domain_ids: "dom",
  person_id: "per",
  inviter_id: "per",
  maker_id: "per",
  workspace_id: "ws",
};

const OF_BOUNDS: { readonly [part: string]: EntityKind } = { domains: "dom", folders: "fld", tags: "tag" };

export function toPublicFields(columns: Fields): Fields {
  return Object.fromEntries(
    Object.entries(columns).map(([column, value]) => [
      NAMES[column] ?? toCamelCase(column),
      toValue(column, value),
    ]),
  );
}

function toValue(column: string, value: unknown): unknown {
  const kind = IDS[column];
  if (Array.isArray(value) && kind !== undefined) {
    return value.map((id) => toPublicId(kind, String(id)));
  }
  if (typeof value === "string") {
    return kind !== undefined
      ? toPublicId(kind, value)
      : column.endsWith("_at")
        ? new Date(value).toISOString()
        : value;
  }
  if (column === "follows_domain_status" && typeof value === "boolean") {
    return !value;
  }
  if (column === "bounds" && value !== null) {
    const parts = Object.entries(Object(value)).map(([part, given]) => {
      const idKind = OF_BOUNDS[part];
      return idKind !== undefined
        ? [part, [given].flat().map((id) => toPublicId(idKind, String(id)))]
        : part === "own"
          ? ["ownLinks", true]
          : [part, given];
    });
    return Object.fromEntries(parts);
  }
  return column === "cap" && value !== null ? toPublicFields(Object(value)) : value;
}

function toCamelCase(column: string): string {
  return column.replaceAll(/_([a-z])/g, (_whole, letter: string) => letter.toUpperCase());
}
