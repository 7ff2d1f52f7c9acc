/**
 * /api/v1/workspaces: the caller's own, and no other. A key has one, and can't create another; `pnpm keys create` creates one
 * together with its first key. A person may be in many.
 */
import { z } from "@hono/zod-openapi";
import type { Context } from "hono";
import type { ApiDeps } from "../api-deps.ts";
import type { ApiContext } from "../http/authenticate.ts";
import { BoundShape, toBound } from "../http/bounds/bound-shape.ts";
import type { NamedBound } from "../http/bounds/bound-store.ts";
import { IfMatchHeader, readIfMatch, versionTag } from "../http/entity-tag.ts";
import { entityIdParam, readEntityId, requireFound, toPublicId } from "../http/entity-id.ts";
import { endpoint } from "../http/endpoint.ts";
import {
  freshly,
  IdempotencyHeader,
  jsonAnswer,
  jsonBody,
  needs,
  needsPerson,
  NO_CONTENT,
} from "../http/operation.ts";
import { orNull } from "../http/or-null.ts";
import { invalidField, ProblemError } from "../http/problem.ts";
import { requireActing, requireSignedIn } from "../http/require-person.ts";
import { readOnlyOf, requireUnchanged, takesBack } from "../http/read-only.ts";
import { plainText } from "../http/text-shape.ts";
import { toInstant } from "../instant.ts";
import { DefaultsField, readDefaults } from "../link-defaults-shape.ts";
import { insertWorkspace, listWorkspacesOf } from "../people/member-store.ts";
import { requirePeople } from "../people/people-deps.ts";
import { QrDesign } from "../links/qr-design.ts";
import { RoleShape } from "../people/person-shape.ts";
import { countAttempt } from "../people/routes/credentials.ts";
import type { Role } from "../http/roles.ts";
import { ClicksField, readClicks } from "../removed-clicks.ts";
import { deleteWorkspace } from "./remove-workspace.ts";
import { findWorkspace, updateWorkspace, type StoredWorkspace } from "./workspace-store.ts";

const WorkspaceParams = z.object({ workspaceId: entityIdParam("ws") });

const MAX_QR_PRESETS = 20;
const QrPresets = z
  .array(z.strictObject({ name: plainText(50).min(1), design: QrDesign }))
  .max(MAX_QR_PRESETS)
  .openapi({ description: "Designs of QR codes to choose from.", example: [] });
const name = plainText(200).min(1).openapi({ example: "Marketing" });

const changeable = z.object({ name, qrPresets: QrPresets, defaults: DefaultsField }).partial();

const WorkspaceBody = z
  .object({
    id: z.string().openapi({ example: "ws_0198f3c2a1b27c3d8e4f5a6b7c8d9e0f" }),
    name: z.string(),
    qrPresets: QrPresets,
    defaults: DefaultsField,
    role: RoleShape.nullable().openapi({ description: "Of the person who asks; `null` for a key." }),
    bounds: orNull(BoundShape).openapi({
      description: "Of the person who asks. `null`: all of the workspace, and for a key.",
    }),
    createdAt: z.iso.datetime(),
  })
  .openapi("Workspace");

const CreateWorkspaceBody = z.strictObject({ name }).openapi("CreateWorkspace");
const UpdateWorkspaceBody = takesBack(changeable, WorkspaceBody).openapi("UpdateWorkspace");

/** As a member sees it, if they may see some links only. */
type Shown = StoredWorkspace & { readonly bounds?: NamedBound | null };

function toWorkspace(
  { id, qrPresets, defaults, bounds = null, createdAtMs, ...stored }: Shown,
  role: Role | null,
) {
  return {
    id: toPublicId("ws", id),
    name: stored.name,
    // It was validated when it was written.
    qrPresets: QrPresets.catch([]).parse(qrPresets),
    defaults: readDefaults(defaults),
    role,
    bounds: toBound(bounds),
    createdAt: toInstant(createdAtMs),
  };
}

/** That a person may own with SIGN_UP=open. Each has its own budget. */
const MAX_OWNED = 10;

export const createWorkspaceOperation = endpoint({
  method: "post",
  path: "/api/v1/workspaces",
  operationId: "createWorkspace",
  summary: "Create a workspace",
  tags: ["Workspaces"],
  ...needsPerson(null, { isRepeatable: true }),
  request: { headers: IdempotencyHeader, body: jsonBody(CreateWorkspaceBody, { name: "Marketing" }) },
  responses: { 201: jsonAnswer("The workspace.", WorkspaceBody) },
}).handle(async (context, { database, people: deps }: ApiDeps) => {
  const { personId } = requireSignedIn(context);
  const people = requirePeople(deps);
  if (people.settings.signUp.kind === "open") {
    const owned = (await listWorkspacesOf(database, personId)).filter(({ role }) => role === "owner");
    if (owned.length >= MAX_OWNED) {
      const message = `you own ${MAX_OWNED}, as many as one may here: delete one, or ask the operator`;
      throw new ProblemError("limit_reached", [{ path: "", message }]);
    }
    // By the day too, which is exact however many are asked for at once.
    await countAttempt({ kind: "workspace", account: `person ${personId}` }, { database, people, context });
  }
  const { name: wanted } = context.req.valid("json");
  const ids = context.get("newIds");
  const id = await insertWorkspace(database, { ids, name: wanted, personId });
  return context.json(toWorkspace(requireFound(await findWorkspace(database, id)), "owner"), 201);
});

