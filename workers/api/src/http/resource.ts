/**
 * The shape that resources have in common: listed in pages, searched, sorted and counted; read, created, changed and deleted by
 * id, with ETag, If-Match, Idempotency-Key, and who did it in the audit log. Routes say what is special.
 */
import { z } from "@hono/zod-openapi";
import type { Context } from "hono";
import type { Database } from "../database.ts";
import type { ApiContext } from "./authenticate.ts";
import { type EntityKind, entityIdParam, readEntityId, requireFound } from "./entity-id.ts";
import { IfMatchHeader, readIfMatch, versionTag } from "./entity-tag.ts";
import {
  findRow,
  listOf,
  listQuery,
  type ListQuery,
  listRows,
  type Rows,
  type RowTarget,
  SORTS,
} from "./list-rows.ts";
import { type Described, endpoint } from "./endpoint.ts";
import {
  IdempotencyHeader,
  jsonAnswer,
  jsonBody,
  type needs,
  type needsPerson,
  NO_CONTENT,
} from "./operation.ts";
import { ProblemError, type ProblemCode } from "./problem.ts";
import { readOnlyOf, requireUnchanged, takesBack } from "./read-only.ts";

/** Who may call it: what `needs`, `needsPerson` and `freshly` make. */
type Access = ReturnType<typeof needs | typeof needsPerson>;

type Stored = { readonly id: string; readonly version: number };

/** Whose the resource is, and what the handler of a special one may look at. */
export type Asked = { readonly workspaceId: string; readonly context: Context<ApiContext> };
export type Target = Asked & RowTarget;

type About<Shown extends z.ZodRawShape, Row> = {
  /** Of the list: `/api/v1/folders`. */
  readonly path: string;
  readonly id: readonly [parameter: string, kind: EntityKind];
  /** In operations and in the document: `Folder`, `a folder`, `folders`. */
  readonly name: string;
  readonly one: string;
  readonly many: string;
  readonly tag: string;
  readonly body: z.ZodObject<Shown>;
  readonly show: (row: Row) => z.input<z.ZodObject<Shown>>;
  readonly reads: Access;
  readonly writes: Access;
  readonly rows: (database: Database, workspaceId: string) => Rows<Row>;
};

/** What an operation says beside that. */
type Words = {
  readonly operationId?: string;
  readonly summary?: string;
  readonly description?: string;
  readonly access?: Access;
  readonly problems?: readonly ProblemCode[];
  readonly "x-destructive"?: true;
};

/** The body of a PATCH, with the read-only fields that are taken back. */
type Sent<Changeable extends z.ZodRawShape, Shown extends z.ZodRawShape> = z.output<z.ZodObject<Changeable>> &
  Omit<Partial<z.output<z.ZodObject<Shown>>>, keyof Changeable>;

