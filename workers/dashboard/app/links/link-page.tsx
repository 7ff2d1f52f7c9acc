/** A link: everything about it that can be changed, what a visitor gets, and how far the last change has come. */
import { useQuery } from "@tanstack/react-query";
import { getRouteApi, Link as RouterLink } from "@tanstack/react-router";
import { ArrowLeft, Unlink } from "lucide-react";
import { hasCode } from "../api.ts";
import { buttonClass } from "../ui/controls.tsx";
import { Empty, Waiting } from "../ui/page.tsx";
import { linkQuery } from "./link-cache.ts";
import { LinkEditor } from "./link-editor.tsx";
import { t } from "./editor-words.ts";
import { shared } from "../words.ts";

const route = getRouteApi("/signed-in/w/$workspaceId/links/$linkId");

export function LinkPage() {
  const { linkId } = route.useParams();
  const query = useQuery({ ...linkQuery(linkId), refetchOnWindowFocus: false });
  return (
    <main className="page">
      <RouterLink from="/w/$workspaceId" to="/w/$workspaceId/links" className="back">
        <ArrowLeft size={15} aria-hidden /> {shared.links}
      </RouterLink>
      {hasCode(query.error, "not_found") ? (
        <Empty
          icon={Unlink}
          title={t.thisLinkDoesNotExistAny}
          action={
            <RouterLink
              className={buttonClass({})}
              from="/w/$workspaceId"
              to="/w/$workspaceId/audit-log"
              search={{ resource: linkId }}
            >
              {t.seeWhatHappenedToIt}
            </RouterLink>
          }
        >
          {t.itMayHaveBeenDeleted}
        </Empty>
      ) : (
        <Waiting query={query} lines={8} height={26} />
      )}
      {query.data !== undefined && <LinkEditor key={linkId} read={query.data} />}
    </main>
  );
}
