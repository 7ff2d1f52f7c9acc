/** /api/v1/workspaces/{workspaceId}/members: who is in a workspace, and in which role. Only people manage people. */
import { z } from "@hono/zod-openapi";
import type { ApiDeps } from "../../api-deps.ts";
import { BoundShape, toBound } from "../../http/bounds/bound-shape.ts";
import { requireMemberBound } from "../../http/bounds/bound-store.ts";
import { entityIdParam, toPublicId } from "../../http/entity-id.ts";
import { endpoint } from "../../http/endpoint.ts";
import { freshly, needsPerson, NO_CONTENT } from "../../http/operation.ts";
import { orNull } from "../../http/or-null.ts";
import { requireActing } from "../../http/require-person.ts";
import { resource } from "../../http/resource.ts";
import { toInstant } from "../../instant.ts";
import { changeMember, leaveWorkspace, membersOf, deleteMember, type StoredMember } from "../member-store.ts";
import { RoleShape } from "../person-shape.ts";

const MemberBody = z
  .object({
    id: z.string().openapi({ example: "mem_0198f3c2a1b27c3d8e4f5a6b7c8d9e0f" }),
    personId: z.string().openapi({ example: "per_0198f3c2a1b27c3d8e4f5a6b7c8d9e0f" }),
    email: z.string(),
    name: z.string(),
    role: RoleShape,
    bounds: orNull(BoundShape).openapi({
      description: "`null`: all of the workspace. They hold for keys of the member too.",
    }),
    createdAt: z.iso.datetime(),
  })
  .openapi("Member");

function toMember({ id, personId, email, name, role, bounds, createdAtMs }: StoredMember) {
  return {
    id: toPublicId("mem", id),
    personId: toPublicId("per", personId),
    email,
    name,
    role,
    bounds: toBound(bounds),
    createdAt: toInstant(createdAtMs),
  };
}

const changeable = z.object({ role: RoleShape, bounds: orNull(BoundShape) }).partial();

const members = resource<ApiDeps>()({
  path: "/api/v1/workspaces/{workspaceId}/members",
  id: ["memberId", "mem"],
  name: "Member",
  one: "a member",
  many: "members",
  tag: "People",
  body: MemberBody,
  show: toMember,
  reads: needsPerson("viewer"),
  writes: needsPerson("admin"),
  rows: membersOf,
});

export const listMembersOperation = members.list({
  searched: "the person's name or email",
});

export const readMemberOperation = members.read();

export const updateMemberOperation = members.update({
  summary: "Change a member's role or bounds",
  description:
    "Only owners make owners, and change them. A workspace keeps an owner. Bounds are for viewers and editors: with their next request, only these links exist for them and for their keys. Webhooks that they made are the workspace's and go on.",
  access: freshly(needsPerson("admin")),
  body: [changeable, { role: "editor" }],
  problems: ["sign_in_again", "last_owner"],
  update: async ({ database }, { context, ...target }, { role, bounds }) => {
    const stored = bounds && (await requireMemberBound(database, target.workspaceId, bounds));
    return changeMember(database, { role, bounds: stored }, { ...target, ...requireActing(context) });
  },
});

export const deleteMemberOperation = members.delete({
  summary: "Remove a person from a workspace",
  description:
    "With their next request they are out, and keys that they made end. Other keys that they know go on, and so do webhooks: revoke or change those.",
  access: freshly(needsPerson("admin")),
  problems: ["sign_in_again", "last_owner"],
  remove: async ({ database }, { context, ...target }) => {
    await deleteMember(database, { ...target, ...requireActing(context) });
    return true;
  },
});

export const leaveWorkspaceOperation = endpoint({
  method: "post",
  path: "/api/v1/workspaces/{workspaceId}/leave",
  operationId: "leaveWorkspace",
  summary: "Leave a workspace",
  tags: ["People"],
  ...needsPerson("viewer", { reach: "none" }),
  request: { params: z.object({ workspaceId: entityIdParam("ws") }) },
  responses: NO_CONTENT,
  problems: ["last_owner"],
}).handle(async (context, { database }: ApiDeps) => {
  const { workspaceId, personId } = requireActing(context);
  await leaveWorkspace(database, workspaceId, personId);
  return context.body(null, 204);
});
