/** The ten things of a first day by keyboard alone, on a desk and on a phone's width: each within a minute, and none is a dead end. */
import { rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expectToSee, settle } from "@hopline/testkit/browser/drive-browser";
import { expect, it, vi } from "vitest";
import { appOrigin, POLL, stack, visit } from "../visitor-stack.ts";
import { expectHeading, NEW_PAGE_HAS_FOCUS, type Page, urlHas } from "./open-in-app.ts";

const FIREFOX = "Mozilla/5.0 (X11; Linux x86_64; rv:145.0) Gecko/20100101 Firefox/145.0";
/** More than any page has to be tabbed through. */
const MOST_TABS = 150;
const A_MINUTE_MS = 60_000;

type Person = { readonly email: string; readonly password: string };

/** Of a person with an account, in a browser where nobody has signed in. */
export function byKeysAlone(openBrowser: () => Promise<Page>, person: Person): void {
  it.each([
    ["a desk", 1280],
    ["a phone", 390],
  ])("the ten things of a first day are done by keyboard alone on %s", async (_device, width) => {
    const page = await openBrowser();
    await page.setViewport({ width, height: 820 });
    const slug = `by-keys-${width}`;
    const file = join(tmpdir(), `hopline-by-keys-${process.pid}-${width}.csv`);
    await writeFile(file, `slug,url\nimported-${slug},https://example.com/file\n`);
    let keys = 0;
    const press = async (...all: readonly Parameters<Page["keyboard"]["press"]>[0][]) => {
      for (const key of all) {
        keys += 1;
        await page.keyboard.press(key);
      }
    };
    const pressWithControl = async (key: "k" | "Enter") => {
      await page.keyboard.down("Control");
      await press(key);
      await page.keyboard.up("Control");
    };
    const type = (text: string) => page.keyboard.type(text);
    const tabTo = async (name: string) => {
      await settle(page);
      for (let tabs = 0; tabs < MOST_TABS; tabs += 1) {
        if ((await page.evaluate(nameOfFocused)).startsWith(name)) {
          return;
        }
        await press("Tab");
      }
      throw new Error(`No Tab leads to ${name}.`);
    };
    const goTo = async (name: string) => {
      await pressWithControl("k");
      await page.waitForSelector(".dialog input:focus");
      await type(name);
      await page.locator(`.dialog [data-highlighted] ::-p-text(${name})`).wait();
      await press("Enter");
      await page.waitForFunction(() => document.querySelector(".dialog") === null);
      await expectHeading(page, name);
      // A page takes the focus once it has loaded: a Tab before that would be lost.
      await page.waitForSelector(NEW_PAGE_HAS_FOCUS);
    };
    const things: Readonly<Record<string, () => Promise<void>>> = {
      "signs in": async () => {
        await page.goto(appOrigin);
        await page.waitForSelector("input[name=email]:focus");
        await type(person.email);
        await press("Tab");
        await type(person.password);
        await press("Enter");
        await expectHeading(page, "Links");
      },
      "creates a link and copies it": async () => {
        await press("n");
        await page.waitForSelector(".dialog input:focus");
        await type("example.com/by-keys");
        await press("Tab");
        await type(slug);
        await press("Enter");
        await expectToSee(page, "Your link is live");
        await tabTo("Copy");
        await press("Enter");
        await press("Escape");
        const headers = { "user-agent": FIREFOX };
        expect((await visit(slug, { headers })).headers.get("location")).toBe("https://example.com/by-keys");
      },
      "finds it again": async () => {
        await press("/");
        await type(slug);
        await page.waitForFunction(() => document.querySelectorAll(".table-body .link-row").length === 1);
        await tabTo("Links");
        await press("Enter");
        await expectHeading(page, `${stack.demo.host}/${slug}`);
      },
      "leads one country elsewhere": async () => {
        await tabTo("Rule");
        await press("Enter");
        await page.waitForSelector(".rule [aria-haspopup=menu]:focus");
        await press("Enter");
        await page.waitForSelector("[role=menu] [data-highlighted]");
        await press("Enter");
        await page.waitForSelector('[data-condition="Country"] input:focus');
        await type("Germ");
        await page.waitForSelector("[role=option][data-highlighted]");
        await press("Enter");
        await tabTo("Destination");
        await type("example.com/de");
        await pressWithControl("Enter");
        await expectToSee(page, "expected everywhere by");
      },
      "designs its QR code and downloads it": async () => {
        await tabTo("Preset");
        await type("Soft");
        await page.waitForSelector("[role=option][data-highlighted]");
        await press("Enter");
        await pressWithControl("Enter");
        await expectToSee(page, "Saved.");
        await tabTo("Download");
        const address = await page.evaluate(() => (document.activeElement as HTMLAnchorElement).href);
        expect(await page.evaluate(async (from) => (await fetch(from)).status, address)).toBe(200);
      },
      "reads its clicks, by a value and without": async () => {
        await vi.waitFor(async () => {
          const { data } = await stack.hopline.listLinks({ slug, domain: stack.demo.host });
          expect(data[0]?.clicks.human).toBe(1);
        }, POLL);
        await goTo("Analytics");
        await page.waitForSelector(".bars");
        await tabTo(`/${slug}`);
        await press("Enter");
        await urlHas(page, "link=lnk_");
        await tabTo("Remove the filter");
        await press("Enter");
        await page.waitForFunction(() => !location.href.includes("link=lnk_"));
      },
      "invites two colleagues": async () => {
        await goTo("Workspace");
        await tabTo("Invite colleagues");
        await press("Enter");
        await page.waitForSelector(".dialog input:focus");
        await type(`one-${slug}@example.com two-${slug}@example.com`);
        await press("Enter");
        await expectToSee(page, "2 emails are on the way");
      },
      "adds a domain and copies its record": async () => {
        await goTo("Domains");
        await tabTo("Add domain");
        await press("Enter");
        await page.waitForSelector(".dialog input:focus");
        await type(`https://${slug}.example.com/`);
        await press("Enter");
        await expectToSee(page, "Not verified");
        await tabTo("Copy the value hopline=");
        await press("Enter");
      },
      "makes an API key that may edit": async () => {
        await goTo("API keys");
        await tabTo("New key");
        await press("Enter");
        await page.waitForSelector(".dialog input:focus");
        await type(slug);
        await tabTo("Edit links");
        await press("Space");
        await pressWithControl("Enter");
        await expectToSee(page, "This is the only time");
        await tabTo("Copy");
        await press("Enter");
        await press("Escape");
        await page.waitForFunction(() => document.querySelector(".dialog") === null);
      },
      "imports a file and sees its links": async () => {
        await goTo("Import");
        await tabTo("Choose a file");
        const [chooser] = await Promise.all([page.waitForFileChooser(), press("Enter")]);
        await chooser.accept([file]);
        await expectToSee(page, "Its first line looks like Hopline");
        await tabTo("Check the file");
        await press("Enter");
        await expectToSee(page, "Nothing has been imported yet.");
        await tabTo("Import 1 link");
        await press("Enter");
        await expectToSee(page, "They redirect now");
        await tabTo("Show the imported links");
        await press("Enter");
        await page.waitForSelector(`[aria-label="Select imported-${slug}"]`);
      },
    };
    const report: string[] = [];
    for (const [name, act] of Object.entries(things)) {
      const startedAtMs = performance.now();
      keys = 0;
      await act();
      const took = performance.now() - startedAtMs;
      report.push(`${name}: ${keys} keys besides text, ${(took / 1_000).toFixed(1)} s`);
      expect(took, name).toBeLessThan(A_MINUTE_MS);
    }
    console.info(report.join("\n"));
    await rm(file);
    // What comes after looks for others at the top of the list.
    const { data } = await stack.hopline.listLinks({ search: slug });
    await stack.hopline.deleteLinks({ body: { items: data.map(({ id }) => ({ id })) } });
    await page.browserContext().close();
  });
}

/** Runs in the page: what a screen reader calls the element that has the focus. */
function nameOfFocused(): string {
  const element = document.activeElement;
  const label = element instanceof HTMLInputElement ? element.labels?.[0]?.textContent : undefined;
  return (element?.getAttribute("aria-label") ?? label ?? element?.textContent ?? "").trim();
}
