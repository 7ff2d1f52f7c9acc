/** When a link begins and ends, and a change of its destination that is planned. */
import { usePreferences } from "../preferences.ts";
import { FieldError, Switch, TextField } from "../ui/controls.tsx";
import { InstantField } from "./instant-field.tsx";
import type { SectionProps } from "./section-props.ts";
import { withScheme } from "./with-scheme.ts";

export function ScheduleSection({ draft, set }: SectionProps) {
  const { timeZone } = usePreferences();
  return (
    <>
      <p className="soft small">Times in {timeZone.replaceAll("_", " ")}</p>
      <div className="two">
        <InstantField
          label="Starts"
          value={draft.startsAt}
          timeZone={timeZone}
          onChange={(startsAt) => set({ startsAt })}
          path="startsAt"
        />
        <InstantField
          label="Ends"
          value={draft.expiresAt}
          timeZone={timeZone}
          onChange={(expiresAt) => set({ expiresAt })}
          path="expiresAt"
        />
      </div>
      <TextField
        label="After the end, visitors go to"
        placeholder="a page that says it has ended"
        value={draft.expiredUrl ?? ""}
        onChange={(url) => set({ expiredUrl: url === "" ? null : url })}
        onBlur={() => set({ expiredUrl: withScheme(draft.expiredUrl ?? "") || null })}
        path="expiredUrl"
      />
      <hr className="divider" />
      <Switch
        label="Change the destination at a time, everywhere at once"
        isOn={draft.next !== null}
        onChange={(isOn) =>
          set({
            next: isOn
              ? { url: draft.url, activateAt: new Date(Date.now() + 86_400_000).toISOString() }
              : null,
          })
        }
      />
      <FieldError path="next" part="itself" />
      {draft.next !== null && (
        <div className="two">
          <TextField
            label="New destination"
            value={draft.next.url}
            onChange={(url) => set({ next: draft.next === null ? null : { ...draft.next, url } })}
            onBlur={() =>
              set({ next: draft.next === null ? null : { ...draft.next, url: withScheme(draft.next.url) } })
            }
            path="next.url"
          />
          <InstantField
            label="From"
            value={draft.next.activateAt}
            timeZone={timeZone}
            path="next.activateAt"
            onChange={(activateAt) =>
              set({
                next: draft.next === null || activateAt === null ? draft.next : { ...draft.next, activateAt },
              })
            }
          />
        </div>
      )}
    </>
  );
}
