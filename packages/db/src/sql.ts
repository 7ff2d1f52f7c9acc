/**
 * Statements for Postgres as templates. What is interpolated becomes a parameter, or is a part that this tag made before;
 * it never becomes text, so nothing can be injected. For all code but the API's CRUD, which speaks drizzle (schema.ts).
 */

/** What a parameter can be. Say its type in the text, as in `${ids}::uuid[]`. JSON is sent as text. */
export type SqlValue = string | number | bigint | boolean | null | readonly SqlValue[];

/** As it is sent to Postgres: the text has `$1`, `$2` and so on for the parameters. Arrays are written as Postgres reads them. */
export type SqlStatement = { readonly text: string; readonly parameters: readonly SqlValue[] };

const PARTS: unique symbol = Symbol("parts");

/** A statement, or a part of one. Nothing but `sql` makes them. */
export type Sql = {
  /** The texts are what stands before, between and after the values: one more than those. */
  readonly [PARTS]: { readonly texts: readonly string[]; readonly values: readonly SqlValue[] };
};

export type SqlTag = {
  (texts: TemplateStringsArray, ...values: readonly (SqlValue | Sql)[]): Sql;
  /** The parts, with a separator between them. */
  readonly join: (parts: readonly Sql[], separator: Sql) => Sql;
  /** The name of a table, a column or an alias, in quotes. Throws unless it consists of letters, digits and underscores. */
  readonly identifier: (name: string) => Sql;
};

export const sql: SqlTag = Object.assign(
  (texts: TemplateStringsArray, ...values: readonly (SqlValue | Sql)[]) => interleave(texts, values),
  {
    join: (parts: readonly Sql[], separator: Sql) =>
      interleave(
        [],
        parts.flatMap((part, index) => (index === 0 ? [part] : [separator, part])),
      ),
    identifier: (name: string) => {
      if (!/^\w+$/.test(name)) {
        throw new Error("invariant: an identifier consists of letters, digits and underscores");
      }
      return interleave([`"${name}"`], []);
    },
  },
);

/** Text, value, text, value and so on; texts that are missing are empty. */
function interleave(texts: readonly string[], values: readonly (SqlValue | Sql)[]): Sql {
  const allTexts = [texts[0] ?? ""];
  const allValues: SqlValue[] = [];
  const append = (text = ""): void => {
    allTexts.push((allTexts.pop() ?? "") + text);
  };
  values.forEach((value, index) => {
    const part = isSql(value) ? value[PARTS] : { texts: ["", ""], values: [value] };
    append(part.texts[0]);
    allTexts.push(...part.texts.slice(1));
    allValues.push(...part.values);
    append(texts[index + 1]);
  });
  return { [PARTS]: { texts: allTexts, values: allValues } };
}

/** An array that is in several places is sent once: name it, and use the name. Other values are sent each time. */
export function toStatement({ [PARTS]: { texts, values } }: Sql): SqlStatement {
  const parameters: SqlValue[] = [];
  let text = texts[0] ?? "";
  values.forEach((value, index) => {
    const known = Array.isArray(value) ? parameters.indexOf(value) : -1;
    const number = known === -1 ? parameters.push(value) : known + 1;
    text += `$${number}${texts[index + 1] ?? ""}`;
  });
  return {
    text,
    parameters: parameters.map((value) =>
      typeof value === "object" && value !== null ? toLiteral(value) : value,
    ),
  };
}

/** Needs no quotes in an array, and is not its NULL. */
const ONE_WORD = /^(?!null$)[\w./:-]+$/i;

/**
 * `{a,"b c",NULL}`. The driver would quote each element, and JSON would escape each quote: half of what it costs to send a batch of
 * clicks.
 */
function toLiteral(values: readonly SqlValue[]): string {
  const elements = values.map((value) => {
    if (value === null) {
      return "NULL";
    }
    if (typeof value === "object") {
      return toLiteral(value);
    }
    return typeof value !== "string" || ONE_WORD.test(value)
      ? value
      : `"${value.replaceAll(/["\\]/g, "\\$&")}"`;
  });
  return `{${elements.join(",")}}`;
}

function isSql(value: SqlValue | Sql): value is Sql {
  return typeof value === "object" && value !== null && PARTS in value;
}
