/**
 * The OpenAPI document against the running API: random requests from its schemas get only documented answers, and every JSON
 * answer conforms to its schema.
 */
import fc from "fast-check";
import { beforeAll, describe, expect, it } from "vitest";
import { createChecker, type Schema, valuesOf } from "./json-schema.ts";
import { openKeyedStage } from "../keyed-stage.ts";
import { IS_FULL } from "../../../../packages/core/test/runs.ts";

/** There are 130 operations: by default a tenth. */
const RUNS_AN_OPERATION = IS_FULL ? 40 : 4;

type Parameter = {
  readonly name: string;
  readonly in: string;
  readonly required?: boolean;
  readonly schema: Schema;
};
type Media = { readonly schema?: Schema; readonly example?: unknown };
type OperationDocument = {
  readonly summary?: string;
  readonly operationId?: string;
  readonly tags?: readonly string[];
  readonly parameters?: readonly Parameter[];
  readonly requestBody?: { readonly content: { readonly [type: string]: Media } };
  readonly responses: {
    readonly [status: string]: {
      readonly description: string;
      readonly content?: { readonly [type: string]: Media };
    };
  };
};

const { stage, workspace, key } = await openKeyedStage("admin");
const text = await (await stage.app.request("/api/openapi.json")).text();
const document = JSON.parse(text) as {
  readonly openapi: string;
  readonly paths: { readonly [path: string]: { readonly [method: string]: OperationDocument } };
  readonly components: { readonly schemas: { readonly [name: string]: Schema } };
};
const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, operation]) => ({
    name: `${method.toUpperCase()} ${path}`,
    method,
    path,
    operation,
  })),
);

const faultsOf = createChecker(document.components);

let ids: { readonly [parameter: string]: string };

it("is OpenAPI 3.1, and gives every operation a unique id, a summary and tags", () => {
  expect(document.openapi).toBe("3.1.0");
  const operationIds = operations.map(({ operation }) => operation.operationId);
  expect(operationIds).not.toContain(undefined);
  expect(new Set(operationIds).size).toBe(operationIds.length);
  expect(operations.filter(({ operation }) => !operation.summary || !operation.tags?.length)).toEqual([]);
  const bodies = operations.flatMap(({ operation }) => Object.values(operation.requestBody?.content ?? {}));
  const isText = ({ schema }: (typeof bodies)[number]) => schema?.format !== "binary";
  expect(bodies.filter((body) => isText(body) && body.example === undefined)).toEqual([]);
});

it("gives no name to something that may be null, but where nothing else has the name: an actor is always somebody", () => {
  const schemas = document.components.schemas as { readonly [name: string]: { readonly type?: unknown } };
  const nullable = Object.entries(schemas).filter(
    ([, { type }]) => Array.isArray(type) && type.includes("null"),
  );
  // Optional parts of a link, which are nullable in all of their places.
  expect(nullable.map(([name]) => name).toSorted()).toEqual([
    "NextDestination",
    "OpenGraph",
    "QrDesign",
    "Utm",
  ]);
});

it("has a reference page that may load nothing from another host, and asks for no font, telemetry or chat", async () => {
  const page = await stage.app.request("/api/docs");
  const policy = page.headers.get("content-security-policy")?.split("; ") ?? [];
  expect(policy).toContain("default-src 'none'");
  expect(policy.flatMap((directive) => directive.split(" ").slice(1)).toSorted()).toEqual([
    "'none'",
    "'none'",
    "'none'",
    "'none'",
    "'self'",
    "'self'",
    "'self'",
    "'self'",
    "'unsafe-inline'",
    "data:",
    "data:",
  ]);
  const html = await page.text();
  expect(html).not.toMatch(/https?:|src="\/\//);
  const [, configuration = ""] = /data-configuration='([^']+)'/.exec(html) ?? [];
  expect(JSON.parse(configuration)).toMatchObject({
    url: "/api/openapi.json",
    withDefaultFonts: false,
    telemetry: false,
    agent: { disabled: true },
    mcp: { disabled: true },
  });
  const [, script = ""] = /<script src="([^"]+)"/.exec(html) ?? [];
  expect((await stage.app.request(script)).status).toBe(200);
});

