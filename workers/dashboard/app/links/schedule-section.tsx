/** When a link begins and ends, and a change of its destination that is planned. */
import { preferredZone } from "../preferences.ts";
import { AddressField, FieldError, fieldsOf, orNull, Switch } from "../ui/controls.tsx";
import { InstantField } from "./instant-field.tsx";
import type { SectionProps } from "./section-props.ts";
import { t } from "./editor-words.ts";

export function ScheduleSection({ draft, set }: SectionProps) {
  const { next } = draft;
  const field = fieldsOf(draft, set);
  return (
    <>
      <p className="soft small">{t.timesInPreferredZone(preferredZone().replaceAll("_", " "))}</p>
      <div className="two">
        <InstantField label={t.starts} {...field("startsAt")} />
        <InstantField label={t.ends} {...field("expiresAt")} />
      </div>
      <AddressField
        label={t.afterEndVisitorsGoTo}
        placeholder={t.pageThatSaysItHasEnded}
        {...orNull(field("expiredUrl"))}
      />
      <hr className="divider" />
      <Switch
        label={t.changeDestinationAtTime}
        isOn={next !== null}
        onChange={(isOn) => set({ next: isOn ? { url: draft.url, activateAt: tomorrow() } : null })}
      />
      <FieldError path="next" part="itself" />
      {next !== null && (
        <div className="two">
          <AddressField
            label={t.newDestination}
            path="next.url"
            value={next.url}
            onChange={(url) => set({ next: { ...next, url } })}
          />
          <InstantField
            label={t.from}
            path="next.activateAt"
            value={next.activateAt}

            onChange={(activateAt) => activateAt !== null && set({ next: { ...next, activateAt } })}
          />
        </div>
      )}
    </>
  );
}

function tomorrow(): string {
  return new Date(Date.now() + 86_400_000).toISOString();
}
