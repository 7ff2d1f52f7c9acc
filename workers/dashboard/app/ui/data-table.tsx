/** A table whose rows are cards on a phone: each value stands beside its column's name there. */
import type { ReactNode, Ref } from "react";
import { shared } from "../words.ts";
import { Button } from "./controls.tsx";
import { t } from "./words.ts";

export type Column<Row> = {
  readonly name: string;
  /** Its name is for screen readers alone. */
  readonly isUnnamed?: true;
  readonly className?: string;
  readonly cell: (row: Row) => ReactNode;
};

/** A button that shows all of a row; `labelOf` says of which. */
export function detailsColumn<Row>(
  labelOf: (row: Row) => string,
  onShow: (row: NoInfer<Row>) => void,
): Column<Row> {
  return {
    name: shared.more,
    isUnnamed: true,
    className: "number",
    cell: (row) => (
      <Button label={t.details} isSmall kind="quiet" aria-label={labelOf(row)} onClick={() => onShow(row)} />
    ),
  };
}

type DataTableProps<Row> = {
  readonly columns: readonly Column<Row>[];
  readonly rows: readonly Row[];
  readonly className?: string;
};

export function DataTable<Row extends { readonly id: string }>(props: DataTableProps<Row>) {
  const { columns, rows, className = "" } = props;
  return (
    <table className={`plain-table stacked ${className}`}>
      <thead>
        <tr>
          {columns.map(({ name, isUnnamed, className: look }) => (
            <th key={name} scope="col" className={look}>
              {isUnnamed === true ? <span className="hidden-label">{name}</span> : name}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {rows.map((row) => (
          <tr key={row.id}>
            {columns.map(({ name, isUnnamed, className: look, cell }, index) => (
              <td
                key={name}
                className={look}
                data-label={index === 0 || isUnnamed === true ? undefined : name}
              >
                {cell(row)}
              </td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  );
}

type TableCardProps<Row> = DataTableProps<Row> & { readonly label: string; readonly ref?: Ref<HTMLElement> };

/** In a card that scrolls, by keys too; nothing without rows. */
export function TableCard<Row extends { readonly id: string }>(props: TableCardProps<Row>) {
  const { label, ref, ...table } = props;
  return table.rows.length === 0 ? null : (
    <section ref={ref} className="card scroll-x" tabIndex={0} aria-label={label}>
      <DataTable {...table} />
    </section>
  );
}

type TextTableProps = {
  readonly label: string;
  readonly head: readonly string[];
  readonly rows: readonly (readonly ReactNode[])[];
  readonly className?: string;
};

/** Rows without a name of their own, in a frame that scrolls, by keys too; nothing without rows. */
export function TextTable({ label, head, rows, className = "" }: TextTableProps) {
  return rows.length === 0 ? null : (
    <div className={`scroll-x ${className}`} tabIndex={0} role="region" aria-label={label}>
      <table className="plain-table">
        <thead>
          <tr>
            {head.map((name, at) => (
              <th key={at} scope="col">
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row, index) => (
            <tr key={index}>
              {row.map((cell, at) => (
                <td key={at}>{cell}</td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
