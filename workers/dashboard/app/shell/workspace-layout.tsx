/** What the pages of a workspace have around them: its cache, and what is shown to people who are not in it. */
import { QueryClientProvider } from "@tanstack/react-query";
import { getRouteApi, Link, Outlet } from "@tanstack/react-router";
import { DoorClosed } from "lucide-react";
import { useEffect } from "react";
import { cacheOf } from "../caches.ts";
import { useWorkspaces } from "../queries.ts";
import { buttonClass } from "../ui/controls.tsx";
import { Empty } from "../ui/page.tsx";
import { rememberWorkspace } from "./start-workspace.ts";
import { t } from "./words.ts";

const route = getRouteApi("/signed-in/w/$workspaceId");

export function WorkspaceLayout() {
  const { workspaceId } = route.useParams();
  const isIn = useWorkspaces().some(({ id }) => id === workspaceId);
  useEffect(() => {
    if (isIn) {
      rememberWorkspace(workspaceId);
    }
  }, [isIn, workspaceId]);
  // By its key everything of another workspace is drawn anew, and nothing is kept of what was typed.
  return isIn ? (
    <QueryClientProvider key={workspaceId} client={cacheOf(workspaceId)}>
      <Outlet />
    </QueryClientProvider>
  ) : (
    <NoAccess />
  );
}

/** The same for a workspace that was left, deleted, or never existed: it is not said which. */
function NoAccess() {
  const workspaces = useWorkspaces();
  return (
    <main className="page">
      <Empty
        icon={DoorClosed}
        title={t.youHaveNoAccess}
        action={
          <div className="row wrap">
            {workspaces.map(({ id, name }) => (
              <Link
                key={id}
                to="/w/$workspaceId/links"
                params={{ workspaceId: id }}
                className={buttonClass({})}
              >
                {t.goToName(name)}
              </Link>
            ))}
          </div>
        }
      >
        {t.yourAccessHasEnded(workspaces.length)}
      </Empty>
    </main>
  );
}

/** At the start, for a person who is in none. */
export function NoWorkspace() {
  return (
    <main className="page">
      <Empty icon={DoorClosed} title={t.youHaveNoWorkspaceYet}>
        {t.createOneInMenuOrAsk}
      </Empty>
    </main>
  );
}
