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
  real: sql`real[]`,
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

/** The values of each column. */
export type Arrays<Field extends string> = Readonly<Record<Field, readonly SqlValue[]>>;

export function toArrays<Field extends string>(
  columns: readonly Column<Field>[],
  rows: readonly Readonly<Record<Field, SqlValue>>[],
): Arrays<Field> {
  const arrays: Partial<Record<Field, readonly SqlValue[]>> = {};
  for (const { field } of columns) {
    arrays[field] = rows.map((row) => row[field]);
  }
  return arrays as Arrays<Field>;
}

/** `unnest(…) WITH ORDINALITY AS alias (name, …, position)`, with positions from 1. */
export function unnest<Field extends string>(
  alias: string,
  columns: readonly Column<Field>[],
  arrays: Arrays<Field>,
): Sql {
  const values = columns.map(({ field, type }) => sql`${arrays[field]}::${ARRAYS[type]}`);
  const names = columns.map(({ name }) => name);
  return sql`unnest(${sql.join(values, COMMA)}) WITH ORDINALITY
    AS ${sql.identifier(alias)} (${sql.join(names, COMMA)}, position)`;
}

export const COMMA: Sql = sql`, `;

function toSnakeCase(field: string): string {
  return field.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}
