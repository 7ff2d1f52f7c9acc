/** Asks the API what a visitor would get: the rule that decides, and why those before it do not. */
import type { Link, Resolution } from "@hopline/client/openapi";
import { isForwardingSlug } from "@hopline/core/link/link-address";
import { BROWSER_NAMES, OS_NAMES } from "@hopline/core/rules/device-names";
import { ArrowRight, FlaskConical } from "lucide-react";
import { useState } from "react";
import { nameOfField } from "../audit/describe-fields.ts";
import { formatUrl } from "../format.ts";
import { COUNTRIES } from "../country-choices.ts";
import { Button, fieldsOf, SelectField, Switch, TextField } from "../ui/controls.tsx";
import { ErrorNote, Note } from "../ui/page.tsx";
import { ChoiceField } from "../ui/tokens-field.tsx";
import { useSending } from "../use-sending.ts";
import { InstantField } from "./instant-field.tsx";
import { OUTCOMES, t } from "./editor-words.ts";
import { shared } from "../words.ts";

const any = (names: readonly string[]) => [
  { value: "", label: t.unknown },
  ...names.map((name) => ({ value: name, label: name })),
];

/** What is left empty is unknown. */
const NOBODY = {
  country: "",
  region: "",
  city: "",
  language: "",
  os: "",
  browser: "",
  at: "",
  referrer: "",
  path: "",
  alias: "",
};

export function TryIt({ link, isEdited }: { readonly link: Link; readonly isEdited: boolean }) {
  const [visitor, setVisitor] = useState(NOBODY);
  const [hasPassword, setHasPassword] = useState(false);
  const field = fieldsOf(visitor, (part) => setVisitor((old) => ({ ...old, ...part })));
  const known = Object.fromEntries(Object.entries(visitor).filter(([, text]) => text !== ""));
  const trying = useSending({
    send: (hopline) => hopline.resolveLink({ linkId: link.id, body: { ...known, hasPassword } }),
  });
  return (
    <section className="card">
      <form
        className="stack"
        onSubmit={(event) => {
          event.preventDefault();
          trying.mutate();
        }}
      >
        <h2 className="row">
          <FlaskConical size={16} aria-hidden /> {t.tryIt}
        </h2>
        <div className="two narrow">
          <ChoiceField label={t.country} placeholder={t.germany} choices={COUNTRIES} {...field("country")} />
          <TextField label={t.region} placeholder={t.deBe} {...field("region")} />
          <TextField label={t.city} placeholder={t.berlin} {...field("city")} />
          <TextField label={t.language} placeholder={t.deDe} {...field("language")} />
          <SelectField label={t.os} {...field("os")} choices={any(OS_NAMES)} />
          <SelectField label={t.browser} {...field("browser")} choices={any(BROWSER_NAMES)} />
        </div>
        {link.aliases.length > 0 && (
          <SelectField
            label={t.comesThrough}
            {...field("alias")}
            choices={[
              { value: "", label: `/${link.slug}` },
              ...link.aliases.map((alias) => ({ value: alias, label: t.anAlias(alias) })),
            ]}
          />
        )}
        {isForwardingSlug(visitor.alias || link.slug) && (
          <TextField label={t.whatFollowsSlug} placeholder="intro/setup" {...field("path")} />
        )}
        <TextField label={t.comesFrom} placeholder="https://news.example/page" {...field("referrer")} />
        <InstantField
          label={shared.when}
          hint={t.nowIfEmpty}
          value={visitor.at === "" ? null : visitor.at}
          onChange={(at) => field("at").onChange(at ?? "")}
        />
        {link.hasPassword && <Switch label={t.entersPassword} isOn={hasPassword} onChange={setHasPassword} />}
        <Button label={t.testThisVisitor} type="submit" kind="primary" disabled={trying.isPending} />
        {isEdited && <p className="small soft">{t.thisAsksAboutLink}</p>}
        {trying.isError && <ErrorNote error={trying.error} />}
        {trying.data !== undefined && <Outcome resolution={trying.data} rules={link.rules} />}
        {trying.data?.outcome === "password-required" && (
          <p className="small soft">{t.switchOnEntersPassword}</p>
        )}
      </form>
    </section>
  );
}

function Outcome({ resolution, rules }: { readonly resolution: Resolution; readonly rules: Link["rules"] }) {
  const { outcome, status, location, alias, why, ruleId, variantId, missed, off } = resolution;
  const nameOf = (id: string) => rules.find((rule) => rule.id === id)?.name ?? id;
  return (
    <div className="stack tight" role="status">
      <Note kind={outcome === "redirect" ? "good" : "warn"}>
        <strong>
          {OUTCOMES[outcome]} ({status})
        </strong>
        {location !== null && (
          <div className="row outcome">
            <ArrowRight size={14} aria-hidden />
            <span>{formatUrl(location)}</span>
          </div>
        )}
        {alias !== null && <div className="small">{t.throughAlias(alias)}</div>}
        <div className="small">
          {describeCause({ outcome, why, rule: ruleId && nameOf(ruleId), variantId })}
        </div>
      </Note>
      {missed.length > 0 && (
        <ul className="stack tight small">
          {missed.map(({ ruleId: missedId, unmet }) => (
            <li key={missedId}>
              <strong>{nameOf(missedId)}</strong> {t.doesNotMatch}{" "}
              {unmet.map(({ field, expected, actual }) => (
                <span key={field} className="soft">
                  {t.fieldIsButMustBeExpected(nameOfField(field), actual, expected.join(" or "))}{" "}
                </span>
              ))}
            </li>
          ))}
        </ul>
      )}
      {off.length > 0 && <p className="small soft">{t.switchedOffSoSkipped(off.map(nameOf).join(", "))}</p>}
    </div>
  );
}

type Cause = Pick<Resolution, "outcome" | "why" | "variantId"> & { readonly rule: string | null };

function describeCause({ outcome, why, rule, variantId }: Cause): string {
  if (why !== null) {
    return why;
  }
  const variant = variantId === null ? "" : t.variantVariantId(variantId);
  if (rule !== null) {
    return t.ruleMatches(rule, variant);
  }
  return outcome === "redirect" ? t.noRuleMatchesDestination(variant) : "";
}
