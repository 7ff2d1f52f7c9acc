/** A table whose rows are cards on a phone: each value stands beside its column's name there. */
import type { ReactNode } from "react";

export type Column<Row> = {
  readonly name: string;
  /** Its name is for screen readers alone. */
  readonly isUnnamed?: true;
  readonly className?: string;
  readonly cell: (row: Row) => ReactNode;
};

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
