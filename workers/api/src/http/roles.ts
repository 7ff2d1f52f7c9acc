/**
 * What people may do in a workspace. A role may do everything that the roles before it may. An operation says the least role
 * that may call it; unless it says another one, that follows from the scope which an API key needs for it. The OpenAPI
 * document lists the roles of each operation as `x-roles`.
 */
import type { Scope } from "./api-key.ts";

export const ROLES = ["viewer", "editor", "admin", "owner"] as const;
export type Role = (typeof ROLES)[number];

export const LEAST_ROLE: { readonly [scope in Scope]: Exclude<Role, "owner"> } = {
  "links:read": "viewer",
  "analytics:read": "viewer",
  "links:write": "editor",
  admin: "admin",
};

export function isAtLeast(role: Role, least: Role): boolean {
  return ROLES.indexOf(role) >= ROLES.indexOf(least);
}

/** The roles that may call an operation, lowest first. */
export function rolesFrom(least: Role): readonly Role[] {
  return ROLES.slice(ROLES.indexOf(least));
}

/** What a person of this role may do where a key would need a scope. */
export function scopesOf(role: Role): readonly Scope[] {
  const scopes = Object.keys(LEAST_ROLE) as readonly Scope[];
  return scopes.filter((scope) => isAtLeast(role, LEAST_ROLE[scope]));
}

/** What a key of these scopes may do while its maker has this role. `null`: it has no maker and no cap. */
export function capScopes(scopes: readonly Scope[], makerRole: Role | null): readonly Scope[] {
  if (makerRole === null) {
    return scopes;
  }
  const allowed = scopesOf(makerRole);
  return scopes.includes("admin") ? allowed : scopes.filter((scope) => allowed.includes(scope));
}

/** `null` for a text that is none of the roles. */
export function parseRole(text: unknown): Role | null {
  return ROLES.find((role) => role === text) ?? null;
}
