/** Many links: what was deleted and comes back, what they have in common, how each has done lately. */
import type { CreateLink, Link } from "@hopline/client/openapi";
import { expectToSee, fill, press, pressAt, type SentRequest } from "@hopline/testkit/browser/drive-browser";
import { afterAll, describe, expect, it, onTestFinished, vi } from "vitest";
import { createLink, POLL, stack, visit } from "../visitor-stack.ts";
import { openByMenu, openPath, type Page, urlHas } from "./open-in-app.ts";

const FIREFOX = "Mozilla/5.0 (X11; Linux x86_64; rv:145.0) Gecko/20100101 Firefox/145.0";

/** Within a `describe` that has signed the owner in. */
export function managingLinks(signedIn: () => Page): void {
  describe("many links", () => {
    const made: Link[] = [];
    const make = async (change: Partial<CreateLink>) => {
      const link = await createLink(change);
      made.push(link);
      return link;
    };
    afterAll(() =>
      stack.hopline.deleteLinks({ body: { items: made.map(({ id }) => ({ id })), clicks: "delete" } }),
    );
    const counted = () =>
      signedIn().$eval(".page-name .soft", ({ textContent }) => Number.parseInt(textContent, 10));
    const leadsSomewhere = (slug: string, status: number) =>
      vi.waitFor(async () => expect((await visit(slug)).status).toBe(status), POLL);

    it("a deleted link leaves the list at once, with its number, and Undo brings it back to its visitors", async () => {
      const page = signedIn();
      await make({ slug: "to-delete" });
      await openByMenu(page, "Links");
      await press(page, "Refresh");
      await press(page, "Select to-delete");
      const before = (await stack.hopline.countLinks()).links;
      await vi.waitFor(async () => expect(await counted()).toBe(before), POLL);
      await press(page, "Delete", "button");
      await press(page, "Delete 1 link", "button");
      await expectToSee(page, "1 link deleted.");
      expect(await page.$$('[aria-label="Select to-delete"]')).toEqual([]);
      await vi.waitFor(async () => expect(await counted()).toBe(before - 1), POLL);
      expect(await page.evaluate(() => document.activeElement?.getAttribute("role"))).toBe("grid");
      await leadsSomewhere("to-delete", 404);
      await press(page, "Undo");
      await expectToSee(page, "Undone.");
      await page.waitForSelector('[aria-label="Select to-delete"]');
      await leadsSomewhere("to-delete", 302);
    });

    it("the trash is searched, restores a link whose slug was kept for it, and asks before it destroys one, whose address is free then", async () => {
      const page = signedIn();
      const deleted = [await make({ slug: "trash-restored" }), await make({ slug: "trash-destroyed" })];
      await stack.hopline.deleteLinks({ body: { items: deleted.map(({ id }) => ({ id })) } });
      // What its slug is kept for is said where another link would take it.
      await openByMenu(page, "Links");
      await press(page, "New link");
      await fill(page, "Slug", "trash-restored");
      await expectToSee(page, "A deleted link has this slug");
      await fill(page, "Slug", "hello");
      await expectToSee(page, "This slug is taken.");
      await page.keyboard.press("Escape");
      await page.waitForFunction(() => document.querySelector(".dialog") === null);
      await openByMenu(page, "Trash");
      await page.waitForSelector('[aria-label="Restore trash-destroyed"]');
      await fill(page, "Search the trash", "restored");
      await page.waitForFunction(
        () => document.querySelector('[aria-label="Restore trash-destroyed"]') === null,
      );
      await urlHas(page, "?q=restored");
      await press(page, "Restore trash-restored");
      await expectToSee(page, "trash-restored is back");
      await leadsSomewhere("trash-restored", 302);
      await page.waitForFunction(
        () => document.querySelector('[aria-label="Restore trash-restored"]') === null,
      );
      await fill(page, "Search the trash", "");
      await press(page, "Destroy trash-destroyed");
      await press(page, "Destroy", "button");
      await expectToSee(page, "1 link destroyed.");
      expect(
        await stack.hopline.checkSlug({ slug: "trash-destroyed", domain: stack.demo.host }),
      ).toMatchObject({
        available: true,
      });
      await page.waitForFunction(
        () => document.querySelector('[aria-label="Destroy trash-destroyed"]') === null,
      );
    });

    it("a search for /slug shows the link at that address alone, also by its former slug", async () => {
      const page = signedIn();
      const { id } = await make({ slug: "path" });
      await make({ slug: "path-longer", url: "https://example.com/path" });
      await stack.hopline.updateLink({ linkId: id, body: { slug: "way" } });
      await openPath(page, "/links?q=path", "Links");
      await page.waitForSelector('[aria-label="Select path-longer"]');
      await fill(page, "Search links", "/path");
      await page.waitForSelector('[aria-label="Select way"]');
      await page.waitForFunction(() => document.querySelectorAll(".table-body .link-row").length === 1);
      expect(await page.$('[aria-label="Select path-longer"]')).toBeNull();
    });

    it("Back undoes a filter of the list, then its order, and a search is no step of its own", async () => {
      const page = signedIn();
      await openByMenu(page, "Trash");
      await openByMenu(page, "Links");
      await press(page, "Link", "button");
      await urlHas(page, "sort=slug");
      await fill(page, "Search links", "path");
      await urlHas(page, "q=path");
      await page.select('select[aria-label="Status"]', "archived");
      await urlHas(page, "status=archived");
      await page.goBack();
      const shown = () =>
        page.evaluate(() => Object.fromEntries(new URLSearchParams(location.search).entries()));
      await vi.waitFor(async () => expect(await shown()).toEqual({ sort: "slug", q: "path" }), POLL);
      await page.goBack();
      await vi.waitFor(async () => expect(await shown()).toEqual({}), POLL);
      await page.waitForSelector(".table-body .link-row");
    });

    it("an empty list has its text and a button of a button's size in the middle, not stretched over the page", async () => {
      const page = signedIn();
      await openPath(page, "/links?q=zzzznothing", "Links");
      await expectToSee(page, "No link matches");
      const [heading, text, button] = await page.$$eval(".empty > :is(h2, p, .button)", (all) =>
        all.map((part) => part.getBoundingClientRect()).map(({ top, bottom }) => ({ top, bottom })),
      );
      expect((button?.bottom ?? Infinity) - (button?.top ?? 0)).toBeLessThan(50);
      expect((text?.top ?? Infinity) - (heading?.bottom ?? 0)).toBeLessThan(30);
      await press(page, "Remove all filters");
      await page.waitForSelector(".table-body .link-row");
    });

    it("Manage tags stays in sight below a long list of tags, on a phone too", async () => {
      const page = signedIn();
      onTestFinished(() => page.setViewport({ width: 1280, height: 820 }));
      await make({ slug: "many-tags", tags: Array.from({ length: 33 }, (_, at) => `many-${at}`) });
      for (const [width, height] of [
        [1280, 720],
        [390, 664],
      ] as const) {
        await page.setViewport({ width, height });
        await openPath(page, "/links", "Links");
        // Tags are kept for some seconds.
        await page.reload();
        await page.waitForSelector('[aria-label="Select many-tags"]');
        await press(page, "Tags", "button");
        await expectToSee(page, "many-32");
        const [button, popup] = await page.$$eval(".popup .button, .popup", (all) =>
          all
            .toSorted((one, other) => one.clientHeight - other.clientHeight)
            .map((one) => one.getBoundingClientRect().bottom),
        );
        expect(button).toBeLessThan(Math.min(popup ?? 0, height));
        await page.keyboard.press("Escape");
      }
    });

    it("a link's last 30 days are a line in the list, in one request for all of them, and on its page", async () => {
      const page = signedIn();
      const { id } = await make({ slug: "has-a-line", title: "Has a line" });
      for (let count = 0; count < 2; count += 1) {
        await visit("has-a-line", { headers: { "user-agent": FIREFOX } });
      }
      await vi.waitFor(
        async () => expect((await stack.hopline.readTotals({ link: [id] })).clicks).toBe(2),
        POLL,
      );
      const asked: string[] = [];
      const note = (request: SentRequest) => asked.push(new URL(request.url()).pathname);
      await openByMenu(page, "Trash");
      page.on("request", note);
      await openByMenu(page, "Links");
      await press(page, "Refresh");
      await page.waitForSelector(`#row-${id} svg[aria-label="2 clicks in the last 30 days"]`);
      page.off("request", note);
      const [lines, links] = ["/api/v1/analytics/lines", "/api/v1/links"].map(
        (path) => asked.filter((one) => one === path).length,
      );
      expect(lines).toBeLessThanOrEqual((links ?? 0) + 1);
      await openPath(page, `/links/${id}`, "Has a line");
      await page.waitForSelector('.facts-line svg[aria-label="2 clicks in the last 30 days"]');
    });

    it("chosen links get an end and UTM together, which Undo takes back, and are exported alone", async () => {
      const page = signedIn();
      const links = [
        await make({ slug: "bulk-one", utm: { source: "old", medium: "print" } }),
        await make({ slug: "bulk-two" }),
      ];
      const read = async () =>
        Promise.all(links.map(async ({ id }) => stack.hopline.readLink({ linkId: id })));
      const choose = async (action: string) => {
        for (const { slug } of links) {
          await press(page, `Select ${slug}`);
        }
        await expectToSee(page, "2 selected");
        await pressAt(page, ".bulk ::-p-text(More)");
        await press(page, action, "menuitem");
      };
      await openPath(page, "/links?q=bulk-", "Links");
      await choose("Expiry…");
      await page.$eval('.dialog input[type="datetime-local"]', (input) => {
        Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, "value")?.set?.call(
          input,
          "2099-01-01T12:00",
        );
        input.dispatchEvent(new Event("input", { bubbles: true }));
      });
      await pressAt(page, ".dialog ::-p-text(Save)");
      await expectToSee(page, "2 links set to end.");
      expect((await read()).map(({ expiresAt }) => expiresAt?.slice(0, 4))).toEqual(["2099", "2099"]);
      await press(page, "Undo");
      await expectToSee(page, "Undone.");
      await vi.waitFor(async () => {
        expect((await read()).map(({ expiresAt }) => expiresAt)).toEqual([null, null]);
      }, POLL);
      await choose("UTM…");
      await fill(page, ".dialog ::-p-named(Source)", "letter");
      await pressAt(page, ".dialog ::-p-text(Save)");
      await expectToSee(page, "2 links tagged with UTM.");
      expect((await read()).map(({ utm }) => utm)).toEqual([
        { source: "letter", medium: "print" },
        { source: "letter" },
      ]);
      await page.evaluate(() => {
        const make = URL.createObjectURL.bind(URL);
        URL.createObjectURL = (file) => {
          void (file as Blob).text().then((text) => Object.assign(globalThis, { exported: text }));
          return make(file);
        };
      });
      await choose("Export as CSV");
      const handle = await page.waitForFunction(() => (globalThis as { exported?: string }).exported);
      const rows = String(await handle.jsonValue())
        .trim()
        .split("\r\n");
      expect(rows.map((row) => row.split(",")[0]).toSorted()).toEqual(["bulk-one", "bulk-two", "slug"]);
      await press(page, "Clear selection");
    });
  });
}
