/** In the place of a page that needs a role: what it takes, and whom to ask. */
import { useQuery } from "@tanstack/react-query";
import { Lock } from "lucide-react";
import { isAtLeast, membersQuery, useWorkspace } from "../queries.ts";
import { Empty, Note, PageHead } from "../ui/page.tsx";
import { t } from "./words.ts";

type AdminsOnlyProps = {
  readonly title: string;
  /** `manage API keys` */
  readonly what: string;
};

export function AdminsOnly({ title, what }: AdminsOnlyProps) {
  const { data: members = [] } = useQuery(membersQuery(useWorkspace().id));
  const [first] = members.filter(({ role }) => isAtLeast(role, "admin"));
  return (
    <main className="page">
      <PageHead title={title} />
      <Empty icon={Lock} title={t.onlyAdminsCanWhat(what)}>
        {t.ask} {first === undefined ? t.adminThisWorkspace : `${first.name} (${first.role})`}{" "}
        {t.toChangeYourRole}
      </Empty>
    </main>
  );
}

/** Of what only the deployment's operators see. */
export function OperatorsOnly() {
  return (
    <Note>
      {t.onlyOperatorsSeeThisPerson} <code>pnpm operators add</code> {t.names}
    </Note>
  );
}