export function resource<Deps extends { readonly database: Database }>() {
  return <Shown extends z.ZodRawShape, Row extends Stored>(about: About<Shown, Row>) => {
    const [parameter, kind] = about.id;
    const { name, one, many, body: shown, show } = about;
    const find = ({ database }: Deps, { workspaceId, id }: RowTarget) =>
      findRow(about.rows(database, workspaceId), id);
    const parents = Array.from(about.path.matchAll(/\{(\w+)\}/g), ([, parent = ""]) => parent);
    const ofParents = z.object(Object.fromEntries(parents.map((parent) => [parent, entityIdParam("ws")])));
    const params = ofParents.extend({ [parameter]: entityIdParam(kind) });
    const atOne = `${about.path}/{${parameter}}`;
    const asked = (context: Context<ApiContext>): Asked => ({
      workspaceId: context.get("principal").workspaceId,
      context,
    });
    const target = (context: Context<ApiContext>): Target => ({
      ...asked(context),
      id: readEntityId(kind, context.req.param(parameter) ?? ""),
      ifMatch: readIfMatch(context.req.header("if-match")),
    });
    const answer = async (context: Context<ApiContext>, row: Row) => {
      const body = show(row);
      context.header("etag", await versionTag(row.version, body));
      return context.json(body, 200);
    };
    /** A change that found no row of the version that was asked for. */
    const refuse = async (deps: Deps, its: Target): Promise<never> => {
      const row = requireFound(await find(deps, its));
      throw new ProblemError(its.ifMatch?.includes(row.version) === false ? "version_mismatch" : "not_found");
    };
    const define = (
      { access, problems: codes = [], ...words }: Words,
      { problems: ours = [], ...route }: Described<string>,
      handle: (context: Context<ApiContext>, deps: Deps) => Promise<Response>,
    ) =>
      endpoint({
        tags: [about.tag],
        ...(access ?? (route.method === "get" ? about.reads : about.writes)),
        ...route,
        ...words,
        problems: [...ours, ...codes],
      }).handle(handle);
    return {
      list: ({ searched, ...words }: Words & { readonly searched: string }) =>
        define(
          words,
          {
            method: "get",
            path: about.path,
            operationId: `list${name}s`,
            summary: `List ${many}, newest first`,
            request: {
              ...(parents.length > 0 ? { params: ofParents } : {}),
              query: listQuery(searched, SORTS),
            },
            responses: { 200: jsonAnswer(`A page of ${many}.`, listOf(shown)) },
            problems: ["cursor_invalid"],
          },
          async (context, { database }) => {
            const query: ListQuery = context.req.valid("query" as never);
            const table = about.rows(database, asked(context).workspaceId);
            const { rows, ...rest } = await listRows(database, many, { rows: table, query });
            return context.json({ data: rows.map(show), ...rest }, 200);
          },
        ),
      read: (words: Words & { readonly answer?: string } = {}) => {
        const { answer: text = `${one.replace(/^an? /, "The ")}.`, ...others } = words;
        return define(
          others,
          {
            method: "get",
            path: atOne,
            operationId: `read${name}`,
            summary: `Read ${one}`,
            request: { params },
            responses: { 200: jsonAnswer(text, shown) },
            problems: ["not_found"],
          },
          async (context, deps) => answer(context, requireFound(await find(deps, target(context)))),
        );
      },
      create: <Body extends z.ZodType, Made extends z.ZodRawShape = Shown>({
        body,
        answer: [text, made],
        create,
        ...words
      }: Words & {
        readonly body: readonly [schema: Body, example: z.input<Body>];
        /** With what is shown this once, such as a secret: `made` is another shape than the resource's. */
        readonly answer: readonly [text: string, made?: z.ZodObject<Made>];
        readonly create: (
          deps: Deps,
          asked: Asked & { readonly newId: string },
          body: z.output<Body>,
        ) => Promise<z.input<z.ZodObject<Made>>>;
      }) =>
        define(
          words,
          {
            method: "post",
            path: about.path,
            operationId: `create${name}`,
            summary: `Create ${one}`,
            request: {
              ...(parents.length > 0 ? { params: ofParents } : {}),
              headers: IdempotencyHeader,
              body: jsonBody(...body),
            },
            responses: { 201: jsonAnswer(text, made ?? shown) },
            problems: made === undefined ? [] : ["idempotency_secret"],
          },
          async (context, deps) => {
            const newId = context.get("newIds").idAt(0);
            const created = await create(
              deps,
              { ...asked(context), newId },
              context.req.valid("json" as never),
            );
            if (made !== undefined) {
              // Neither a cache nor the store of idempotency keys may keep a secret.
              context.header("cache-control", "no-store");
            }
            return context.json(created, 201);
          },
        ),
      /** The body is what can be changed, and what GET shows beside that. */
      update: <Changeable extends z.ZodRawShape>({
        body: [changeable, example, explanation],
        moving = [],
        update,
        ...words
      }: Words & {
        readonly body: readonly [z.ZodObject<Changeable>, example: object, about?: string];
        /** Fields that change by themselves. */
        readonly moving?: readonly string[];
        /** `null`: it is gone, or in another version. */
        readonly update: (
          deps: Deps,
          target: Target & { readonly found: () => Promise<Row> },
          body: Sent<Changeable, Shown>,
        ) => Promise<Row | null>;
      }) => {
        const body = takesBack(changeable, shown).openapi(
          `Update${name}`,
          explanation === undefined ? {} : { description: explanation },
        );
        return define(
          words,
          {
            method: "patch",
            path: atOne,
            operationId: `update${name}`,
            summary: `Change ${one}`,
            request: { params, headers: IfMatchHeader, body: jsonBody(body, example as never) },
            responses: { 200: jsonAnswer(`${one.replace(/^an? /, "The ")} after the change.`, shown) },
            problems: ["not_found", "version_mismatch"],
          },
          async (context, deps) => {
            const its = target(context);
            const sent: Sent<Changeable, Shown> = context.req.valid("json" as never);
            const found = async () => requireFound(await find(deps, its));
            const readOnly = readOnlyOf(sent, changeable);
            if (readOnly !== null) {
              requireUnchanged(readOnly, show(await found()), moving);
            }
            const isChange = Object.keys(sent).some((field) => field in changeable.shape);
            const changed = isChange ? await update(deps, { ...its, found }, sent) : await found();
            const isOther =
              changed === null || (!isChange && its.ifMatch?.includes(changed.version) === false);
            return answer(context, isOther ? await refuse(deps, its) : changed);
          },
        );
      },
      delete: <Query extends z.ZodRawShape = Record<never, never>>({
        query,
        remove,
        ...words
      }: Words & {
        readonly query?: z.ZodObject<Query>;
        /** False: it is gone, or in another version. */
        readonly remove: (
          deps: Deps,
          target: Target,
          query: z.output<z.ZodObject<Query>>,
        ) => Promise<boolean>;
      }) =>
        define(
          words,
          {
            method: "delete",
            path: atOne,
            operationId: `delete${name}`,
            summary: `Delete ${one}`,
            request: { params, headers: IfMatchHeader, ...(query === undefined ? {} : { query }) },
            responses: NO_CONTENT,
            problems: ["not_found", "version_mismatch"],
          },
          async (context, deps) => {
            const its = target(context);
            const isRemoved = await remove(deps, its, context.req.valid("query" as never));
            return isRemoved ? context.body(null, 204) : refuse(deps, its);
          },
        ),
    };
  };
}
