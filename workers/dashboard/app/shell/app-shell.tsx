/** The frame of every page for people who have signed in: navigation, workspace, account. */
import { QueryClientProvider } from "@tanstack/react-query";
import { Link, Outlet, useParams, useRouter } from "@tanstack/react-router";
import { useSelector } from "@tanstack/react-store";
import {
  ChartSpline,
  BookOpen,
  ChevronsUpDown,
  Ellipsis,
  FileUp,
  Globe,
  Keyboard,
  KeyRound,
  Link2,
  List,
  LogOut,
  type LucideIcon,
  Monitor,
  Moon,
  Plus,
  Search,
  ScrollText,
  ServerCog,
  ShieldCheck,
  Sun,
  Trash2,
  UserRound,
  UsersRound,
  Webhook,
  WifiOff,
} from "lucide-react";
import { Suspense, useRef, useState } from "react";
import { cacheOf } from "../caches.ts";
import { askedToSignIn } from "../people/fresh-sign-in.ts";
import { forgetSession } from "../people/other-tabs.ts";
import { setPreferences, THEMES, usePreferences } from "../preferences.ts";
import { isAtLeast, useMe, useWorkspaces } from "../queries.ts";
import { IconButton } from "../ui/controls.tsx";
import { MenuItem, PopupMenu } from "../ui/popup-menu.tsx";
import { useIsOnline } from "../ui/use-is-online.ts";
import { forgetKept } from "../ui/use-kept.ts";
import { useShortcuts } from "../ui/use-shortcuts.ts";
import { useSending } from "../use-sending.ts";
import { startIn } from "./start-workspace.ts";
import { THEME_NAMES, shared } from "../words.ts";
import { t } from "./words.ts";
import { lazyPart } from "../ui/lazy-part.ts";

const ConfirmSignIn = lazyPart(() => import("../people/confirm-sign-in.tsx"), "ConfirmSignIn");
const KeysDialog = lazyPart(() => import("./keys-dialog.tsx"), "KeysDialog");
const CommandMenu = lazyPart(() => import("./command-menu.tsx"), "CommandMenu");
const NewLink = lazyPart(() => import("../links/new-link.tsx"), "NewLink");
const NewWorkspace = lazyPart(() => import("./new-workspace.tsx"), "NewWorkspace");

const PAGES = [
  { to: "/w/$workspaceId/links", label: shared.links, Icon: Link2 },
  { to: "/w/$workspaceId/analytics", label: shared.analytics, Icon: ChartSpline },
  { to: "/w/$workspaceId/events", label: shared.events, Icon: List },
  { to: "/w/$workspaceId/domains", label: shared.domains, Icon: Globe },
  { to: "/w/$workspaceId/import", label: t.import, Icon: FileUp, least: "editor" },
  { to: "/w/$workspaceId/trash", label: t.trash, Icon: Trash2 },
  { to: "/w/$workspaceId/keys", label: t.apiKeys, Icon: KeyRound, least: "admin" },
  { to: "/w/$workspaceId/webhooks", label: t.webhooks, Icon: Webhook, least: "admin" },
  { to: "/w/$workspaceId/audit-log", label: t.auditLog, Icon: ScrollText, least: "admin" },
  { to: "/w/$workspaceId/workspace", label: shared.workspace, Icon: UsersRound },
  { to: "/integrity", label: t.integrity, Icon: ShieldCheck, least: "operator" },
  { to: "/operators", label: t.operators, Icon: ServerCog, least: "operator" },
] as const satisfies readonly {
  to: string;
  label: string;
  Icon: LucideIcon;
  least?: "editor" | "admin" | "operator";
}[];
type Page = (typeof PAGES)[number];

/** The others are behind "More" there; shell.css has the same number. */
const SHOWN_ON_PHONE = 4;

const NAV_LINK = { className: "nav-link", activeProps: { "aria-current": "page" } } as const;

export function AppShell() {
  const { isOperator } = useMe();
  const current = useCurrentWorkspace();
  const asked = useSelector(askedToSignIn);
  const [opened, setOpened] = useState<"keys" | "commands" | "link" | null>(null);
  /** Takes what is typed while the menu is loaded, or the page would take it for its keys. */
  const typedAhead = useRef("");
  const open = { "?": () => setOpened("keys"), "Mod+k": () => setOpened("commands") };
  useShortcuts(open);
  const close = () => setOpened(null);
  const isInWorkspace = useParams({ strict: false }).workspaceId !== undefined;
  const mayMake = isInWorkspace && current !== null && isAtLeast(current.role, "editor");
  // What a member may not do is not there.
  const pages = PAGES.filter((page) =>
    "least" in page && page.least === "operator"
      ? isOperator
      : current !== null && (!("least" in page) || isAtLeast(current.role, page.least)),
  );
  return (
    <div className="app">
      <a className="skip" href="#content">
        {t.skipToContent}
      </a>
      <aside className="side">
        <div className="brand">
          <img src="/icon.svg" width={26} height={26} alt="" />
          <span>{shared.hopline}</span>
          <IconButton
            isLarge
            icon={Search}
            label={t.findAnythingCtrlOrWithK}
            className="find"
            onClick={open["Mod+k"]}
          />
        </div>
        <WorkspaceMenu />
        <nav aria-label={t.pages}>
          {pages.map(({ to, label, Icon }) => (
            <Link key={to} to={to} params={{ workspaceId: current?.id ?? "" }} {...NAV_LINK}>
              <Icon size={17} aria-hidden />
              <span>{label}</span>
            </Link>
          ))}
          <MorePages pages={pages.slice(SHOWN_ON_PHONE)} />
        </nav>
        <div className="side-end">
          <AccountMenu onShowKeys={open["?"]} />
        </div>
      </aside>
      <div className="content" id="content" tabIndex={-1}>
        <OfflineBar />
        <Outlet />
      </div>
      <Suspense>
        {opened === "keys" && <KeysDialog onClose={close} />}
        {opened === "commands" && (
          <Suspense
            fallback={
              <input
                ref={(input) => () => {
                  typedAhead.current = input?.value ?? "";
                }}
                className="hidden-label"
                aria-label={t.findAnything}
                autoFocus
              />
            }
          >
            <CommandMenu
              pages={pages}
              workspaceId={current?.id ?? null}
              typedAhead={typedAhead}
              onShowKeys={open["?"]}
              onNewLink={mayMake ? () => setOpened("link") : null}
              onClose={close}
            />
          </Suspense>
        )}
        {opened === "link" && mayMake && (
          <QueryClientProvider client={cacheOf(current.id)}>
            <NewLink copied={null} onClose={close} />
          </QueryClientProvider>
        )}
      </Suspense>
      {asked !== null && (
        <Suspense>
          <ConfirmSignIn answer={asked.answer} />
        </Suspense>
      )}
    </div>
  );
}

