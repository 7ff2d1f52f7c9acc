/** /api/v1/workspaces/{workspaceId}/members: who is in a workspace, and in which role. Only people manage people. */
import { createRoute, z } from "@hono/zod-openapi";
import type { Context } from "hono";
import type { ApiDeps } from "../../api-deps.ts";
import type { ApiContext } from "../../http/authenticate.ts";
import { entityIdParam, readEntityId, requireFound, toPublicId } from "../../http/entity-id.ts";
import {
  BODY_PROBLEMS,
  freshly,
  jsonAnswer,
  jsonBody,
  needsPerson,
  NO_CONTENT,
  NOT_MODIFIED,
  operation,
  problems,
} from "../../http/operation.ts";
import { pageOf, PageQuery, readPageById } from "../../http/page.ts";
import { readOnlyOf, requireUnchanged, takesBack } from "../../http/read-only.ts";
import { toInstant } from "../../instant.ts";
import {
  changeRole,
  findMember,
  leaveWorkspace,
  listMembers,
  removeMember,
  type StoredMember,
} from "../member-store.ts";
import { RoleShape } from "../person-shape.ts";
import { requireSignedIn } from "./me.ts";

const WorkspaceParams = z.object({ workspaceId: entityIdParam("ws") });
const MemberParams = z.object({ workspaceId: entityIdParam("ws"), memberId: entityIdParam("mem") });

const MemberBody = z
  .object({
    id: z.string().openapi({ example: "mem_0198f3c2a1b27c3d8e4f5a6b7c8d9e0f" }),
    personId: z.string().openapi({ example: "per_0198f3c2a1b27c3d8e4f5a6b7c8d9e0f" }),
    email: z.string(),
    name: z.string(),
    role: RoleShape,
    createdAt: z.iso.datetime(),
  })
  .openapi("Member");

const changeable = z.object({ role: RoleShape });
const UpdateMemberBody = takesBack(changeable, MemberBody).openapi("UpdateMember");

function toMember({ id, personId, email, name, role, createdAtMs }: StoredMember) {
  return {
    id: toPublicId("mem", id),
    personId: toPublicId("per", personId),
    email,
    name,
    role,
    createdAt: toInstant(createdAtMs),
  };
}

/** The workspace of the path, which the person is in, and their role there. */
export function requireActing(context: Context<ApiContext>) {
  const { role, ...person } = requireSignedIn(context);
  if (role === null) {
    throw new Error("invariant: needsPerson with a role lets only members through");
  }
  return { ...person, actorRole: role, workspaceId: context.get("principal").workspaceId };
}

const listMembersRoute = createRoute({
  method: "get",
  path: "/api/v1/workspaces/{workspaceId}/members",
  operationId: "listMembers",
  summary: "List the people of a workspace",
  tags: ["People"],
  ...needsPerson("viewer"),
  request: { params: WorkspaceParams, query: PageQuery },
  responses: {
    200: jsonAnswer("A page of members.", pageOf(MemberBody)),
    ...NOT_MODIFIED,
    ...problems("invalid", "cursor_invalid"),
  },
});

export function listMembersOperation({ database }: ApiDeps) {
  return operation(listMembersRoute, async (context) => {
    const { workspaceId } = requireActing(context);
    const { rows, nextCursor } = await readPageById("members", context.req.valid("query"), (page) =>
      listMembers(database, workspaceId, page),
    );
    return context.json({ data: rows.map(toMember), nextCursor }, 200);
  });
}

const readMemberRoute = createRoute({
  method: "get",
  path: "/api/v1/workspaces/{workspaceId}/members/{memberId}",
  operationId: "readMember",
  summary: "Read a member",
  tags: ["People"],
  ...needsPerson("viewer"),
  request: { params: MemberParams },
  responses: { 200: jsonAnswer("The member.", MemberBody), ...NOT_MODIFIED, ...problems("not_found") },
});

export function readMemberOperation({ database }: ApiDeps) {
  return operation(readMemberRoute, async (context) => {
    const memberId = readEntityId("mem", context.req.valid("param").memberId);
    const member = await findMember(database, requireActing(context).workspaceId, memberId);
    return context.json(toMember(requireFound(member)), 200);
  });
}

const updateMemberRoute = createRoute({
  method: "patch",
  path: "/api/v1/workspaces/{workspaceId}/members/{memberId}",
  operationId: "updateMember",
  summary: "Change a member's role",
  description: "Only owners make owners, and change them. A workspace keeps an owner.",
  tags: ["People"],
  ...freshly(needsPerson("admin")),
  request: {
    params: MemberParams,
    body: jsonBody(UpdateMemberBody, { role: "editor" }),
  },
  responses: {
    200: jsonAnswer("The member.", MemberBody),
    ...problems("sign_in_again", "not_found", ...BODY_PROBLEMS, "last_owner"),
  },
});

export function updateMemberOperation({ database }: ApiDeps) {
  return operation(updateMemberRoute, async (context) => {
    const memberId = readEntityId("mem", context.req.valid("param").memberId);
    const change = { ...requireActing(context), memberId };
    const body = context.req.valid("json");
    const readOnly = readOnlyOf(body, changeable);
    if (readOnly !== null) {
      const known = requireFound(await findMember(database, change.workspaceId, memberId));
      requireUnchanged(readOnly, toMember(known));
    }
    const member = await changeRole(database, body.role, change);
    return context.json(toMember(member), 200);
  });
}

const removeMemberRoute = createRoute({
  method: "delete",
  path: "/api/v1/workspaces/{workspaceId}/members/{memberId}",
  operationId: "removeMember",
  summary: "Remove somebody from a workspace",
  description:
    "With their next request they are out, and keys that they made end. Other keys that they know go on, and so do webhooks: revoke or change those.",
  tags: ["People"],
  ...freshly(needsPerson("admin")),
  request: { params: MemberParams },
  responses: { ...NO_CONTENT, ...problems("sign_in_again", "not_found", "last_owner") },
});

export function removeMemberOperation({ database }: ApiDeps) {
  return operation(removeMemberRoute, async (context) => {
    const memberId = readEntityId("mem", context.req.valid("param").memberId);
    await removeMember(database, { ...requireActing(context), memberId });
    return context.body(null, 204);
  });
}

const leaveWorkspaceRoute = createRoute({
  method: "post",
  path: "/api/v1/workspaces/{workspaceId}/leave",
  operationId: "leaveWorkspace",
  summary: "Leave a workspace",
  tags: ["People"],
  ...needsPerson("viewer"),
  request: { params: WorkspaceParams },
  responses: { ...NO_CONTENT, ...problems("last_owner") },
});

export function leaveWorkspaceOperation({ database }: ApiDeps) {
  return operation(leaveWorkspaceRoute, async (context) => {
    const { workspaceId, personId } = requireActing(context);
    await leaveWorkspace(database, workspaceId, personId);
    return context.body(null, 204);
  });
}
