/**
 * What a PATCH takes back: the resource as GET showed it, with what was changed. Its read-only fields are part of the body.
 * They are accepted while they are what GET can have shown, and refused otherwise, so that no caller believes that they were set.
 */
import { z } from "@hono/zod-openapi";
import { type FieldError, ProblemError } from "./problem.ts";

/** The body of a PATCH: the fields that can be changed, and the others that GET shows, which may be sent back. */
export function takesBack<Writable extends z.ZodRawShape, Shown extends z.ZodRawShape>(
  writable: z.ZodObject<Writable>,
  shown: z.ZodObject<Shown>,
) {
  const both = shown.partial().extend(writable.shape).strict();
  const fields = Object.entries<z.ZodType>(both.shape).map(([name, field]) => [
    name,
    name in writable.shape ? field : field.openapi({ readOnly: true }),
  ]);
  return z.strictObject(Object.fromEntries(fields)) as unknown as typeof both;
}

type Fields = Readonly<Record<string, unknown>>;

/** The fields of a body that can't be changed; `null` if it has none, so that nothing has to be read. */
export function readOnlyOf(body: Fields, writable: { readonly shape: object }): Fields | null {
  const sent = Object.entries(body).filter(([name]) => !(name in writable.shape));
  return sent.length === 0 ? null : Object.fromEntries(sent);
}

/**
 * Throws `ProblemError` invalid for every field that is not as shown.
 *
 * @param moving fields that move on by themselves (`clicks`, `proof.checkedAt`): GET may have shown an earlier count or
 *   instant, or another word.
 */
export function requireUnchanged(sent: Fields, shown: Fields, moving: readonly string[] = []): void {
  const errors = listChanged("", { sent, shown }, moving);
  if (errors.length > 0) {
    throw new ProblemError("invalid", errors);
  }
}

type Pair = { readonly sent: unknown; readonly shown: unknown };

function listChanged(path: string, { sent, shown }: Pair, moving: readonly string[]): readonly FieldError[] {
  if (isRecord(sent) && isRecord(shown)) {
    return Object.entries(sent).flatMap(([name, value]) =>
      listChanged(path === "" ? name : `${path}.${name}`, { sent: value, shown: shown[name] }, moving),
    );
  }
  const moves = moving.some((name) => path === name || path.startsWith(`${name}.`));
  const isAsShown = moves ? !isLater(sent, shown) : JSON.stringify(sent) === JSON.stringify(shown);
  return isAsShown ? [] : [{ path, message: "can't be changed: leave it out, or send it as GET shows it" }];
}

/** Of two numbers, or two instants in the one form that answers have. */
function isLater(sent: unknown, shown: unknown): boolean {
  if (typeof sent === "number" && typeof shown === "number") {
    return sent > shown;
  }
  return [sent, shown].every((value) => INSTANT.test(String(value))) && String(sent) > String(shown);
}

const INSTANT = /^\d{4}-\d\d-\d\dT[\d:.]+Z$/;

function isRecord(value: unknown): value is Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
