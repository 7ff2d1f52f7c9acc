/** What the editor of a link does to its visitors. */
import type { CreateLink, Link } from "@hopline/client/openapi";
import { expectToSee, fill, pointAt, press, pressAt, setTheme } from "@hopline/testkit/browser/drive-browser";
import { describe, expect, it, vi } from "vitest";
import { createLink, POLL, stack, visit } from "../visitor-stack.ts";
import { chooseZone, expectHeading, openByMenu, openPath, type Page } from "./open-in-app.ts";

const IPHONE =
  "Mozilla/5.0 (iPhone; CPU iPhone OS 18_1 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.1 Mobile/15E148 Safari/604.1";
const CRAWLER = "facebookexternalhit/1.1";

/** Within a `describe` that has signed somebody in. */
export function editingALink(signedIn: () => Page): void {
  describe("the editor of a link", () => {
    /** A link with a page open on it. */
    const openNew = async (change: Partial<CreateLink> & { readonly title: string }): Promise<Link> => {
      const link = await createLink(change);
      await openPath(signedIn(), `/links/${link.id}`, change.title);
      return link;
    };
    const save = async () => {
      await press(signedIn(), "Save");
      await expectToSee(signedIn(), "expected everywhere by");
    };
    const leadsTo = async ({ slug }: Link, userAgent = "curl/8") => {
      const { status, headers } = await visit(slug, { headers: { "user-agent": userAgent } });
      return headers.get("location") ?? status;
    };
    const expectToLead = (link: Link, where: string | number, userAgent?: string) =>
      vi.waitFor(async () => expect(await leadsTo(link, userAgent)).toBe(where), POLL);

    it("puts a rule first that is dragged there, by pointer and by keys, which changes where a phone is led", async () => {
      const page = signedIn();
      const rules = ["first", "second"].map((id) => ({
        id,
        when: { os: ["iOS"] },
        to: { url: `https://example.com/${id}` },
      }));
      const link = await openNew({ title: "Dragged", rules });
      const isOverSecondPlace = () =>
        page.waitForFunction(() =>
          /over droppable area 2/.test(document.querySelector("[id^=DndLiveRegion]")?.textContent ?? ""),
        );
      await pointAt(page, "Move rule first");
      await page.mouse.down();
      const below = await page.$eval('.grip[aria-label="Move rule second"]', (grip) => {
        const { x, y } = grip.getBoundingClientRect();
        return { x: x + 8, y: y + 40 };
      });
      await page.mouse.move(below.x, below.y, { steps: 6 });
      await isOverSecondPlace();
      await page.mouse.up();
      await expectToSee(page, "Changed: Rules");
      await save();
      await expectToLead(link, "https://example.com/second", IPHONE);
      // The second is first now, and goes down again.
      await page.focus('.grip[aria-label="Move rule second"]');
      await page.keyboard.press("Space");
      await page.waitForSelector(".rule.dragging");
      await page.keyboard.press("ArrowDown");
      await isOverSecondPlace();
      await page.keyboard.press("Space");
      await expectToSee(page, "Changed: Rules");
      await save();
      await expectToLead(link, "https://example.com/first", IPHONE);
    });

    it("leads to the first fault of a refused save, which goes away when its field is edited", async () => {
      const page = signedIn();
      await openNew({ title: "Refused" });
      await press(page, "Rule");
      await fill(page, '.rule ::-p-named([name="Destination"])', "https://127.0.0.1/de");
      await fill(page, '::-p-named([name="Picture"])', "http://127.0.0.1/icon.svg");
      await press(page, "Save");
      await expectToSee(page, "things need another look");
      const focused = () => page.evaluate(() => document.activeElement?.closest(".rule") !== null);
      await vi.waitFor(async () => expect(await focused()).toBe(true), POLL);
      const faultyLabels = () =>
        page.$$eval("[aria-invalid=true]", (fields) =>
          fields.map((field) => field.closest(".field")?.querySelector("label")?.textContent),
        );
      expect(await faultyLabels()).toContain("Picture");
      expect(await faultyLabels()).not.toContain("Title");
      await fill(page, '::-p-named([name="Picture"])', "http://example.com/icon.png");
      expect(await faultyLabels()).not.toContain("Picture");
      await press(page, "Discard");
    });

    it("a rule without a condition says that it needs one, and so does the refused save, at the rule", async () => {
      const page = signedIn();
      await openNew({ title: "Unconditional" });
      await press(page, "Rule");
      await page.locator(".rule ::-p-text(Add a condition)").wait();
      expect(await page.$eval(".rule", ({ textContent }) => textContent)).not.toContain("every visitor");
      await fill(page, '.rule ::-p-named([name="Destination"])', "https://example.com/all");
      await press(page, "Save");
      await page.locator(".rule .field-error ::-p-text(Must hold a condition)").wait();
      await press(page, "Discard");
    });

    it("copies the rules of another link behind its own, with an id of their own where theirs is taken", async () => {
      const page = signedIn();
      const rule = {
        id: "rule-1",
        when: { country: ["CH"], city: ["Zürich"] },
        to: { url: "https://example.com/zh" },
      };
      const source = await createLink({ slug: "copied-from", rules: [{ ...rule, name: "Zurich" }] });
      const own = { id: "rule-1", when: { os: ["iOS"] }, to: { url: "https://example.com/ios" } };
      const link = await openNew({ title: "Copied to", rules: [own] });
      await pressAt(page, "summary ::-p-text(Copy from another link)");
      await press(page, "Copy the rules of");
      await page.keyboard.type(source.slug);
      await pressAt(page, `.menu-item ::-p-text(${source.slug})`);
      await page.locator('::-p-aria([name="Name of rule 2"])').wait();
      await save();
      const { rules } = await stack.hopline.readLink({ linkId: link.id });
      expect(rules).toEqual([own, { ...rule, id: "rule-2", name: "Zurich" }]);
    });

    it("splits visitors between two destinations", async () => {
      const page = signedIn();
      const link = await openNew({ title: "Split" });
      await press(page, "Split visitors");
      await fill(page, "Destination of variant a", "example.com/a");
      await fill(page, "Destination of variant b", "https://example.com/b");
      await fill(page, "Weight of variant a", "60");
      await expectToSee(page, "54.5%");
      await save();
      expect((await stack.hopline.readLink({ linkId: link.id })).split).toMatchObject([
        { id: "a", weight: 60 },
        { id: "b", weight: 50 },
      ]);
      const ofVisitor = async (_: unknown, index: number) => {
        const headers = { "cf-connecting-ip": `198.51.${index}.1`, "user-agent": `Visitor/${index}` };
        return (await visit(link.slug, { headers })).headers.get("location");
      };
      await vi.waitFor(async () => {
        const found = await Promise.all(Array.from({ length: 40 }, ofVisitor));
        expect(new Set(found)).toEqual(new Set(["https://example.com/a", "https://example.com/b"]));
      }, POLL);
    });

    it("ends a link at a time of the chosen zone, and leads on to what is said for afterwards", async () => {
      const page = signedIn();
      await openPath(page, "/account", "Account");
      await chooseZone(page, "Tokyo");
      const link = await openNew({ title: "Scheduled" });
      await expectToSee(page, "Times in Asia/Tokyo");
      await fill(page, "Ends", "2026-01-02T03:04");
      await fill(page, "After the end, visitors go to", "https://example.com/ended");
      await save();
      await expectToLead(link, "https://example.com/ended");
      const { expiresAt, status } = await stack.hopline.readLink({ linkId: link.id });
      expect([new Date(expiresAt ?? "").toISOString(), status]).toEqual([
        "2026-01-01T18:04:00.000Z",
        "expired",
      ]);
    });

    it("caps clicks, asks for a password, and adds UTM and a preview: each visitor gets what was saved", async () => {
      const page = signedIn();
      const link = await openNew({ title: "Full" });
      await press(page, "Limit clicks");
      await fill(page, "Clicks", "1");
      await page.select("::-p-named(How exact)", "strict");
      await fill(
        page,
        '[aria-label="Preview in social networks"] ::-p-named([name="Title"])',
        "Seen in a network",
      );
      await fill(page, "Source", "poster");
      await save();
      await vi.waitFor(async () => {
        const preview = await visit(link.slug, { headers: { "user-agent": CRAWLER } });
        expect(await preview.text()).toContain('<meta property="og:title" content="Seen in a network">');
      }, POLL);
      expect([await leadsTo(link), await leadsTo(link)]).toEqual([
        "https://example.com/?utm_source=poster",
        410,
      ]);
      await press(page, "Limit clicks");
      await press(page, "Ask for a password");
      await fill(page, "Password", "open sesame");
      await save();
      await expectToLead(link, 401);
      const given = await visit(link.slug, {
        method: "POST",
        body: new URLSearchParams({ password: "open sesame" }),
      });
      expect(given.headers.get("location")).toBe("https://example.com/?utm_source=poster");
    });

    it("makes a link by keys alone, with motion as it is for everybody", async () => {
      const page = signedIn();
      await openByMenu(page, "Links");
      await page.emulateMediaFeatures([{ name: "prefers-reduced-motion", value: "no-preference" }]);
      const moves = () =>
        page.$eval(".button", (link) => Number.parseFloat(getComputedStyle(link).transitionDuration) > 0);
      expect(await moves()).toBe(true);
      await page.keyboard.press("n");
      await page.waitForSelector("[role=dialog] input:focus");
      await page.keyboard.type("example.com/keys");
      await page.keyboard.press("Tab");
      await page.keyboard.type("by-keys");
      await page.keyboard.press("Enter");
      await expectToSee(page, "Your link is live");
      await page.keyboard.press("Tab");
      await page.keyboard.press("Enter");
      await expectHeading(page, `${stack.demo.host}/by-keys`);
      expect((await visit("by-keys")).headers.get("location")).toBe("https://example.com/keys");
      await setTheme(page, "light");
      expect(await moves()).toBe(false);
    });
  });
}
