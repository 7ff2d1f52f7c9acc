/** POST /api/v1/links/import: creates links from a file, ours or another product's, in chunks of 1,000, and reports. */
import { createRoute, z } from "@hono/zod-openapi";
import type { ApiDeps } from "../api-deps.ts";
import { findFolders } from "../folders/folder-store.ts";
import { readDocument, readRows } from "./import-body.ts";
import { IMPORT_FORMATS, type ImportRow, type ReadRow, readImportRow, type ValidRow } from "./import-row.ts";
import { CONFLICT_CHOICES, importRows, MAX_REPLACED, type Outcome, type RowsOptions } from "./import-rows.ts";
import { sha256Hex } from "../http/api-key.ts";
import { FRESH_IDS } from "../http/new-ids.ts";
import {
  BODY_PROBLEMS,
  IdempotencyHeader,
  jsonAnswer,
  needs,
  operation,
  problems,
} from "../http/operation.ts";
import { flagParam } from "../http/query-parameters.ts";
import { IMPORT_PATH, MAX_DOCUMENT_BYTES, MAX_IMPORT_BYTES } from "../http/request-limits.ts";
import { createFaultBudget, type FieldError, type ProblemCode } from "../http/problem.ts";
import { watchRights } from "../still-allowed.ts";
import type { WantedLink } from "../links/plan-links.ts";
import { DomainName } from "../links/link-shape.ts";

/** Of one file: some minutes of work. */
const MAX_ROWS = 100_000;
const TOO_MANY_ROWS = "is one row more than the 100,000 of one import: import the rest as another file";

const CHUNK_ROWS = 1_000;
/** Rows that are judged without giving way: some milliseconds. */
const ROWS_AT_ONCE = 100;
/** Characters, for rows with many rules: they can be a thousand times as long as others. */
const CHUNK_LENGTH = 2_000_000;
const MAX_REPORTED = 1_000;

const ImportQuery = z.object({
  format: z
    .enum(IMPORT_FORMATS)
    .default("hopline")
    .openapi({ description: "The product that made the file." }),
  domain: DomainName.optional().openapi({ description: "The domain for the links: its host or its id." }),
  conflict: z
    .enum(CONFLICT_CHOICES)
    .default("skip")
    .openapi({
      description: `For a row whose slug is taken. \`skip\` refuses it. \`rename\` imports it as \`spring-2\`, or the next free one to \`spring-9\`. \`replace\` edits the link that has the slug, at most ${MAX_REPLACED} in a file: it gets what the row has, keeps what the row leaves empty, and its history has the version before. Nothing is replaced that was edited meanwhile, nor a former slug, nor one in the trash.`,
    }),
  reuse: flagParam(
    "For a row that names no slug and asks for nothing that only a link of its own has, creates no link if one is the same already, as `reuse` of createLink has it.",
  ),
  dryRun: flagParam("Only report what would happen."),
});

const Report = z
  .object({
    dryRun: z.boolean(),
    rows: z.number().int(),
    created: z.number().int().openapi({ description: "In a dry run, how many would be created." }),
    replaced: z.number().int().openapi({ description: "With `conflict=replace`; not among `created`." }),
    reused: z.number().int().openapi({ description: "With `reuse`; not among `created`." }),
    refused: z.number().int(),
    refusals: z
      .array(
        z.object({
          row: z.number().int().openapi({ description: "From 1, without the header." }),
          slug: z.string().nullable(),
          code: z.string(),
          errors: z.array(z.object({ path: z.string(), message: z.string() })),
        }),
      )
      .openapi({ description: `The first ${MAX_REPORTED}, and where the file had to end.` }),
    warnings: z
      .array(z.object({ row: z.number().int(), slug: z.string().nullable(), message: z.string() }))
      .openapi({
        description: `Imported links that differ from the file. The first ${MAX_REPORTED}.`,
      }),
  })
  .openapi("ImportReport");

const example = "slug,url,title,tags\r\nspring,https://example.com/spring,Spring,mail|2026\r\n";

