/** What comes before the first link: a domain that is verified. */
import { useQuery } from "@tanstack/react-query";
import { Link as RouterLink } from "@tanstack/react-router";
import { domainsQuery, useMay } from "../queries.ts";
import { buttonClass } from "../ui/controls.tsx";
import { shared } from "../words.ts";

/** `add` or `verify` one; `null`: nothing, or it is not known yet. */
export function useFirstStep(): "add" | "verify" | null {
  const { data } = useQuery(domainsQuery);
  const isMissing = data?.every(({ status }) => status !== "active") === true;
  return isMissing ? (data.length === 0 ? "add" : "verify") : null;
}

/** Why no link can be created yet, and who changes that. */
export function LinksNeedDomain() {
  return shared.linksNeedDomain(useMay("admin"));
}

/** Leads there, with the focus where it is done. */
export function FirstStep({ onLeave }: { readonly onLeave?: () => void }) {
  const step = useFirstStep();
  return useMay("admin") && step !== null ? (
    <RouterLink
      className={buttonClass({ kind: "primary" })}
      from="/w/$workspaceId"
      to="/w/$workspaceId/domains"
      search={{ first: step }}
      onClick={onLeave}
    >
      {step === "add" ? shared.addYourFirstDomain : shared.verifyYourDomain}
    </RouterLink>
  ) : null;
}