/** The rest of the pages, where a phone's bar has no room for them. */
function MorePages({ pages }: { readonly pages: readonly Page[] }) {
  const router = useRouter();
  const workspaceId = useCurrentWorkspace()?.id ?? "";
  return pages.length === 0 ? null : (
    <span className="more-pages">
      <PopupMenu
        side="top"
        align="end"
        trigger={
          <button type="button" className="nav-link">
            <Ellipsis size={17} aria-hidden />
            <span>{shared.more}</span>
          </button>
        }
      >
        {pages.map(({ to, label, Icon }) => (
          <MenuItem
            key={to}
            icon={Icon}
            label={label}
            onSelect={() => void router.navigate({ to, params: { workspaceId } })}
          />
        ))}
      </PopupMenu>
    </span>
  );
}

/** That of the address, and on the pages without one that from before. `null`: the person is not in it, or in none. */
function useCurrentWorkspace() {
  const workspaces = useWorkspaces();
  const { workspaceId } = useParams({ strict: false });
  return workspaceId === undefined
    ? startIn(workspaces)
    : (workspaces.find(({ id }) => id === workspaceId) ?? null);
}

function WorkspaceMenu() {
  const router = useRouter();
  const workspaces = useWorkspaces();
  const current = useCurrentWorkspace();
  const [isMaking, setMaking] = useState(false);
  return (
    <>
      <PopupMenu
        trigger={
          <button type="button" className="workspace">
            <span className="workspace-mark" aria-hidden>
              {(current?.name ?? "?").charAt(0).toUpperCase()}
            </span>
            <span className="cut">
              <span className="hidden-label">{t.workspace} </span>
              {current?.name ?? t.noWorkspace}
            </span>
            <ChevronsUpDown size={14} aria-hidden />
          </button>
        }
      >
        <div className="menu-label">{t.workspaces}</div>
        {workspaces.map(({ id, name }) => (
          <MenuItem
            key={id}
            label={name}
            isChosen={id === current?.id}
            onSelect={() =>
              void router.navigate({ to: "/w/$workspaceId/links", params: { workspaceId: id } })
            }
          />
        ))}
        <div className="menu-line" />
        <MenuItem icon={Plus} label={t.newWorkspace} onSelect={() => setMaking(true)} />
      </PopupMenu>
      <Suspense>{isMaking && <NewWorkspace onClose={() => setMaking(false)} />}</Suspense>
    </>
  );
}

const THEME_ICONS = { system: Monitor, light: Sun, dark: Moon } as const;

function AccountMenu({ onShowKeys }: { readonly onShowKeys: () => void }) {
  const me = useMe();
  const router = useRouter();
  const role = useCurrentWorkspace()?.role;
  const { theme } = usePreferences();
  const leaving = useSending({
    send: (own) => own.signOut(),
    onSent: async () => {
      forgetSession();
      forgetKept();
      await router.navigate({ to: "/sign-in" });
    },
    isBare: true,
  });
  return (
    <PopupMenu
      side="top"
      trigger={
        <button type="button" className="account">
          <span className="account-mark" aria-hidden>
            {me.name.charAt(0).toUpperCase()}
          </span>
          <span className="account-name">
            <span className="cut">{me.name}</span>
            <span className="cut small soft">{role ?? t.noRole}</span>
          </span>
        </button>
      }
    >
      <div className="menu-label cut">{me.email}</div>
      <MenuItem
        icon={UserRound}
        label={t.accountAndSessions}
        onSelect={() => void router.navigate({ to: "/account" })}
      />
      <MenuItem icon={Keyboard} label={t.keyboardShortcuts} onSelect={onShowKeys} />
      <MenuItem icon={BookOpen} label={t.apiDocumentation} onSelect={() => location.assign("/api/docs")} />
      <div className="menu-line" />
      <div className="menu-label">{t.theme}</div>
      {THEMES.map((one) => (
        <MenuItem
          key={one}
          icon={THEME_ICONS[one]}
          label={THEME_NAMES[one]}
          isChosen={one === theme}
          onSelect={() => setPreferences({ theme: one })}
        />
      ))}
      <div className="menu-line" />
      <MenuItem icon={LogOut} label={t.signOut} onSelect={() => leaving.mutate()} />
    </PopupMenu>
  );
}

function OfflineBar() {
  const isOnline = useIsOnline();
  return isOnline ? null : (
    <div className="offline" role="status">
      <WifiOff size={15} aria-hidden />
      {shared.youAreOfflineWhatYouSeeMay}
    </div>
  );
}