export const listWorkspacesOperation = endpoint({
  method: "get",
  path: "/api/v1/workspaces",
  operationId: "listWorkspaces",
  summary: "List the caller's workspaces: a key's own, or those that a person is in",
  tags: ["Workspaces"],
  ...needs("links:read", { leastRole: null, reach: "none" }),
  responses: {
    200: jsonAnswer("The workspaces.", z.object({ data: z.array(WorkspaceBody), nextCursor: z.null() })),
  },
}).handle(async (context, { database }: ApiDeps) => {
  const person = context.get("person");
  if (person !== null) {
    const stored = await listWorkspacesOf(database, person.personId);
    return context.json({ data: stored.map((one) => toWorkspace(one, one.role)), nextCursor: null }, 200);
  }
  const stored = await findWorkspace(database, context.get("principal").workspaceId);
  return context.json({ data: stored === null ? [] : [toWorkspace(stored, null)], nextCursor: null }, 200);
});

export const readWorkspaceOperation = endpoint({
  method: "get",
  path: "/api/v1/workspaces/{workspaceId}",
  operationId: "readWorkspace",
  summary: "Read the caller's workspace",
  tags: ["Workspaces"],
  ...needs("links:read", { reach: "none" }),
  request: { params: WorkspaceParams },
  responses: { 200: jsonAnswer("The workspace.", WorkspaceBody) },
  problems: ["not_found"],
}).handle(async (context, { database }: ApiDeps) => {
  const workspaceId = requireOwn(context.req.valid("param").workspaceId, context.get("principal"));
  const person = context.get("person");
  const stored =
    person === null
      ? await findWorkspace(database, workspaceId)
      : ((await listWorkspacesOf(database, person.personId)).find(({ id }) => id === workspaceId) ?? null);
  return answer(context, requireFound(stored));
});

async function answer(context: Context<ApiContext>, stored: Shown) {
  const workspace = toWorkspace(stored, context.get("person")?.role ?? null);
  context.header("etag", await versionTag(stored.version, workspace));
  return context.json(workspace, 200);
}

export const updateWorkspaceOperation = endpoint({
  method: "patch",
  path: "/api/v1/workspaces/{workspaceId}",
  operationId: "updateWorkspace",
  summary: "Change the caller's workspace",
  tags: ["Workspaces"],
  ...needs("admin"),
  request: {
    params: WorkspaceParams,
    headers: IfMatchHeader,
    body: jsonBody(UpdateWorkspaceBody, { name: "Marketing" }),
  },
  responses: { 200: jsonAnswer("The workspace.", WorkspaceBody) },
  problems: ["not_found", "version_mismatch"],
}).handle(async (context, { database }: ApiDeps) => {
  const workspaceId = requireOwn(context.req.valid("param").workspaceId, context.get("principal"));
  const body = context.req.valid("json");
  const readOnly = readOnlyOf(body, changeable);
  const role = context.get("person")?.role ?? null;
  if (readOnly !== null) {
    requireUnchanged(readOnly, toWorkspace(requireFound(await findWorkspace(database, workspaceId)), role));
  }
  const { name: wanted, qrPresets, defaults } = body;
  const ifMatch = readIfMatch(context.req.header("if-match"));
  const change = { name: wanted, qrPresets, defaults };
  const stored = await updateWorkspace(database, { id: workspaceId, ifMatch }, change);
  if (stored === null) {
    throw new ProblemError("version_mismatch");
  }
  return answer(context, stored);
});

export const deleteWorkspaceOperation = endpoint({
  method: "delete",
  path: "/api/v1/workspaces/{workspaceId}",
  operationId: "deleteWorkspace",
  summary: "Delete the caller's workspace, with everything in it",
  description:
    "Ends all of its keys. Visitors get nothing from its links at once; its rows are removed within minutes. Clicks stay until they are too old, under ids that lead nowhere, unless `clicks=delete` is given.",
  tags: ["Workspaces"],
  ...freshly(needsPerson("owner")),
  request: {
    params: WorkspaceParams,
    query: z.object({
      name: plainText(200).default("").openapi({
        description: "The workspace's name, as it is: to be sure. Required.",
      }),
      clicks: ClicksField,
    }),
  },
  responses: NO_CONTENT,
  problems: ["sign_in_again"],
}).handle(async (context, deps: ApiDeps) => {
  const { workspaceId } = requireActing(context);
  const stored = await findWorkspace(deps.database, workspaceId);
  const query = context.req.valid("query");
  if (query.name !== stored?.name) {
    throw invalidField("name", "is not the workspace's name: send it as GET shows it");
  }
  const withClicks = readClicks(query.clicks, context.get("principal"));
  if (!(await deleteWorkspace({ workspaceId, withClicks }, deps))) {
    throw new ProblemError("workspace_not_found");
  }
  return context.body(null, 204);
});

function requireOwn(publicId: string, principal: { readonly workspaceId: string }): string {
  const workspaceId = readEntityId("ws", publicId);
  return requireFound(workspaceId === principal.workspaceId ? workspaceId : null);
}
