/** Somebody in two workspaces: each tab holds the one of its address. */
import { expectToSee, fill, press, pressAt } from "@hopline/testkit/browser/drive-browser";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { appOrigin, stack } from "../visitor-stack.ts";
import { expectHeading, type Page } from "./open-in-app.ts";

type SignedIn = {
  /** Of an editor of the demo's workspace, at its list of links. */
  readonly page: Page;
  /** One of its links. */
  readonly linkId: string;
};

/** Within a `describe` that has signed somebody in. */
export function twoWorkspaces(signedIn: () => SignedIn): void {
  describe("two workspaces", () => {
    const page = () => signedIn().page;
    /** Stays in the demo's workspace, while the page goes to another one. */
    let otherTab: Page;
    let demoId = "";

    beforeAll(async () => {
      demoId = workspaceOf(page());
      otherTab = await page().browserContext().newPage();
    });
    afterAll(() => otherTab.close());

    it("an address without a workspace leads on to the one where somebody starts, with its question", async () => {
      await otherTab.goto(`${appOrigin}/links?q=harbour&sort=slug`);
      await expectHeading(otherTab, "Links");
      expect(otherTab.url()).toBe(`${appOrigin}/w/${demoId}/links?q=harbour&sort=slug`);
      await otherTab.goto(`${appOrigin}/nowhere`);
      await expectToSee(otherTab, "There is no such page");
      // Among many newer links it would not be drawn.
      await otherTab.goto(`${appOrigin}/links?q=harbour`);
      await expectToSee(otherTab, "harbour");
      await page().bringToFront();
    });

    it("a new workspace is entered from the list of links, which shows its own links: none", async () => {
      await pressAt(page(), "button.workspace");
      await press(page(), "New workspace");
      await fill(page(), "Name", "Compilers");
      await press(page(), "Create workspace");
      await expectToSee(page(), "No links yet");
      expect(await page().$$(".table-body .link-row")).toEqual([]);
      expect(workspaceOf(page())).not.toBe(demoId);
    });

    it("a workspace without a domain leads to its first domain before its first link, by keys too, and the focus is where that is done", async () => {
      await page().keyboard.down("Control");
      await page().keyboard.press("k");
      await page().keyboard.up("Control");
      await page().waitForSelector(".dialog input:focus");
      await page().keyboard.type("New link");
      await page().locator(".dialog [data-highlighted] ::-p-text(New link)").wait();
      await page().keyboard.press("Enter");
      await pressAt(page(), '.dialog ::-p-named([name="Add your first domain"][role="link"])');
      await expectHeading(page(), "Domains");
      await page().waitForSelector(".dialog input[placeholder='go.example.com']:focus");
      await page().keyboard.type("go.compilers.dev");
      await page().keyboard.press("Enter");
      await expectToSee(page(), "Not verified");
      await press(page(), "Links", "link");
      await expectToSee(page(), "Add and verify it; then you can create links.");
      await press(page(), "Verify your domain", "link");
      await page().waitForFunction(() => document.activeElement?.textContent?.startsWith("Check"));
      await press(page(), "Links", "link");
    });

    it("goes from one list of links to the other, which shows its own links at once, and back", async () => {
      await goTo(page(), "Demo");
      await page().waitForSelector(".table-body .link-row");
      await goTo(page(), "Compilers");
      await expectToSee(page(), "No links yet");
    });

    it("two tabs hold two workspaces: what is made in each lands in its own, also after a reload", async () => {
      await makeFolder(page(), "Of Compilers");
      await otherTab.bringToFront();
      await makeFolder(otherTab, "Of Demo");
      await otherTab.reload();
      await expectToSee(otherTab, "harbour");
      await page().bringToFront();
      const { rows } = await stack.database.query(
        "SELECT folders.name, workspaces.name AS workspace FROM folders JOIN workspaces ON workspaces.id = workspace_id WHERE folders.name LIKE 'Of %' ORDER BY 1",
      );
      expect(rows).toEqual([
        { name: "Of Compilers", workspace: "Compilers" },
        { name: "Of Demo", workspace: "Demo" },
      ]);
    });

    it("opens the address that a colleague sent, in the colleague's workspace", async () => {
      await page().goto(`${appOrigin}/w/${demoId}/links/${signedIn().linkId}`);
      await expectHeading(page(), "Harbour week");
      await goTo(page(), "Compilers");
      await expectToSee(page(), "No links yet");
    });

    it("says that access has ended to somebody who was removed, writes nothing, and leads to another workspace", async () => {
      await otherTab.bringToFront();
      await stack.database.query(
        "DELETE FROM members USING people WHERE people.id = person_id AND email = 'grace@example.com' AND workspace_id = (SELECT id FROM workspaces WHERE name = 'Demo')",
      );
      await press(otherTab, "Refresh");
      await expectToSee(otherTab, "You have no access to this workspace");
      expect(await otherTab.$$(".table-body .link-row")).toEqual([]);
      await otherTab.goto(`${appOrigin}/w/${demoId}/analytics`);
      await expectToSee(otherTab, "You have no access to this workspace");
      await press(otherTab, "Go to Compilers");
      await expectToSee(otherTab, "No links yet");
      await page().bringToFront();
    });

    it("leaves somebody who deletes their only workspace at a page that says so", async () => {
      await press(page(), "Workspace", "link");
      await expectHeading(page(), "Workspace");
      await press(page(), "Delete this workspace");
      await fill(page(), "Type Compilers to confirm", "Compilers");
      await press(page(), "Delete everything");
      await expectToSee(page(), "You have no workspace yet");
      expect(new URL(page().url()).pathname).toBe("/");
    });
  });
}

function workspaceOf(page: Page): string {
  return /\/w\/(ws_[0-9a-f]{32})\//.exec(page.url())?.[1] ?? "";
}

/** By the menu. */
async function goTo(page: Page, name: string): Promise<void> {
  await pressAt(page, "button.workspace");
  await press(page, name, "menuitem");
  await page.locator(`button.workspace ::-p-text(${name})`).wait();
}

async function makeFolder(page: Page, name: string): Promise<void> {
  await press(page, "Folders");
  await press(page, "New folder");
  await fill(page, "Name of the folder", name);
  await press(page, "Save");
  await page.waitForSelector(`::-p-named([name="Rename ${name}"])`);
  await page.keyboard.press("Escape");
}
