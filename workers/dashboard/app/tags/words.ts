/** What the pages of tags say. */
import { countOf } from "../format.ts";

export const t = {
  // tags-dialog.tsx
  tagsGroupLinksAcross: "Tags group links across folders, and analytics count by them.",
  renameTag: (tag: string) => `Rename ${tag}`,
  deleteTag: (tag: string) => `Delete ${tag}`,
  newTag: "New tag",
  add: "Add",
  colourName: (name: string) => `Colour of ${name}`,
  noColourForName: (name: string) => `No colour for ${name}`,
  tagIsSavedNowOn: (tag: string, saved: string, links: number) =>
    `${tag} is ${saved} now, on ${countOf(links, "link")}.`,
  nameTag: (tag: string) => `Name of ${tag}`,
  thereIsTagAlreadyIfBoth: (name: string) =>
    `There is a tag ${name} already. If both become one, they can’t be told apart afterwards.`,
  mergeInto: (name: string) => `Merge into ${name}`,
  itAnd: (links: number) =>
    `${countOf(links, "link")} ${links === 1 ? "loses" : "lose"} it, and ${links === 1 ? "stays" : "stay"}.`,
  askDeleteTag: (tag: string) => `Delete the tag ${tag}?`,
  deleteTagButton: "Delete the tag",
};
