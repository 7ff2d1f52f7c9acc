/** What was and what is, field by field. */
import { usePreferences } from "../preferences.ts";
import { describeField, differingFields, type Fields, nameOfField } from "./describe-fields.ts";

type DifferencesProps = {
  readonly before: Fields | null;
  readonly after: Fields | null;
  readonly names?: readonly [before: string, after: string];
};

export function Differences({ before, after, names = ["Before", "After"] }: DifferencesProps) {
  const { timeZone } = usePreferences();
  const fields = differingFields(before, after);
  if (fields.length === 0) {
    return <p className="soft">No field differs.</p>;
  }
  return (
    <div className="scroll-x" tabIndex={0} role="region" aria-label="Differences">
      <table className="plain-table differences">
        <thead>
          <tr>
            <th scope="col">Field</th>
            {before !== null && <th scope="col">{names[0]}</th>}
            {after !== null && <th scope="col">{names[1]}</th>}
          </tr>
        </thead>
        <tbody>
          {fields.map((field) => (
            <tr key={field}>
              <td>{nameOfField(field)}</td>
              {before !== null && <td className="difference">{describeField(before[field], timeZone)}</td>}
              {after !== null && <td className="difference mine">{describeField(after[field], timeZone)}</td>}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
