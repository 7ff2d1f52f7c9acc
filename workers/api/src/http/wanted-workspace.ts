/**
 * Which workspace a request means: a session acts in the one that the request names, and in no other. A path names its own;
 * elsewhere a header does, or a parameter of a GET, which a browser can follow as a link. A key has one workspace, and may
 * name that one. Pure.
 */
import { percentDecode } from "@hopline/core/link/link-address";
import { NIL } from "uuid";
import type { Role } from "./roles.ts";
import { parsePublicId } from "./entity-id.ts";
import { invalidField, type ProblemCode, ProblemError } from "./problem.ts";

export const WORKSPACE_HEADER = "Hopline-Workspace";
export const WORKSPACE_PARAMETER = "workspace";

/** UUIDs; for what is no workspace's id, one that no workspace has. `null`: not named. */
export type WantedWorkspace = { readonly inPath: string | null; readonly named: string | null };

/** Throws `ProblemError` where header and parameter contradict each other. */
export function readWantedWorkspace(request: Pick<Request, "method" | "url" | "headers">): WantedWorkspace {
  const { pathname, searchParams } = new URL(request.url);
  // The router decodes it, too.
  const [, inPath] = /^\/api\/v1\/workspaces\/([^/]+)/.exec(percentDecode(pathname) ?? pathname) ?? [];
  const inHeader = request.headers.get(WORKSPACE_HEADER);
  const parameters = isRead(request.method) ? searchParams.getAll(WORKSPACE_PARAMETER) : [];
  if (parameters.length > 1) {
    throw invalidField(WORKSPACE_PARAMETER, "was sent more than once: send it once");
  }
  const [named, another] = [...new Set([inHeader, ...parameters].flatMap((id) => id ?? []).map(toUuid))];
  if (another !== undefined) {
    throw new ProblemError("workspace_mismatch");
  }
  return { inPath: inPath === undefined ? null : toUuid(inPath), named: named ?? null };
}

function toUuid(id: string): string {
  return parsePublicId("ws", id) ?? NIL;
}

function isRead(method: string): boolean {
  return method === "GET" || method === "HEAD";
}

/** Where a session acts; `null`: nowhere, which is enough for what is the person's own. Throws `ProblemError` workspace_mismatch. */
export function requireOneWorkspace({ inPath, named }: WantedWorkspace): string | null {
  if (inPath !== null && named !== null && inPath !== named) {
    throw new ProblemError("workspace_mismatch");
  }
  return inPath ?? named;
}

/** The parts of a route that are read here. */
type Route = {
  readonly method: string;
  readonly path: string;
  readonly "x-roles"?: readonly string[];
};

/** What a route adds to the document because it needs a role in a workspace. */
export type WorkspaceInDocument = {
  readonly parameters: readonly object[];
  readonly codes: readonly ProblemCode[];
  /** Of its query. */
  readonly names: readonly string[];
};

export function describeWorkspace({ method, path, "x-roles": roles = [] }: Route): WorkspaceInDocument {
  const owner: Role = "owner";
  if (!roles.includes(owner)) {
    return { parameters: [], codes: [], names: [] };
  }
  if (path.includes("{workspaceId}")) {
    return { parameters: [], codes: ["workspace_not_found"], names: [] };
  }
  const names = method === "get" ? [WORKSPACE_PARAMETER] : [];
  return {
    parameters: [
      parameterIn(
        "header",
        WORKSPACE_HEADER,
        "The workspace that the request is for. A session needs it; a key has its own.",
      ),
      ...names.map((name) =>
        parameterIn("query", name, "The same, where a header can't be sent, as in a link."),
      ),
    ],
    codes: ["workspace_missing", "workspace_not_found"],
    names,
  };
}

function parameterIn(place: "header" | "query", name: string, description: string) {
  return { in: place, name, description, schema: { type: "string" } };
}