const route = createRoute({
  method: "post",
  path: IMPORT_PATH,
  operationId: "importLinks",
  summary: "Import links from a file",
  description: `Slugs, titles, tags and creation times are kept; from our own export also rules, limits, uses that count towards a cap, states, and folders that the workspace has. Defaults fill what a row leaves empty, as in createLink; a row without a UTM value that they require, or with one that they do not allow, is refused. Ids, counts and passwords are not in the file: a link that had a password is imported disabled, with a warning. A row that can't be imported is reported and does not affect the others; importing the same file again refuses what already exists, or finds it if it is sent with the same Idempotency-Key. CSV and JSON lines are read as they arrive. A file has at most 100,000 rows; what follows is not read. A JSON document may have ${MAX_DOCUMENT_BYTES / 1_000_000} MB and 250,000 values. The links answer within two seconds.`,
  tags: ["Links"],
  "x-max-body-bytes": MAX_IMPORT_BYTES,
  ...needs("links:write", { reach: "links" }),
  request: {
    headers: IdempotencyHeader,
    query: ImportQuery,
    body: {
      required: true,
      content: {
        "text/csv": { schema: z.string(), example },
        "application/x-ndjson": {
          schema: z.string(),
          example: '{"slug":"spring","url":"https://example.com/spring"}',
        },
        "application/json": {
          schema: z.unknown(),
          example: [{ slug: "spring", url: "https://example.com/spring" }],
        },
      },
    },
  },
  responses: {
    200: jsonAnswer("What happened to the rows.", Report),
    ...problems(...BODY_PROBLEMS, "idempotency_mismatch"),
  },
});

type Refusal = { row: number; slug: string | null; code: ProblemCode; errors: FieldError[] };
type Warning = { row: number; slug: string | null; message: string };
type ChunkReport = {
  readonly refusals: readonly Refusal[];
  readonly warnings: readonly Warning[];
  readonly replaced: number;
  readonly reused: number;
};

const OTHER_FOLDER = "was in a folder that this workspace does not have: it is in none";
const HAD_PASSWORD =
  "had a password, which the file does not contain: it is disabled until you set one and enable it";

export function importLinksOperation(deps: ApiDeps) {
  return operation(route, async (context) => {
    const { format, domain, conflict, reuse, dryRun: isDryRun } = context.req.valid("query");
    const { workspaceId } = context.get("principal");
    const ids = context.get("newIds");
    const group = { id: ids.idAt(0, "the file itself"), action: "link.imported" } as const;
    const withinBudget = createFaultBudget();
    const notes = { refusals: [] as Refusal[], warnings: [] as Warning[] };
    const report = { dryRun: isDryRun, rows: 0, created: 0, replaced: 0, reused: 0, refused: 0, ...notes };
    const written = { created: new Set<string>(), replaced: new Set<string>() };
    const type = context.req.header("content-type")?.toLowerCase() ?? "";
    const giveWay = () => deps.wait(0);
    const requireAllowed = watchRights(context, "links:write", deps);
    const given = type.startsWith("application/json")
      ? readDocument(context.req.valid("json"))
      : readRows(context.req.raw.body ?? new Blob([]).stream(), type, giveWay);
    for await (const chunk of splitChunks(given)) {
      if (report.rows === MAX_ROWS) {
        const errors = [{ path: "", message: TOO_MANY_ROWS }];
        report.refusals.push({ row: MAX_ROWS + 1, slug: null, code: "invalid", errors });
        report.rows += 1;
        report.refused += 1;
        break;
      }
      await requireAllowed();
      const { appSchemes } = deps;
      const rows: ReadRow[] = [];
      for (const row of chunk) {
        rows.push(readImportRow(row, { format, domain, reuse, appSchemes }));
        if (rows.length % ROWS_AT_ONCE === 0) {
          await giveWay();
        }
      }
      // Their content too, so that the same key with another file creates that file's links.
      const content = ids === FRESH_IDS ? "" : await hashOf(chunk);
      const idAt = (index: number) => ids.idAt(report.rows + index, content);
      const options = {
        workspaceId,
        ids: { ...ids, idAt },
        isAtomic: false,
        isDryRun,
        publish: "later",
        group,
        conflict,
        written,
      } as const;
      const { refusals, warnings, replaced, reused } = await importChunk(rows, options, deps);
      const named = shiftRows(refusals, report.rows).slice(0, MAX_REPORTED - report.refusals.length);
      report.refusals.push(...named.map((one) => ({ ...one, errors: [...withinBudget(one.errors)] })));
      report.warnings.push(
        ...shiftRows(warnings, report.rows).slice(0, MAX_REPORTED - report.warnings.length),
      );
      report.rows += rows.length;
      report.refused += refusals.length;
      report.replaced += replaced;
      report.reused += reused;
      report.created += rows.length - refusals.length - replaced - reused;
    }
    return context.json(report, 200);
  });
}