describe.each(operations)("$name", ({ method, path, operation }) => {
  beforeAll(async () => {
    // Requests name them in paths alone.
    ids = path.includes("{") ? await stage.addObjects(workspace) : {};
  });

  it("answers random requests as documented, never with 5xx", async () => {
    const json = operation.requestBody?.content["application/json"];
    const body =
      json?.schema === undefined
        ? fc.constant(undefined)
        : fc.oneof(
            { weight: 4, arbitrary: valuesOf(json.schema, document.components.schemas) },
            { weight: 1, arbitrary: fc.jsonValue() },
            { weight: 1, arbitrary: fc.constant(json.example) },
          );
    const parameters = fc.record(
      Object.fromEntries(
        (operation.parameters ?? [])
          .filter(isNotWorkspace)
          .map((one) => [
            `${one.in} ${one.name}`,
            fc.oneof(
              { weight: one.required === true ? 0 : 6, arbitrary: fc.constant(undefined) },
              { weight: 4, arbitrary: valuesOf(one.schema, document.components.schemas) },
              { weight: 1, arbitrary: fc.string({ unit: "binary" }) },
            ),
          ]),
      ),
    );
    await fc.assert(
      fc.asyncProperty(body, parameters, fc.boolean(), async (value, given, isOurs) => {
        const response = await stage.app.request(...toRequest({ method, path }, value, given, isOurs));
        expect(Object.keys(operation.responses)).toContain(String(response.status));
        expect(response.status).toBeLessThan(500);
        const type = response.headers.get("content-type")?.split(";")[0] ?? "";
        const media = operation.responses[response.status]?.content;
        expect(Object.keys(media ?? { "": {} })).toContain(type);
        const schema = media?.[type]?.schema;
        if (schema !== undefined && ["application/json", "application/problem+json"].includes(type)) {
          expect(faultsOf(await response.json(), schema)).toEqual([]);
        }
      }),
      { numRuns: RUNS_AN_OPERATION },
    );
  });
});

/** Of another workspace than the key's nothing is answered but that: workers/api/test/people/roles.test.ts. */
function isNotWorkspace({ name }: Parameter): boolean {
  return name !== "workspace" && name !== "Hopline-Workspace";
}

function toRequest(
  { method, path }: { readonly method: string; readonly path: string },
  body: unknown,
  given: { readonly [parameter: string]: unknown },
  isOurs: boolean,
): [string, RequestInit] {
  const query = new URLSearchParams();
  const headers = new Headers({ authorization: `Bearer ${key}` });
  let target = path;
  for (const [name, value] of Object.entries(given)) {
    const [place = "", parameter = ""] = name.split(" ");
    const words = (Array.isArray(value) ? value : [value]).map(String);
    if (place === "path") {
      const id = isOurs ? (ids[parameter] ?? "x") : words[0]?.toWellFormed() || "x";
      target = target.replace(`{${parameter}}`, encodeURIComponent(id === "." || id === ".." ? "x" : id));
    } else if (value !== undefined && place === "query") {
      words.forEach((word) => query.append(parameter, word.toWellFormed()));
    } else if (value !== undefined && place === "header") {
      headers.set(parameter, Buffer.from((words[0] ?? "").replaceAll(/[\r\n\0]/g, "")).toString("latin1"));
    }
  }
  if (body !== undefined) {
    headers.set("content-type", "application/json");
  }
  const url = query.size === 0 ? target : `${target}?${query.toString()}`;
  return [
    url,
    { method: method.toUpperCase(), headers, ...(body === undefined ? {} : { body: JSON.stringify(body) }) },
  ];
}
