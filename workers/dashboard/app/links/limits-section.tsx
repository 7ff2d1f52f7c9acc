/** How often a link leads on, and for whom. */
import { formatNumber } from "../format.ts";
import { NewPasswordField } from "../people/new-password-field.tsx";
import { FieldError, SelectField, Switch, TextField } from "../ui/controls.tsx";
import type { SectionProps } from "./section-props.ts";
import { EXACTNESS, t } from "./editor-words.ts";
import { shared } from "../words.ts";

export function LimitsSection({ draft, set, link }: SectionProps) {
  const { cap, password } = draft;
  const hasPassword = link?.hasPassword === true;
  const used = link?.cap?.used;
  const willHavePassword = password === undefined ? hasPassword : password !== null;
  return (
    <>
      <Switch
        label={t.limitClicks}
        isOn={cap !== null}
        onChange={(isOn) => set({ cap: isOn ? { mode: "fast", maxClicks: 100 } : null })}
      />
      {cap !== null && (
        <div className="two">
          <TextField
            label={shared.clicks}
            type="number"
            min={1}
            value={String(cap.maxClicks)}
            onChange={(text) => set({ cap: { ...cap, maxClicks: Math.max(1, Math.trunc(Number(text))) } })}
            hint={used === undefined ? undefined : t.usedSoFar(formatNumber(used))}
            path="cap.maxClicks"
          />
          <SelectField
            label={t.howExact}
            path="cap.mode"
            value={cap.mode}
            onChange={(mode) => set({ cap: { ...cap, mode } })}
            choices={EXACTNESS}
          />
        </div>
      )}
      <FieldError path="cap" part="itself" />
      <hr className="divider" />
      <Switch
        label={t.askForPassword}
        isOn={willHavePassword}
        onChange={(isOn) =>
          set({ password: isOn ? (hasPassword ? undefined : "") : link === null ? undefined : null })
        }
      />
      {willHavePassword && (
        <NewPasswordField
          label={hasPassword ? t.newPassword : t.password}
          hint={hasPassword ? t.leaveItEmptyToKeepOneItHas : t.n8CharactersOrMore}
          value={password ?? ""}
          onChange={(text) => set({ password: text === "" && hasPassword ? undefined : text })}
          path="password"
          minLength={8}
          required={!hasPassword}
        />
      )}
    </>
  );
}
