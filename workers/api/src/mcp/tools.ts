/**
 * The tools of /api/mcp: operations of the API under names for language models. What a tool takes is read from the OpenAPI
 * document, so that it is what the operation takes. Pure.
 */
import type { operations } from "@hopline/client/openapi";
import { WORKSPACE_PARAMETER } from "../http/wanted-workspace.ts";

/** By the tool's name. `defaults` are for models, which read every character of an answer. */
const TOOLS: {
  readonly [name: string]: { readonly operationId: keyof operations; readonly defaults?: Arguments };
} = {
  create_link: { operationId: "createLink" },
  find_links: { operationId: "listLinks", defaults: { limit: 20 } },
  read_link: { operationId: "readLink" },
  change_link: { operationId: "updateLink" },
  delete_alias: { operationId: "deleteAlias" },
  copy_rules: { operationId: "copyRules" },
  explain_link: { operationId: "resolveLink" },
  ask_analytics: { operationId: "readOverview" },
  list_domains: { operationId: "listDomains" },
  read_missed_visits: { operationId: "readMissedVisits" },
  list_tags: { operationId: "listTags" },
  change_tag: { operationId: "updateTag" },
};

export type Arguments = { readonly [name: string]: unknown };

export type Tool = {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  /** Parameters of path and query, and the fields of the body, side by side. */
  readonly inputSchema: Schema;
  readonly isReadOnly: boolean;
  /** It deletes, merges or sends: there is no way back. */
  readonly isDestructive: boolean;
  readonly method: string;
  /** With `{parameters}`. */
  readonly path: string;
  /** `null`: the operation takes no body, and what is not in its path goes into the query. */
  readonly bodyType: "application/json" | null;
  readonly defaults: Arguments;
};

type Schema = { readonly [keyword: string]: unknown };

/** The parts of the OpenAPI document that are read here. */
type Operation = {
  readonly operationId: string;
  readonly summary: string;
  readonly description?: string;
  readonly "x-destructive"?: true;
  readonly security: readonly { readonly apiKey: readonly string[] }[];
  readonly parameters?: readonly {
    readonly in: string;
    readonly name: string;
    readonly required?: boolean;
    readonly description?: string;
    readonly schema: Schema;
  }[];
  readonly requestBody?: { readonly content: { readonly "application/json": { readonly schema: Schema } } };
};

export type ToolDocument = {
  readonly paths: { readonly [path: string]: { readonly [method: string]: Operation } };
  readonly components: { readonly schemas: { readonly [name: string]: Schema } };
};

/** Throws where an operation is not in the document. */
export function listTools(document: ToolDocument): readonly Tool[] {
  return Object.entries(TOOLS).map(([name, { operationId, defaults = {} }]) =>
    toTool(name, defaults, findOperation(operationId, document), document),
  );
}

type Found = { readonly method: string; readonly path: string; readonly operation: Operation };

function findOperation(operationId: string, { paths }: ToolDocument): Found {
  for (const [path, methods] of Object.entries(paths)) {
    for (const [method, operation] of Object.entries(methods)) {
      if (operation.operationId === operationId) {
        return { method: method.toUpperCase(), path, operation };
      }
    }
  }
  throw new Error(`invariant: the document has the operation ${operationId}`);
}

function toTool(
  name: string,
  defaults: Arguments,
  { method, path, operation }: Found,
  document: ToolDocument,
): Tool {
  const scope = operation.security[0]?.apiKey[0] ?? "";
  const text = operation.description ?? "";
  return {
    name,
    title: operation.summary,
    description: `${operation.summary}.${text === "" ? "" : ` ${text}`} Needs the scope ${scope}.`,
    inputSchema: toInputSchema(operation, defaults, document),
    isReadOnly: scope.endsWith(":read"),
    isDestructive: method === "DELETE" || operation["x-destructive"] === true,
    method,
    path,
    bodyType: operation.requestBody === undefined ? null : "application/json",
    defaults,
  };
}

function toInputSchema(operation: Operation, defaults: Arguments, document: ToolDocument): Schema {
  const { schemas } = document.components;
  // Of a key there is one workspace, and a tool has no headers.
  const parameters = (operation.parameters ?? []).filter(
    (one) => one.in !== "header" && one.name !== WORKSPACE_PARAMETER,
  );
  const body = resolve(operation.requestBody?.content["application/json"].schema ?? {}, schemas);
  const ofBody = (body["properties"] ?? {}) as Schema;
  const properties = {
    ...Object.fromEntries(
      parameters.map(({ name, description, schema }) => [
        name,
        { ...schema, ...(description === undefined ? {} : { description }) },
      ]),
    ),
    ...ofBody,
  };
  for (const [name, value] of Object.entries(defaults)) {
    properties[name] = { ...(properties[name] as Schema), default: value };
  }
  const required = [
    ...parameters.filter((one) => one.required === true).map(({ name }) => name),
    ...((body["required"] ?? []) as readonly string[]),
  ];
  const definitions = collectDefinitions(properties, schemas);
  return toLocalRefs({
    type: "object",
    properties,
    ...(required.length === 0 ? {} : { required }),
    additionalProperties: false,
    ...(definitions.size === 0 ? {} : { $defs: Object.fromEntries(definitions) }),
  });
}

const REF = "#/components/schemas/";

function resolve(schema: Schema, schemas: ToolDocument["components"]["schemas"]): Schema {
  const ref = schema["$ref"];
  return typeof ref === "string" ? (schemas[ref.slice(REF.length)] ?? {}) : schema;
}

/** The schemas that are referred to, also by each other. */
function collectDefinitions(
  schema: unknown,
  schemas: ToolDocument["components"]["schemas"],
  found: Map<string, Schema> = new Map(),
): ReadonlyMap<string, Schema> {
  for (const [, name = ""] of JSON.stringify(schema).matchAll(/"#\/components\/schemas\/([^"]+)"/g)) {
    const definition = schemas[name];
    if (definition !== undefined && !found.has(name)) {
      found.set(name, definition);
      collectDefinitions(definition, schemas, found);
    }
  }
  return found;
}

function toLocalRefs(schema: Schema): Schema {
  return JSON.parse(JSON.stringify(schema).replaceAll(`"${REF}`, '"#/$defs/')) as Schema;
}
