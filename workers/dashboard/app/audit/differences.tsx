/** What was and what is, field by field. */
import { usePreferences } from "../preferences.ts";
import { TextTable } from "../ui/data-table.tsx";
import { describeField, differingFields, type Fields, nameOfField } from "./describe-fields.ts";
import { t } from "./words.ts";

type DifferencesProps = {
  readonly before: Fields | null;
  readonly after: Fields | null;
  readonly names?: readonly [before: string, after: string];
};

export function Differences({ before, after, names = [t.before, t.after] }: DifferencesProps) {
  const { timeZone } = usePreferences();
  const fields = differingFields(before, after);
  const columns = [
    { name: names[0], values: before },
    { name: names[1], values: after },
  ].flatMap(({ name, values }) => (values === null ? [] : { name, values }));
  return fields.length === 0 ? (
    <p className="soft">{t.noFieldDiffers}</p>
  ) : (
    <TextTable
      label={t.differences}
      className="differences"
      head={["Field", ...columns.map(({ name }) => name)]}
      rows={fields.map((field) => [
        nameOfField(field),
        ...columns.map(({ values }) => describeField(values[field], timeZone)),
      ])}
    />
  );
}
