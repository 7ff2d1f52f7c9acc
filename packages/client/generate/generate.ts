/**
 * Writes src/openapi.ts from the API's OpenAPI document: the types of its operations, and where each of them is. `pnpm types`
 * calls it, and `pnpm check` fails when the file is out of date.
 */
import openapiTypes, { astToString } from "openapi-typescript";

type Parameter = { readonly in: string; readonly name: string };

type DocumentedOperation = {
  readonly operationId?: string;
  readonly parameters?: readonly Parameter[];
  readonly responses: { readonly [status: string]: unknown };
};

/** The parts of an OpenAPI 3.1 document that are read here. */
type ApiDocument = {
  readonly openapi: string;
  readonly info: { readonly title: string; readonly version: string };
  readonly paths: { readonly [path: string]: { readonly [method: string]: DocumentedOperation } };
  readonly components: object;
};

const HEADER = `/**
 * Written by \`pnpm types\` from the API's routes. Not edited by hand: \`pnpm check\` compares.
 *
 * The operations of the API with their parameters, bodies and answers, and its schemas.
 */
`;

/** Of what openapi-typescript writes, what the client has no use for. */
const LEFT_OUT: readonly (string | undefined)[] = ["paths", "webhooks", "$defs"];

/** `text` is the document as JSON. */
export async function generateClient(text: string): Promise<string> {
  const document = JSON.parse(text) as ApiDocument;
  const operations = listOperations(document);
  const nodes = await openapiTypes(JSON.stringify(withoutProblems(document)), {
    // A field with a default may be left out of a request; answers say themselves which fields they always have.
    defaultNonNullable: false,
    excludeDeprecated: true,
    rootTypes: true,
    rootTypesNoSchemaPrefix: true,
  });
  const types = astToString(
    nodes.filter((node) => !LEFT_OUT.includes((node as { name?: { text?: string } }).name?.text)),
  );
  const rows = operations.map(({ operationId, target }) => `  ${operationId}: "${target}",`);
  return `${HEADER}
/** Method and path by operation; \`once\`: it takes an Idempotency-Key, and sent again with the same one makes nothing twice. */
export const OPERATIONS = {
${rows.join("\n")}
} as const satisfies { readonly [Name in keyof operations]: string };

${types}`;
}

function listOperations({ paths }: ApiDocument) {
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => {
      const target = `${method.toUpperCase()} ${path}`;
      requireFlat(target, operation);
      const takesKey = operation.parameters?.some(({ name }) => name === "idempotency-key") === true;
      return { operationId: operation.operationId ?? "", target: takesKey ? `${target} once` : target };
    }),
  );
}

/** The client takes path and query parameters side by side, with the body as `body`. */
function requireFlat(target: string, { operationId, parameters = [] }: DocumentedOperation): void {
  const names = parameters.filter((one) => one.in === "path" || one.in === "query").map(({ name }) => name);
  if (operationId === undefined || names.includes("body") || new Set(names).size < names.length) {
    throw new Error(
      `${target} needs an operationId, and parameters with different names, none of them body.`,
    );
  }
}

/** Every problem has one shape, `Problem`: the client throws it, whichever operation answers it. */
function withoutProblems(document: ApiDocument): ApiDocument {
  const paths = Object.entries(document.paths).map(([path, methods]) => [
    path,
    Object.fromEntries(
      Object.entries(methods).map(([method, operation]) => [
        method,
        onlySuccess({ ...operation, parameters: operation.parameters?.filter(isGiven) ?? [] }),
      ]),
    ),
  ]);
  return { ...document, paths: Object.fromEntries(paths) };
}

/** Not in a header, as the client's options are, and its workspace. */
function isGiven({ in: place, name }: Parameter): boolean {
  return place !== "header" && name !== "workspace";
}

function onlySuccess(operation: DocumentedOperation): DocumentedOperation {
  const successes = Object.entries(operation.responses).filter(([status]) => status.startsWith("2"));
  return { ...operation, responses: Object.fromEntries(successes) };
}
