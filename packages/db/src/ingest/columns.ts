/**
 * Rows as parameters of a statement: one array per column, so that the statement has the same text for any number of
 * rows. The SQL and the parameters are made from one list of columns and cannot disagree.
 */
export type ColumnType = "uuid" | "text" | "bigint" | "integer" | "smallint" | "real" | "float8";

export type Column<Field extends string = string> = {
  /** The field in snake case. */
  readonly name: string;
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
    .map((field) => ({ name: toSnakeCase(field), type: types[field], field }));
}

/**
 * `unnest($5::text[], …) WITH ORDINALITY AS alias (name, …, position)`, with parameters numbered from `firstParameter`
 * and positions from 1.
 */
export function unnest(alias: string, columns: readonly Column[], firstParameter: number): string {
  const arrays = columns.map(({ type }, index) => `$${firstParameter + index}::${type}[]`);
  const names = columns.map(({ name }) => name);
  return `unnest(${arrays.join(", ")}) WITH ORDINALITY AS ${alias} (${names.join(", ")}, position)`;
}

/** The parameters of `unnest`. */
export function toArrays<Field extends string>(
  columns: readonly Column<Field>[],
  rows: readonly { readonly [Name in Field]: unknown }[],
): readonly unknown[][] {
  return columns.map(({ field }) => rows.map((row) => row[field]));
}

function toSnakeCase(field: string): string {
  return field.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}
