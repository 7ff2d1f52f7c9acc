/**
 * Rows as parameters of a statement: one array per column, so that the statement has the same text for any number of
 * rows. The SQL and the parameters are made from one list of columns and cannot disagree.
 */
import { type Sql, sql, type SqlValue } from "../sql.ts";

const ARRAYS = {
  uuid: sql`uuid[]`,
  text: sql`text[]`,
  bigint: sql`bigint[]`,
  integer: sql`integer[]`,
  smallint: sql`smallint[]`,
  float8: sql`float8[]`,
};

export type ColumnType = keyof typeof ARRAYS;

export type Column<Field extends string = string> = {
  /** The field in snake case. */
  readonly name: Sql;
  readonly type: ColumnType;
  readonly field: Field;
};

/** What a field of this type holds: UUIDs are text. */
export type ValueOf<Type extends ColumnType> = Type extends "uuid" | "text" ? string : number;

export function toColumns<Field extends string>(
  types: Readonly<Record<Field, ColumnType>>,
): readonly Column<Field>[] {
  return Object.keys(types)
    .filter((field): field is Field => field in types)
    .map((field) => ({ name: sql.identifier(toSnakeCase(field)), type: types[field], field }));
}

/** The values of each column. `null` if all of them are, as those of rare columns often are: so they need not be sent or read. */
export type Arrays<Field extends string> = Readonly<Record<Field, readonly SqlValue[] | null>>;

export function toArrays<Field extends string>(
  columns: readonly Column<Field>[],
  rows: readonly Readonly<Record<Field, SqlValue>>[],
): Arrays<Field> {
  const arrays: Partial<Record<Field, readonly SqlValue[] | null>> = {};
  for (const { field } of columns) {
    const values = rows.map((row) => row[field]);
    arrays[field] = values.every((value) => value === null) ? null : values;
  }
  return arrays as Arrays<Field>;
}

/**
 * For FROM: the rows, with positions from 1. A SELECT takes the arrays apart in step, and has NULL where one is shorter; `unnest(…, …)`
 * in FROM would first store what is in each of them.
 */
export function unnest<Field extends string>(
  alias: string,
  columns: readonly Column<Field>[],
  arrays: Arrays<Field>,
): Sql {
  const values = columns.flatMap(({ name, field, type }, index) => {
    const array = sql`${arrays[field]}::${ARRAYS[type]}`;
    const positions = index === 0 ? [sql`generate_subscripts(${array}, 1) AS position`] : [];
    return [...positions, sql`unnest(${array}) AS ${name}`];
  });
  return sql`(SELECT ${sql.join(values, COMMA)}) AS ${sql.identifier(alias)}`;
}

export const COMMA: Sql = sql`, `;

function toSnakeCase(field: string): string {
  return field.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}
