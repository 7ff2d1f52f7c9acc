/** What somebody meets in their first hour: keys, menus, a phone, a lost connection, a link that is gone. */
import type { CreateLink, Link } from "@hopline/client/openapi";
import {
  expectToSee,
  fill,
  focusOn,
  holdRequest,
  press,
  pressAt,
} from "@hopline/testkit/browser/drive-browser";
import { afterAll, describe, expect, it, onTestFinished, vi } from "vitest";
import { createLink, POLL, stack, visit } from "../visitor-stack.ts";
import { NEW_PAGE_HAS_FOCUS, expectHeading, openByMenu, openPath, type Page, urlHas } from "./open-in-app.ts";

/** Within a `describe` that has signed the owner in. */
export function firstHour(signedIn: () => Page): void {
  describe("the first hour", () => {
    const made: Link[] = [];
    const make = async (change: Partial<CreateLink>) => {
      const link = await createLink(change);
      made.push(link);
      return link;
    };
    // What comes after looks for others at the top of the list.
    afterAll(() => stack.hopline.deleteLinks({ body: { items: made.map(({ id }) => ({ id })) } }));
    const focused = () => signedIn().evaluate(() => document.activeElement?.outerHTML ?? "");

    it("the field of a new condition has the focus, takes a country by its name, and Enter there sends nothing", async () => {
      const page = signedIn();
      const link = await make({ title: "Travelling" });
      await openPath(page, `/links/${link.id}`, "Travelling");
      await press(page, "Rule");
      await page.waitForSelector(".rule [aria-haspopup=menu]:focus");
      await press(page, "Condition");
      await press(page, "Country", "menuitem");
      await page.waitForSelector('[data-condition="Country"] input:focus');
      await page.keyboard.type("Germ");
      await page.waitForSelector('[role="option"][data-highlighted]');
      await page.keyboard.press("Enter");
      await page.waitForSelector('[data-condition="Country"] .chip');
      await page.keyboard.press("Enter");
      // What is no country is not taken.
      await page.keyboard.type("Nowhere");
      await expectToSee(page, "No match");
      await page.keyboard.press("Enter");
      const chips = await page.$$eval('[data-condition="Country"] .chip', (all) =>
        all.map(({ textContent }) => textContent),
      );
      expect(chips).toEqual(["Germany"]);
      expect((await stack.hopline.readLink({ linkId: link.id })).version).toBe(1);
      await page.keyboard.press("Escape");
      // Without a scheme, and sent before the field is left.
      await fill(page, '.rule ::-p-named([name="Destination"])', "example.com/de");
      await page.focus('.rule ::-p-named([name="Destination"])');
      await page.keyboard.down("Control");
      await page.keyboard.press("Enter");
      await page.keyboard.up("Control");
      await expectToSee(page, "expected everywhere by");
      expect((await stack.hopline.readLink({ linkId: link.id })).rules).toMatchObject([
        { when: { country: ["DE"] }, to: { url: "https://example.com/de" } },
      ]);
    });

    it("what was typed is there after a reload, and is saved, discarded or kept when somebody leaves", async () => {
      const page = signedIn();
      await fill(page, "Title", "Travelled");
      await page.reload();
      await expectToSee(page, "Changed: Title");
      await press(page, "Links", "link");
      await press(page, "Keep editing");
      await page.waitForFunction(() => document.querySelector(".dialog") === null);
      await press(page, "Links", "link");
      await press(page, "Save and leave");
      await expectHeading(page, "Links");
      await expectToSee(page, "Travelled");
    });

    it("says in the Save bar that a change waits for the connection, and sends it then", async () => {
      const page = signedIn();
      const link = await make({ title: "On a train" });
      await openPath(page, `/links/${link.id}`, "On a train");
      await fill(page, "Title", "In a tunnel");
      await page.setOfflineMode(true);
      await page.locator(".save-bar ::-p-text(You are offline)").wait();
      await press(page, "Save");
      await page.locator(".save-bar ::-p-text(Will be saved when you are online)").wait();
      await page.setOfflineMode(false);
      await expectHeading(page, "In a tunnel");
      expect((await stack.hopline.readLink({ linkId: link.id })).title).toBe("In a tunnel");
    });

    it("a link that does not exist any more is said to be gone, with no retry", async () => {
      const page = signedIn();
      const link = await make({ title: "Brief" });
      await stack.hopline.deleteLink({ linkId: link.id });
      await page.evaluate((to) => history.pushState({}, "", to), `/links/${link.id}`);
      await expectToSee(page, "This link does not exist any more");
      expect(await page.$$("::-p-text(Try again)")).toEqual([]);
      await press(page, "See what happened to it");
      await expectHeading(page, "Audit log");
    });

    it("the list's keys work on a fresh page, and ? shows them", async () => {
      const page = signedIn();
      await openByMenu(page, "Links");
      await page.reload();
      await page.waitForSelector(".table-body .link-row");
      expect(await focused()).toMatch(/^<body/);
      await page.keyboard.press("j");
      await page.keyboard.press("j");
      await page.waitForSelector('.link-row.active[aria-rowindex="3"]');
      await page.keyboard.press("x");
      await expectToSee(page, "1 selected");
      await page.keyboard.press("?");
      await expectToSee(page, "Keyboard shortcuts");
      await page.keyboard.press("Escape");
      await page.waitForFunction(() => document.querySelector(".dialog") === null);
      await press(page, "Clear selection");
    });

    it("an archived link leaves the list at once, with its number, and the focus stays in the list", async () => {
      const page = signedIn();
      await make({ slug: "to-archive" });
      await press(page, "Refresh");
      await press(page, "Select to-archive");
      const counted = () =>
        page.$eval(".page-name .soft", ({ textContent }) => Number.parseInt(textContent, 10));
      const before = (await stack.hopline.countLinks()).links;
      await vi.waitFor(async () => expect(await counted()).toBe(before), POLL);
      await press(page, "Status", "button");
      await press(page, "Archive", "menuitem");
      await expectToSee(page, "1 link archived.");
      await vi.waitFor(async () => expect(await counted()).toBe(before - 1), POLL);
      expect(await page.$$('[aria-label="Select to-archive"]')).toEqual([]);
      expect(await focused()).toContain('role="grid"');
      await press(page, "Undo");
      await page.waitForSelector('[aria-label="Select to-archive"]');
    });

    it("a link has a menu by button, key and right click, which leads to its analytics and copies it", async () => {
      const page = signedIn();
      const { id } = await make({
        slug: "has-a-menu",
        tags: ["copied"],
        url: "https://example.com/menu",
      });
      await press(page, "Refresh");
      await page.waitForSelector('[aria-label="Select has-a-menu"]');
      await press(page, "Actions for has-a-menu", "button");
      await page.waitForSelector("[role=menu]");
      await page.keyboard.press("Escape");
      await page.waitForFunction(() => document.querySelector(".popup") === null);
      const row = await page.waitForSelector(`#row-${id} .destination-cell`);
      await row?.click({ button: "right" });
      await press(page, "Duplicate", "menuitem");
      await expectToSee(page, "Duplicate has-a-menu");
      await fill(page, "Slug", "copy of it");
      // The same sections as on its page.
      await pressAt(page, "summary ::-p-text(Limits)");
      await press(page, "Limit clicks");
      await press(page, "Create link");
      await expectToSee(page, "Your link is live");
      const { data } = await stack.hopline.listLinks({ slug: "copy-of-it", domain: stack.demo.host });
      expect(data).toMatchObject([
        { url: "https://example.com/menu", tags: ["copied"], cap: { mode: "fast", maxClicks: 100 } },
      ]);
      made.push(...data);
      await page.keyboard.press("Escape");
      await page.waitForFunction(() => document.querySelector(".dialog") === null);
      await page.waitForSelector('[aria-label="Select copy-of-it"]');
      await page.focus("[role=grid]");
      await page.keyboard.press("Home");
      await page.keyboard.press("m");
      await press(page, "Analytics", "menuitem");
      await urlHas(page, "/analytics?link=lnk_");
      // In the list and in the editor it is one press.
      await openByMenu(page, "Links");
      await pressAt(page, `#row-${id} .number-cell a`);
      await urlHas(page, `/analytics?link=${id}`);
      await openPath(page, `/links/${id}`, `${stack.demo.host}/has-a-menu`);
      await pressAt(page, ".page-head a ::-p-text(Analytics)");
      await urlHas(page, `/analytics?link=${id}`);
    });

    it("a slug that ends in /* forwards what follows: the form asks where it goes, Try it shows it", async () => {
      const page = signedIn();
      await openByMenu(page, "Links");
      await press(page, "New link");
      await fill(page, "Destination", "example.com/manual");
      await fill(page, "Slug", "handbook/*");
      await expectToSee(page, "forwards what follows.");
      await expectToSee(page, "where the rest of the visitor’s path goes");
      await fill(page, "Destination", "example.com/manual/*");
      await press(page, "Create link");
      await expectToSee(page, "Your link is live");
      const { data } = await stack.hopline.listLinks({ slug: "handbook/*", domain: stack.demo.host });
      made.push(...data);
      await vi.waitFor(async () => {
        const location = (await visit("handbook/intro/setup")).headers.get("location");
        expect(location).toBe("https://example.com/manual/intro/setup");
      }, POLL);
      await press(page, "Open the link’s page");
      await urlHas(page, `/links/${data[0]?.id}`);
      await fill(page, "What follows the slug", "first/steps");
      await press(page, "Test this visitor");
      await expectToSee(page, "example.com/manual/first/steps");
    });

    it("Ctrl with K finds a page, a link and an action, by keys alone, from a field too", async () => {
      const page = signedIn();
      const { id, slug } = await make({ slug: "to-be-found", title: "Needle" });
      await openByMenu(page, "Links");
      const pressControlAndK = async () => {
        await page.keyboard.down("Control");
        await page.keyboard.press("k");
        await page.keyboard.up("Control");
      };
      const find = async (text: string) => {
        await pressControlAndK();
        await page.waitForSelector(".dialog input:focus");
        await page.keyboard.type(text);
      };
      const choose = async (text: string) => {
        await page.locator(`.dialog [data-highlighted] ::-p-text(${text})`).wait();
        await page.keyboard.press("Enter");
        await page.waitForFunction(
          () => document.querySelector(".dialog h2")?.textContent !== "Find anything",
        );
      };
      await page.keyboard.press("/");
      await find("integ");
      await choose("Integrity");
      await expectHeading(page, "Integrity");
      // What had the focus is gone with its page.
      await page.waitForSelector(NEW_PAGE_HAS_FOCUS);
      // What is typed before the menu is loaded is meant for it.
      await page.reload();
      await expectHeading(page, "Integrity");
      await using menu = await holdRequest(page, "*/command-menu-*.js");
      await pressControlAndK();
      const script = await menu.asked;
      await page.waitForSelector("input:focus");
      await page.keyboard.type(slug.slice(0, 5));
      await script.pass();
      await page.keyboard.type(slug.slice(5));
      await page.waitForSelector(".dialog input:focus");
      expect(await page.$eval(".dialog input", ({ value }) => value)).toBe(slug);
      await choose("Needle");
      await expectHeading(page, "Needle");
      await page.waitForSelector(NEW_PAGE_HAS_FOCUS);
      await focusOn(page, ".back");
      await page.keyboard.press("Enter");
      await expectHeading(page, "Links");
      await page.waitForSelector(NEW_PAGE_HAS_FOCUS);
      await page.goBack();
      await expectHeading(page, "Needle");
      expect(page.url()).toContain(id);
      await find("new li");
      await choose("New link");
      await expectToSee(page, "Destination");
      await page.waitForSelector(".dialog input:focus");
      await page.keyboard.press("Escape");
      await page.waitForFunction(() => document.querySelector(".dialog") === null);
    });

    it("the builder shows the card and the code beside the form, and its keys save from anywhere", async () => {
      const page = signedIn();
      const link = await make({ title: "Built" });
      await openPath(page, `/links/${link.id}`, "Built");
      await fill(page, '[aria-label="Preview in social networks"] ::-p-named([name="Title"])', "On the card");
      await page.locator(".og-card ::-p-text(On the card)").wait();
      // On a phone it is one column, and Save stays in sight.
      await page.setViewport({ width: 390, height: 844 });
      const [columns, bottom] = await page.evaluate(() => [
        getComputedStyle(document.querySelector(".editor") ?? document.body).gridTemplateColumns.split(" ")
          .length,
        document.querySelector(".save-bar .primary")?.getBoundingClientRect().bottom ?? Infinity,
      ]);
      expect([columns, (bottom ?? Infinity) < 844]).toEqual([1, true]);
      await page.setViewport({ width: 1280, height: 820 });
      await page.focus("#qr-code .button");
      await page.keyboard.down("Control");
      await page.keyboard.press("Enter");
      await page.keyboard.up("Control");
      await expectToSee(page, "expected everywhere by");
      await press(page, "Archive", "button");
      await expectToSee(page, "Link archived.");
      await press(page, "Unarchive", "button");
      await expectToSee(page, "Link restored.");
      expect(await stack.hopline.readLink({ linkId: link.id })).toMatchObject({
        status: "live",
        openGraph: { title: "On the card" },
      });
      await press(page, "Duplicate", "button");
      await page.locator(".dialog .og-card ::-p-text(On the card)").wait();
      await fill(page, "Slug", "built-again");
      await page.waitForSelector('.dialog svg.qr[aria-label$="/built-again"]');
      await page.focus(".dialog .form-end .button");
      await page.keyboard.down("Control");
      await page.keyboard.press("Enter");
      await page.keyboard.up("Control");
      await expectToSee(page, "Your link is live");
      const { data } = await stack.hopline.listLinks({ slug: "built-again", domain: stack.demo.host });
      expect(data).toMatchObject([{ title: "Built", openGraph: { title: "On the card" } }]);
      made.push(...data);
      await page.keyboard.press("Escape");
      await page.waitForFunction(() => document.querySelector(".dialog") === null);
    });

    it("a phone has four pages and More, shows the first number without scrolling, and cuts nothing off", async () => {
      const page = signedIn();
      onTestFinished(() => page.setViewport({ width: 1280, height: 820 }));
      await openPath(page, "/analytics", "Analytics");
      await page.setViewport({ width: 360, height: 740 });
      await page.waitForSelector(".figure strong");
      const [bottom, bar] = await page.$$eval(".figure strong, .side nav", (all) =>
        all.map((element) => element.getBoundingClientRect()).map(({ top, bottom: end }) => [top, end]),
      );
      expect(Math.max(...(bottom ?? []), ...(bar ?? []))).toBeLessThanOrEqual(740);
      const shown = await page.$$eval(".side nav .nav-link", (all) =>
        all.flatMap((one) => (one.checkVisibility() ? one.textContent : [])),
      );
      expect(shown).toEqual(["Links", "Analytics", "Events", "Domains", "More"]);
      await press(page, "More");
      await press(page, "Audit log", "menuitem");
      await expectHeading(page, "Audit log");
      await openByMenu(page, "Links");
      for (const width of [360, 768]) {
        await page.setViewport({ width, height: 740 });
        const cut = () =>
          page.$$eval(".filters select, .filters .button, .table-scroller, .number-cell", (all) =>
            all.flatMap((one) => (one.scrollWidth > one.clientWidth + 1 ? one.outerHTML.slice(0, 80) : [])),
          );
        await vi.waitFor(async () => expect(await cut(), String(width)).toEqual([]), POLL);
        // The search field fills its place, where the key for it stands in it.
        const [place, field] = await page.$$eval(".search, .search .input", (all) =>
          all.map((one) => one.getBoundingClientRect().width),
        );
        expect(field, `search at ${width}`).toBe(place);
      }
    });
  });
}