function hashOf(chunk: readonly ImportRow[]): Promise<string> {
  return sha256Hex(new TextEncoder().encode(JSON.stringify(chunk)));
}

/** Row numbers in the file, from those in a chunk. */
function shiftRows<Note extends { readonly row: number }>(notes: readonly Note[], before: number): Note[] {
  return notes.map((one) => ({ ...one, row: one.row + before }));
}

/** The last chunk before MAX_ROWS ends there. */
async function* splitChunks(rows: AsyncIterable<ImportRow>): AsyncGenerator<readonly ImportRow[]> {
  let chunk: ImportRow[] = [];
  let length = 0;
  let count = 0;
  for await (const row of rows) {
    chunk.push(row);
    count += 1;
    length += JSON.stringify(row).length;
    if (chunk.length === CHUNK_ROWS || length > CHUNK_LENGTH || count >= MAX_ROWS) {
      yield chunk;
      chunk = [];
      length = 0;
    }
  }
  if (chunk.length > 0) {
    yield chunk;
  }
}

/** Rows are numbered from 1 within the chunk. */
async function importChunk(
  rows: readonly ReadRow[],
  options: RowsOptions,
  deps: ApiDeps,
): Promise<ChunkReport> {
  const valid: (ValidRow & { readonly row: number })[] = [];
  const refusals: Refusal[] = [];
  const warnings: Warning[] = [];
  rows.forEach((read, index) => {
    if (read.isValid) {
      valid.push({ ...read, row: index + 1 });
    } else {
      refusals.push({ row: index + 1, slug: read.slug, code: "invalid", errors: [...read.errors] });
    }
  });
  const named = valid.map(({ link }) => link.folder);
  const folders = await findFolders(deps.database, options.workspaceId, named);
  const hasFolder = ({ folder }: WantedLink) => typeof folder !== "string" || folders.has(folder);
  const placed = valid.map((one) => ({
    ...one,
    link: hasFolder(one.link) ? one.link : { ...one.link, folder: null },
  }));
  const outcomes = await importRows(placed, options, deps);
  valid.forEach(({ row, link, hadPassword }, index) => {
    const outcome = outcomes[index];
    const slug = link.slug ?? null;
    if (outcome?.kind === "refused") {
      refusals.push({ row, slug, code: outcome.code, errors: [...outcome.errors] });
      return;
    }
    const isLocked = outcome?.kind === "replaced" && outcome.isLocked;
    const messages = [
      ...(outcome?.kind === "renamed" ? [`has a slug that is taken: it is ${outcome.slug}`] : []),
      ...(hadPassword && !isLocked ? [HAD_PASSWORD] : []),
      ...(hasFolder(link) ? [] : [OTHER_FOLDER]),
    ];
    warnings.push(...messages.map((message) => ({ row, slug, message })));
  });
  const count = (wanted: Outcome["kind"]) => outcomes.filter(({ kind }) => kind === wanted).length;
  return {
    refusals: refusals.toSorted((left, right) => left.row - right.row),
    warnings,
    replaced: count("replaced"),
    reused: count("reused"),
  };
}
