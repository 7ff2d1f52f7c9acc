/** What the pages of links say. */
import { countOf } from "../format.ts";
export const NAMES_OF_FIELDS: { readonly [path: string]: string } = {
  expiresAt: "The end",
  addTags: "The tag",
  domain: "The domain",
};

/** Why a link can't come back, to the person who wants it. */
export const REFUSALS: { readonly [code: string]: string } = {
  not_found: "It is not in the trash any more.",
  no_domain: "Its domain is no longer in this workspace: create the link on another domain.",
  domain_pending: "Its domain is not verified: verify it first.",
  external_id_taken: "Another link has its external id: change that one first.",
  limit_reached: "The workspace has as many links as it may: delete another link first.",
};

export const STATUS_NAMES = {
  live: "Live",
  scheduled: "Scheduled",
  disabled: "Disabled",
  expired: "Expired",
  "used-up": "Used up",
  archived: "Archived",
} as const;

export const t = {
  // bulk-bar.tsx
  hadBeenChangedBySomeone: (overtaken: number) =>
    `${countOf(overtaken, "link")} had been changed by someone else and stayed as they are.`,
  selectedLinks: "Selected links",
  countSelected: (count: string) => `${count} selected`,
  taggedTag: (tag: string) => `tagged ${tag}`,
  untaggedTag: (tag: string) => `untagged ${tag}`,
  move: "Move",
  noFolder: "No folder",
  movedOutFolders: "moved out of folders",
  movedToName: (name: string) => `moved to ${name}`,
  status: "Status",
  enable: "Enable",
  enabled: "enabled",
  disable: "Disable",
  disabled: "disabled",
  archive: "Archive",
  archived: "archived",
  unarchive: "Unarchive",
  restored: "restored",
  expiry: "Expiry…",
  utm: "UTM…",
  exportAsCsv: "Export as CSV",
  delete: "Delete",
  clearSelection: "Clear selection",
  whenEnd: (count: number) => `When ${countOf(count, "link")} end`,
  setToHaveNoEnd: "set to have no end",
  setToEnd: "set to end",
  utmOf: (count: number) => `UTM of ${countOf(count, "link")}`,
  clearedUtm: "cleared of UTM",
  taggedWithUtm: "tagged with UTM",
  tag: "Tag",
  chooseTagFirst: "Choose a tag first.",
  tagsOf: (count: number) => `Tags of ${countOf(count, "link")}`,
  add: "Add",
  remove: "Remove",
  // bulk-dialogs.tsx
  noExpiry: "No expiry",
  ends: "Ends",
  timesInPreferredZone: (preferredZone: string) => `Times in ${preferredZone}`,
  removeUtm: "Remove UTM",
  whatYouLeaveEmptyStays: "What you leave empty stays as each link has it.",
  // change-links.ts
  aChange: "A change",
  itCouldNotBeRestored: "It could not be restored.",
  // confirm-delete.tsx
  undone: "Undone.",
  visitorsGet404Within: (count: number) =>
    `Visitors get a 404 within seconds. For 30 days you can restore ${count === 1 ? "it" : "them"} from the trash; after that ${count === 1 ? "it is" : "they are"} destroyed with all clicks. To take a link away and keep its clicks, archive it.`,
  askDelete: (count: number) => `Delete ${countOf(count, "link")}?`,
  deleteOfCount: (count: number) => `Delete ${countOf(count, "link")}`,
  deleted: (count: number) => `${countOf(count, "link")} deleted.`,
  // link-filters.tsx
  searchLinks: "Search links",
  searchLinksOrSlug: "Search links, or /slug",
  allDomains: "All domains",
  inNoFolder: "in no folder",
  aFolder: "a folder",
  filterByTags: "Filter by tags",
  findTag: "Find a tag",
  tagsLinksShowUpHere: "Tags of links show up here with their numbers.",
  manageTags: "Manage tags",
  filterByFolder: "Filter by folder",
  folders: "Folders",
  useFoldersForCampaigns: "Use folders for campaigns or clients. A link can be in one folder.",
  renameFolder: (folder: string) => `Rename ${folder}`,
  defaultsNewLinksIn: (folder: string) => `Defaults of new links in ${folder}`,
  deleteLinksStay: (folder: string) => `Delete ${folder}: its links stay`,
  newFolder: "New folder",
  nameFolder: "Name of the folder",
  // link-menu.tsx
  actionsForSlug: (slug: string) => `Actions for ${slug}`,
  edit: "Edit",
  open: "Open",
  duplicate: "Duplicate",
  deleteMore: "Delete…",
  // links-page.tsx
  refresh: "Refresh",
  counting: "Counting…",
  orMore: " or more",
  linkIsShownWhenEveryWord:
    "A link is shown when every word of the search is in its slug, destination, title or tags, and every filter matches. Archived links are shown only with the status Archived.",
  noLinkMatches: "No link matches",
  removeAllFilters: "Remove all filters",
  linkGivesLongAddressShort:
    "A link gives a long address a short one, sends each visitor where your rules say, and counts every click once. You can change where it leads at any time: the edit is in effect within seconds.",
  noLinksYet: "No links yet",
  createYourFirstLink: "Create your first link",
  // links-table.tsx
  destination: "Destination",
  lastClick: "Last click",
  never: "never",
  selectAllLoadedLinks: (count: string) => `Select all ${count} loaded links`,
  actions: "Actions",
  selectSlug: (slug: string) => `Select ${slug}`,
  copyShortUrl: (shortUrl: string) => `Copy ${shortUrl}`,
  analyticsClicksWithBots: (total: string) => `Analytics; ${total} clicks with bots`,
  splitInCount: (count: number) => `split in ${count}`,
  // sparkline.tsx
  clicksInLast30Days: (total: string) => `${total} clicks in the last 30 days`,
  // trash-page.tsx
  isBackVisitorsReach: (slug: string) => `${slug} is back: visitors reach it within seconds.`,
  deletedColumn: "Deleted",
  destroyed: "Destroyed",
  in: (value: number) => `in ${countOf(value, "day")}`,
  isNotAvailable: (domain: string) => `${domain} is not available: it can’t be restored`,
  restore: "Restore",
  restoreSlug: (slug: string) => `Restore ${slug}`,
  destroy: "Destroy",
  destroySlug: (slug: string) => `Destroy ${slug}`,
  trash: "Trash",
  deletedLinksFor30Days:
    "Deleted links. For 30 days they can be restored, and their addresses are kept for them.",
  emptyTrash: "Empty trash",
  searchTrash: "Search the trash",
  searchSlugDestinationTitle: "Search slug, destination, title, tags",
  noDeletedLinkMatches: "No deleted link matches.",
  linkThatYouDeleteIsHere:
    "A link that you delete is here for 30 days before it and its clicks are destroyed.",
  trashIsEmpty: "The trash is empty",
  deletedLinks: "Deleted links",
  askDestroyAllLinksInTrash: "Destroy all links in the trash?",
  askDestroySlug: (slug: string) => `Destroy ${slug}?`,
  destroyedOfDestroyed: (destroyed: number) => `${countOf(destroyed, "link")} destroyed.`,
  theyCantBeRestoredAnyMore:
    "They can't be restored any more. Their clicks leave the analytics within minutes, and their addresses are free for other links.",
  itCantBeRestoredAnyMore: (total: string) =>
    `It can't be restored any more. Its ${total} clicks leave the analytics within minutes, and its address is free for another link.`,
  // links-field.tsx
  slugDestinationOrTitle: "Slug, destination or title",
};
