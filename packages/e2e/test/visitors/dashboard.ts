/** The dashboard in a real Chromium, against the whole stack: from the set-up link to a click in the chart. */
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { createSetUpLink } from "@hopline/ops/operate/set-up-link";
import {
  type BrowserPage,
  expectToFit,
  expectToSee,
  fill,
  focusOn,
  HAS_BROWSER,
  holdRequest,
  launchBrowser,
  openPage,
  pointAt,
  press,
  pressAt,
  type SentRequest,
  setTheme,
  settle,
} from "@hopline/testkit/browser/drive-browser";
import { inWorkspace } from "@hopline/testkit/workspace/workspace";
import axe from "axe-core";
import { afterAll, afterEach, beforeAll, describe, expect, it, onTestFinished, vi } from "vitest";
import { IS_FULL } from "../../../core/test/runs.ts";
import { byKeysAlone } from "./dashboard/by-keys-alone.ts";
import { editingALink } from "./dashboard/editing-a-link.ts";
import { firstHour } from "./dashboard/first-hour.ts";
import { managingLinks } from "./dashboard/managing-links.ts";
import { expectHeading, openByMenu, urlHas } from "./dashboard/open-in-app.ts";
import { refuseEveryField } from "./dashboard/refused-form.ts";
import { runningAWorkspace } from "./dashboard/running-a-workspace.ts";
import { twoWorkspaces } from "./dashboard/two-workspaces.ts";
import { appOrigin, linkInEmailTo, POLL, provider, stack, visit } from "./visitor-stack.ts";

const FIREFOX = "Mozilla/5.0 (X11; Linux x86_64; rv:145.0) Gecko/20100101 Firefox/145.0";
const PERSON = { email: "ada@example.com", name: "Ada Lovelace", password: "correct horse battery" };

describe.skipIf(!HAS_BROWSER)("the dashboard", () => {
  let browser: Awaited<ReturnType<typeof launchBrowser>>;
  let ada: BrowserPage;
  let grace: BrowserPage;
  let linkId = "";
  let webhookId = "";

  beforeAll(async () => {
    browser = await launchBrowser();
    ada = await openPage(browser, appOrigin);
  });
  afterAll(() => browser.close());
  afterEach(async ({ task }) => {
    if (task.result?.state === "fail") {
      await ada.page.screenshot({
        path: inWorkspace(`dist/failed-${task.name.slice(0, 40).replaceAll(/\W/g, "-")}.png`),
      });
      // What it left open is not the next test's.
      await ada.page.goto(appOrigin);
    }
  });

  const linkPage = () => `${appOrigin}/links/${linkId}`;
  const complaintsOf = ({ complaints }: BrowserPage) => complaints.splice(0);

  it("asks whoever has not signed in, and loads nothing from elsewhere", async () => {
    const { page } = ada;
    await page.goto(`${appOrigin}/analytics?period=today`);
    await expectToSee(page, "Forgot password? Email me a sign-in link");
    expect(await findViolations(page)).toEqual([]);
    expect(new URL(page.url()).searchParams.get("next")).toBe("/analytics?period=today");
    await fill(page, "Email", PERSON.email);
    await fill(page, "Password", PERSON.password);
    expect(await refuseEveryField(page, "signIn", { button: "Sign in", url: "*/api/auth/sign-in" })).toEqual({
      email: "Email",
      password: "Password",
    });
    expect(complaintsOf(ada)).toEqual([]);
  });

  it("makes the first account with the set-up link, which works once", async () => {
    const { page } = ada;
    const link = (await createSetUpLink(stack.databaseUrl, appOrigin)) ?? "";
    await page.goto(link);
    await fill(page, "Email", PERSON.email);
    await fill(page, "Your name", PERSON.name);
    await fill(page, "New password", PERSON.password);
    const inFields = await refuseEveryField(page, "setUp", { button: "Create account", url: "*/set-up" });
    expect(inFields).toEqual({ email: "Email", name: "Your name", password: "New password" });
    await press(page, "Create account");
    await expectToSee(page, "New link");
    const other = await openPage(browser, appOrigin);
    await other.page.goto(link);
    await fill(other.page, "Email", "eve@example.com");
    await fill(other.page, "Your name", "Eve");
    await fill(other.page, "New password", PERSON.password);
    await press(other.page, "Create account");
    await expectToSee(other.page, "This deployment has an owner already");
    await other.page.browserContext().close();
  });

  it("makes a link, which redirects", async () => {
    const { page } = ada;
    await press(page, "New link");
    await fill(page, "Destination", "example.com/harbour");
    await fill(page, "Slug", "harbour");
    await fill(page, "Title", "Harbour festival");
    const inFields = await refuseEveryField(page, "createLink", {
      button: "Create link",
      url: "*/api/v1/links",
    });
    // The sections with something wrong are open.
    expect(inFields).toMatchObject({
      url: "Destination",
      slug: "Slug",
      title: "Title",
      tags: "Tags",
      folder: "Folder",
      startsAt: "Starts",
      redirectStatus: "Redirect",
    });
    await press(page, "Create link");
    await expectToSee(page, "Your link is live");
    expect((await visit("harbour")).headers.get("location")).toBe("https://example.com/harbour");
    await press(page, "Open the link’s page");
    await page.waitForFunction(() => location.pathname.includes("/links/lnk_"));
    linkId = new URL(page.url()).pathname.split("/").at(-1) ?? "";
  });

  it("adds a rule, says how far it has come, and explains what a visitor gets", async () => {
    const { page } = ada;
    await press(page, "Rule");
    await fill(page, "Name of rule 1", "phones");
    await press(page, "Condition");
    await press(page, "OS", "menuitem");
    await fill(page, '.condition ::-p-named([name="OS"])', "iOS");
    await page.keyboard.press("Enter");
    await fill(page, '.rule ::-p-named([name="Destination"])', "example.com/app");
    await press(page, "Save");
    await expectToSee(page, "expected everywhere by");
    await page.select("aside form select", "Windows");
    await press(page, "Test this visitor");
    await expectToSee(page, "OS is Windows, but must be iOS.");
    await page.select("aside form select", "iOS");
    await press(page, "Test this visitor");
    await expectToSee(page, "Rule phones matches.");
    expect(await stack.hopline.readLink({ linkId })).toMatchObject({
      version: 2,
      rules: [
        { id: "rule-1", name: "phones", when: { os: ["iOS"] }, to: { url: "https://example.com/app" } },
      ],
    });
  });

  it("switches a rule off, which stays, and on again", async () => {
    const { page } = ada;
    const readRules = async () => (await stack.hopline.readLink({ linkId })).rules;
    const switchAndSave = async () => {
      await press(page, "On", "switch");
      await expectToSee(page, "without your changes");
      await press(page, "Save");
      await page.waitForFunction(() => !document.body.innerText.includes("without your changes"));
      return await readRules();
    };
    const [rule] = await readRules();
    expect(await switchAndSave()).toEqual([{ ...rule, enabled: false }]);
    await press(page, "Test this visitor");
    await expectToSee(page, "Switched off, so skipped: phones.");
    expect(await switchAndSave()).toEqual([rule]);
  });

  it("undoes what was saved, and sends that once", async () => {
    const { page } = ada;
    const sent: string[] = [];
    const note = (request: SentRequest) => void sent.push(request.method());
    page.on("request", note);
    onTestFinished(() => void page.off("request", note));
    await press(page, "Undo");
    await expectToSee(page, "Undone.");
    expect(sent.filter((method) => method === "PATCH")).toHaveLength(1);
    expect((await stack.hopline.readLink({ linkId })).rules).toMatchObject([{ enabled: false }]);
  });

  it("overwrites nothing that somebody else has changed meanwhile, and shows both", async () => {
    const { page } = ada;
    await fill(page, "Title", "Harbour days");
    await stack.hopline.updateLink({ linkId, body: { title: "Harbour night", tags: ["event"] } });
    await press(page, "Save");
    await expectToSee(page, "Someone else has changed this link");
    await expectToSee(page, "Harbour night");
    await press(page, "Overwrite with mine");
    // "Saved." may still be there of the change before.
    await expect
      .poll(() => stack.hopline.readLink({ linkId }), POLL)
      .toMatchObject({
        title: "Harbour days",
        tags: ["event"],
      });
    // The answer is on its way to the page still, and the dialog has the focus until it has come.
    await page.waitForFunction(() => document.querySelector(".dialog") === null);
  });

  it("draws the QR code as it is designed, at an address that everybody may load, and keeps the design with the link", async () => {
    const { page } = ada;
    await page.waitForSelector("img.qr");
    await page.$eval('input[type="range"][aria-label="Margin"]', (input) => input.focus());
    for (let step = 0; step < 4; step += 1) {
      await page.keyboard.press("ArrowLeft");
    }
    await expectToSee(page, "Keep a margin of at least 4 modules");
    await press(page, "Transparent background");
    await press(page, "PNG");
    const shown = await page.waitForFunction(() => {
      const image = document.querySelector<HTMLImageElement>("img.qr");
      return image?.complete === true && /format=png.*&background=transparent&margin=0/.test(image.src)
        ? image.src
        : false;
    });
    const address = new URL(String(await shown.jsonValue()));
    address.searchParams.delete("workspace");
    expect(address.search).toBe("?format=png&background=transparent&margin=0");
    await press(page, "Save");
    const kept = { background: "transparent", margin: 0 };
    await vi.waitFor(async () => {
      expect((await stack.hopline.readLink({ linkId })).qr).toEqual(kept);
    }, POLL);
    // A preset, and one of the workspace's own.
    await press(page, "Preset", "combobox");
    await page.keyboard.type("Poster");
    await page.locator("[role=option] ::-p-text(Save this design as)").wait();
    await page.keyboard.press("Enter");
    await expectToSee(page, "Presets of the workspace saved.");
    await page.locator("::-p-named(Delete the preset Poster)").wait();
    await press(page, "Preset", "combobox");
    await page.keyboard.type("Soft");
    await page.waitForSelector("[role=option][data-highlighted]");
    await page.keyboard.press("Enter");
    await page.waitForSelector('img.qr[src*="dots=round&eyes=round"]');
    await page.browserContext().overridePermissions(appOrigin, ["clipboard-sanitized-write"]);
    await press(page, "Copy picture");
    await expectToSee(page, "Copied the QR code");
    await press(page, "Discard");
    const anonymous = await fetch(
      new URL(`/api/qr/${encodeURIComponent(stack.demo.host)}/harbour${address.search}`, address),
    );
    expect([anonymous.status, anonymous.headers.get("content-type")]).toEqual([200, "image/png"]);
  });

  it("puts a picture into the codes of a domain, and leaves it out where it is not wanted", async () => {
    const { page } = ada;
    await page.goto(`${appOrigin}/domains`);
    const input = await page.waitForSelector(`input[aria-label="Logo of ${stack.demo.host}"]`);
    // A large one: the page makes it small enough for the API.
    await input?.uploadFile(inWorkspace("docs/images/link-light.png"));
    await expectToSee(page, "have this logo now");
    await page.goto(linkPage());
    await page.waitForFunction(() => {
      const image = document.querySelector<HTMLImageElement>("img.qr");
      return image?.complete === true && image.naturalWidth > 0;
    });
    const code = new URL(`/api/qr/${encodeURIComponent(stack.demo.host)}/harbour?format=png`, appOrigin);
    const [withLogo, without] = await Promise.all(
      [code, new URL(`${code.href}&logo=false`)].map(async (url) => (await fetch(url)).bytes()),
    );
    expect((withLogo?.length ?? 0) > 2 * (without?.length ?? 0)).toBe(true);
    await press(page, `Logo of ${stack.demo.host}`, "switch");
    await page.waitForSelector('img.qr[src*="logo=false"]');
    await press(page, "Discard");
    expect(complaintsOf(ada)).toEqual([]);
  });

  it("starts the events with the last hundred, shows a click as it comes, and then in the chart", async () => {
    const { page } = ada;
    const { data: known } = await stack.hopline.listClicks({
      link: [linkId],
      period: "last7Days",
      limit: 100,
    });
    await page.goto(`${appOrigin}/events?link=${linkId}&period=last7Days`);
    await expectToSee(page, "Live. A click shows up");
    await page.waitForFunction(
      (count) => document.querySelectorAll("table.live tbody tr").length === count,
      {},
      known.length,
    );
    await visit("harbour", { headers: { "user-agent": FIREFOX } });
    await page.locator("table.live tbody tr:first-child ::-p-text(Firefox)").wait();
    const csv = await page.$eval("a[download]", async ({ href }) => (await fetch(href)).text());
    expect(csv.split("\n")[1]).toContain("Firefox");
    // With the filters that they have here.
    await pressAt(page, ".page-head a ::-p-text(Analytics)");
    await urlHas(page, `/analytics?link=${linkId}`);
    await page.waitForFunction(() => Number(document.querySelector(".figure strong")?.textContent) >= 1);
  });

  it("shows it on the map, by hour and over time, finds its browser as somebody types, and has it in a file", async () => {
    const { page } = ada;
    await press(page, "Map");
    await page.waitForSelector('.map [role="button"][aria-label*="Germany"]');
    await press(page, "Hours");
    await page.waitForSelector("table.heat");
    await press(page, "Over time");
    await page.waitForSelector('select[aria-label="Dimension"]');
    await page.select('select[aria-label="Dimension"]', "country");
    await page.locator(".legend ::-p-text(Germany)").wait();
    // The address has all that is shown.
    await urlHas(page, "view=lines");
    await press(page, "Search by Browser");
    await fill(page, '::-p-named([name="Browser"][role="textbox"])', "fire");
    await pressAt(page, ".popup ::-p-text(Firefox)");
    await page.waitForFunction(() => new URLSearchParams(location.search).get("browser") === "Firefox");
    await page.locator(".chip.active ::-p-text(Browser: Firefox)").wait();
    await page.evaluate(() => {
      const make = URL.createObjectURL.bind(URL);
      URL.createObjectURL = (file) => {
        void (file as Blob).text().then((text) => (document.body.dataset["saved"] = text));
        return make(file);
      };
    });
    await page.waitForSelector(".page-head button:not([disabled]) ::-p-text(CSV)");
    await press(page, "CSV");
    const saved = await page.waitForFunction(() => document.body.dataset["saved"]);
    expect(String(await saved.jsonValue()).split("\r\n")).toEqual(
      expect.arrayContaining([
        "List,Value,Clicks",
        "Browser,Firefox,1",
        "Country,Germany,1",
        // By its address, and not by its id.
        `Link,${stack.demo.host}/harbour,1`,
      ]),
    );
    // Back undoes the filter, and stays on the page.
    await page.goBack();
    await page.waitForFunction(
      () => location.pathname.endsWith("/analytics") && !new URLSearchParams(location.search).has("browser"),
    );
  });

  it("asks the API one question for the first screen of analytics", async () => {
    const { page } = ada;
    // The page before this one may still be about to ask.
    await page.goto("about:blank");
    const asked: string[] = [];
    const note = (request: SentRequest) => {
      const { pathname } = new URL(request.url());
      if (pathname.startsWith("/api/v1/analytics/")) {
        asked.push(pathname);
      }
    };
    page.on("request", note);
    onTestFinished(() => void page.off("request", note));
    await page.goto(`${appOrigin}/analytics`);
    await page.waitForSelector(".figure strong");
    await page.waitForSelector(".bars");
    // The map below asks for all countries, which the first screen does not wait for.
    expect(asked.filter((path) => !path.endsWith("/breakdown"))).toEqual(["/api/v1/analytics/overview"]);
  });

  it("finds links as somebody types, chooses by keyboard, and changes many at once", async () => {
    const { page } = ada;
    await openByMenu(page, "Links");
    await page.keyboard.press("/");
    await page.keyboard.type("harbour");
    await page.waitForFunction(() => new URLSearchParams(location.search).get("q") === "harbour");
    await page.waitForFunction(() => document.querySelectorAll(".table-body .link-row").length === 1);
    await page.focus("[role=grid]");
    await page.keyboard.press("Space");
    await expectToSee(page, "1 selected");
    await press(page, "Tag");
    await fill(page, '.dialog ::-p-named([name="Tags"])', "harbour-2026");
    await press(page, "Add");
    await expectToSee(page, "1 link tagged harbour-2026.");
    expect((await stack.hopline.readLink({ linkId })).tags).toContain("harbour-2026");
  });

  it("keeps the row that the keys are at in sight, between the table's head and its end", async () => {
    const { page } = ada;
    await openByMenu(page, "Links");
    await page.waitForFunction(() => document.querySelectorAll(".table-body .link-row").length > 1);
    await page.setViewport({ width: 1280, height: 560 });
    await page.focus("[role=grid]");
    const isInSight = () => {
      const [table, head, row] = ["[role=grid]", ".link-row.head", ".link-row.active"].map((part) =>
        document.querySelector(part)?.getBoundingClientRect(),
      );
      // A border is a pixel.
      return (
        row !== undefined && row.top >= (head?.bottom ?? 0) - 1 && row.bottom <= (table?.bottom ?? 0) + 1
      );
    };
    for (const key of ["End", "ArrowUp", "Home", "PageDown"] as const) {
      await page.keyboard.press(key);
      await vi.waitFor(async () => expect(await page.evaluate(isInSight), key).toBe(true), POLL);
    }
    await page.setViewport({ width: 1280, height: 820 });
  });

  it("makes a key by keyboard alone: it is shown once, in no message, and the focus comes back", async () => {
    const { page } = ada;
    await openByMenu(page, "API keys");
    await focusOn(page, "::-p-named(New key)");
    await page.keyboard.press("Enter");
    await page.waitForSelector("[role=dialog] input:focus");
    await page.keyboard.type("Till");
    await page.keyboard.press("Enter");
    const shown = await page.waitForSelector(".secret");
    const secret = await shown?.evaluate(({ textContent }) => textContent);
    await page.waitForFunction(() => document.activeElement?.textContent?.trim() === "Copy");
    await page.keyboard.press("Enter");
    const message = await page.waitForSelector(".toast");
    expect(await message?.evaluate(({ textContent }) => textContent)).not.toContain(secret);
    await page.keyboard.press("Escape");
    await page.waitForFunction(() => document.activeElement?.textContent?.trim() === "New key");
  });

  it("shows what a link was, who made it so, and puts a version back", async () => {
    const { page } = ada;
    const { title, version } = await stack.hopline.readLink({ linkId });
    await stack.hopline.updateLink({ linkId, body: { title: "Harbour dinner" } });
    await page.goto(linkPage());
    await expectToSee(page, `Version ${version + 1}`);
    await expectToSee(page, "Key Demo");
    await pressAt(page, `.version ::-p-text(Version ${version})`);
    await expectToSee(page, "Compared with now");
    expect(await page.$$eval(".differences", (all) => all.at(-1)?.textContent)).toContain(
      `TitleHarbour dinner${title}`,
    );
    await press(page, "Restore this version");
    await expectToSee(page, `Version ${version} restored.`);
    await expectToSee(page, `Version ${version + 2}`);
    expect(await stack.hopline.readLink({ linkId })).toMatchObject({ title, version: version + 2 });
    await press(page, "Undo");
    await expectToSee(page, "Undone.");
    expect((await stack.hopline.readLink({ linkId })).title).toBe("Harbour dinner");
  });

  it("finds in the audit log who changed what, and what it was before", async () => {
    const { page } = ada;
    await openByMenu(page, "Audit log");
    await page.select("select[aria-label='What was changed']", "link.updated");
    await page.waitForFunction(() => new URLSearchParams(location.search).get("what") === "link.updated");
    await page.waitForFunction(() => {
      const rows = [...document.querySelectorAll("tbody tr")].map(({ textContent }) => textContent);
      return rows.length > 0 && rows.every((row) => row.includes("changed the link"));
    });
    await pressAt(page, "tbody .button");
    await expectToSee(page, "request id");
    await page.locator(".differences ::-p-text(Harbour dinner)").wait();
    await press(page, "Show history");
    await page.waitForSelector(".audit-filters .chip.active");
    await settle(page);
    const file = await page.$eval("a[download]", (link) => (link as HTMLAnchorElement).pathname);
    const rows = await page.evaluate(async () => {
      const link = document.querySelector<HTMLAnchorElement>("a[download]");
      return (await (await fetch(link?.href ?? "")).text()).trim().split("\r\n").length;
    });
    expect([file, rows]).toEqual(["/api/v1/audit-log.csv", 1 + (await page.$$("tbody tr")).length]);
  });

  it("makes a webhook, tests it, and sends again what failed", async () => {
    const { page } = ada;
    const statuses = [418, 500];
    const receiver = createServer((request, response) => {
      request.resume().on("end", () => response.writeHead(statuses.shift() ?? 200).end("short and stout"));
    }).listen(0, "127.0.0.1");
    const logged = (state: string) =>
      vi.waitFor(async () => {
        const { data } = await stack.hopline.listWebhookDeliveries({ webhookId });
        expect(data[0]).toMatchObject({ type: "link.updated", state, attempts: 1 });
      }, POLL);
    await once(receiver, "listening");
    const { port } = receiver.address() as AddressInfo;
    await openByMenu(page, "Webhooks");
    await press(page, "New webhook");
    await fill(page, "URL", `http://127.0.0.1:${port}/`);
    await fill(page, "Description", "Harbour office");
    await press(page, "None");
    const inFields = await refuseEveryField(page, "createWebhook", {
      button: "Create webhook",
      url: "*/api/v1/webhooks",
    });
    expect(inFields).toMatchObject({ url: "URL", description: "Description" });
    await press(page, "Create webhook");
    await expectToSee(page, "This is the only time that the secret is shown.");
    await press(page, "Done");
    await press(page, "Send a test");
    await press(page, "Send");
    await expectToSee(page, "418, not accepted");
    await expectToSee(page, "short and stout");
    await press(page, "Close");
    webhookId = new URL(page.url()).pathname.split("/").at(-1) ?? "";
    // As if it had been tried for a day: the first failure is the last.
    const setTriedFor = (hours: number) =>
      stack.database.query(
        `ALTER TABLE webhook_deliveries ALTER give_up_at SET DEFAULT now() + interval '${hours} hours'`,
      );
    await setTriedFor(0);
    await stack.hopline.updateLink({ linkId, body: { title: "Harbour week" } });
    await logged("given-up");
    await setTriedFor(24);
    await page.reload();
    await expectToSee(page, "500, not accepted");
    await press(page, "Retry all failed");
    await logged("delivered");
    await page.locator("td ::-p-text(Delivered)").wait();
    const [row] = await page.$$eval("tbody tr", (rows) => rows.map(({ innerText }) => innerText));
    expect(row).toMatch(/Link edited\s+Delivered\s+1\s+200/);
    await press(page, "Edit");
    await pressAt(page, "label ::-p-text(Link edited)");
    await press(page, "Save");
    await expectToSee(page, "Webhook saved.");
    expect((await stack.hopline.readWebhook({ webhookId })).events).toEqual(["link.created"]);
    await press(page, "Replace the secret");
    await press(page, "Create a new secret");
    await press(page, "Done");
    await expectToSee(page, "messages are also signed with the old secret");
    await press(page, "Switch off");
    await press(page, "Switch it off");
    await press(page, "Switch on again");
    await expectToSee(page, "The webhook is on.");
    receiver.close();
  });

  it("says plainly how many clicks are missing, and never that all are there before a day is over", async () => {
    const { page } = ada;
    await openByMenu(page, "Integrity");
    await expectToSee(page, "No click is missing so far.");
    await expectToSee(page, "still arriving");
    await stack.database.query(
      `INSERT INTO segment_ledger (isolate_id, first_sequence, click_count, inserted, queue_delay_ms, first_clicked_at,
         last_clicked_at, first_settled_at)
       SELECT '00c0ffee0000abcd', 8, 2, 2, 0, at, at, at FROM (SELECT now() - interval '2 days' AS at) AS earlier`,
    );
    await page.reload();
    await expectToSee(page, "7 clicks are missing.");
    await expectToSee(page, "What to do");
    await stack.database.query("DELETE FROM segment_ledger WHERE isolate_id = '00c0ffee0000abcd'");
  });

  it("shows the integrity of the deployment to operators alone", async () => {
    const { page } = ada;
    await stack.database.query("UPDATE people SET is_operator = false");
    await page.goto(`${appOrigin}/integrity`);
    await expectToSee(page, "Only operators see this");
    expect(await page.$$("nav ::-p-text(Integrity)")).toEqual([]);
    await stack.database.query("UPDATE people SET is_operator = true");
  });

  it("operators set the limits of a workspace, look up a link with a reason, and suspend its domain, then all of it, until they resume it", async () => {
    const { page } = ada;
    await page.goto(`${appOrigin}/operators`);
    await expectToSee(page, PERSON.email);
    await press(page, "Use and limits of Demo");
    await fill(page, ".dialog ::-p-named(Links)", "1000000");
    await press(page, "Save limits");
    await expectToSee(page, "Limits of Demo saved.");
    const lookUp = async () => {
      await fill(page, "Short address, or a host", `${stack.demo.host}/harbour`);
      await fill(page, "Reason", "reported as phishing");
      await press(page, "Look up", "button");
      await expectToSee(page, "The workspace is Demo.");
    };
    await lookUp();
    await press(page, `Suspend ${stack.demo.host}`);
    await fill(page, ".dialog ::-p-named(Reason)", "phishing");
    await press(page, "Suspend the domain");
    await expectToSee(page, `${stack.demo.host} is suspended.`);
    await vi.waitFor(async () => expect((await visit("harbour")).status).toBe(403), POLL);
    await lookUp();
    await press(page, `Resume ${stack.demo.host}`);
    await press(page, "Resume the domain");
    await vi.waitFor(async () => expect((await visit("harbour")).status).toBe(302), POLL);
    await press(page, "Suspend Demo");
    await fill(page, ".dialog ::-p-aria(Reason)", "phishing everywhere");
    await press(page, "Suspend the workspace");
    await expectToSee(page, "phishing everywhere");
    await vi.waitFor(async () => expect((await visit("harbour")).status).toBe(403), POLL);
    // What a visitor sees says nothing of whose it is, or why.
    const visitor = await openPage(browser, appOrigin);
    await visitor.page.goto(`${stack.url}/harbour`);
    await expectToSee(visitor.page, "suspended");
    expect(await visitor.page.content()).not.toMatch(/phishing|Demo/);
    await visitor.page.browserContext().close();
    await press(page, "Resume Demo");
    await press(page, "Resume the workspace");
    await vi.waitFor(async () => expect((await visit("harbour")).status).toBe(302), POLL);
    const { data } = await stack.hopline.listAuditLog({ action: ["link.looked_up", "workspace.limits_set"] });
    expect(data.map(({ action }) => action)).toEqual([
      "link.looked_up",
      "link.looked_up",
      "workspace.limits_set",
    ]);
  });

  it("opens a menu whose code comes while its button is being pressed", async () => {
    const { page } = ada;
    // The page before this one may still be about to ask for its own.
    await page.goto("about:blank");
    await using overlays = await holdRequest(page, "*/overlays-*.js");
    await page.goto(`${appOrigin}/links`);
    await pointAt(page, "Tags", "button");
    await page.mouse.down();
    await (await overlays.asked).pass();
    await page.waitForSelector(".toasts");
    await page.mouse.up();
    await expectToSee(page, "Manage tags");
  });

  it("colours, renames, merges and deletes tags", async () => {
    const { page } = ada;
    await stack.hopline.updateLink({ linkId, body: { tags: ["harbour-2026", "event"] } });
    await page.goto(`${appOrigin}/links?tag=harbour-2026`);
    await press(page, "Tags", "button");
    await press(page, "Manage tags");
    await page.locator("::-p-named(Colour of event)").wait();
    await page.$$eval(".tag-color input", (inputs) => {
      const input = inputs.at(0);
      if (input instanceof HTMLInputElement) {
        input.value = "#b8336a";
        input.dispatchEvent(new Event("change", { bubbles: true }));
      }
    });
    await page.locator("::-p-named(No colour for event)").wait();
    await press(page, "Rename harbour-2026");
    await fill(page, "Name of harbour-2026", "event");
    await page.keyboard.press("Enter");
    await press(page, "Merge into event");
    await expectToSee(page, "harbour-2026 is event now, on 1 link.");
    // The filter follows its tag.
    await page.waitForFunction(() => new URLSearchParams(location.search).get("tag") === "event");
    expect(await stack.hopline.readTag({ tag: "event" })).toMatchObject({
      name: "event",
      color: "#b8336a",
      links: 1,
    });
    await page.waitForSelector(".table-body .tag-dot");
    await press(page, "Delete event");
    await press(page, "Delete the tag");
    await page.waitForFunction(() => !new URLSearchParams(location.search).has("tag"));
    expect((await stack.hopline.readLink({ linkId })).tags).toEqual([]);
    await page.keyboard.press("Escape");
  });

  it("lets a viewer look and change nothing", async () => {
    const { page } = ada;
    const setRole = (role: string) => stack.database.query("UPDATE members SET role = $1", [role]);
    await setRole("viewer");
    await page.goto(`${appOrigin}/links`);
    await page.waitForSelector(".table-body .link-row");
    expect(await page.$$("::-p-text(New link)")).toEqual([]);
    await press(page, "harbour", "link");
    await expectToSee(page, "You can view this link.");
    expect(await page.$eval("fieldset", ({ disabled }) => disabled)).toBe(true);
    // By its address: who manages keys is said, and there is no button for what is refused.
    await page.goto(`${appOrigin}/keys`);
    await expectToSee(page, "Only admins can manage API keys");
    expect(await page.$$("::-p-text(New key)")).toEqual([]);
    await setRole("owner");
  });

  it("shows where things will be while the API is slow", async () => {
    const { page } = ada;
    await page.goto("about:blank");
    await using list = await holdRequest(page, "*/api/v1/links?*");
    await page.goto(`${appOrigin}/links`, { waitUntil: "domcontentloaded" });
    const held = await list.asked;
    await page.waitForSelector("[role=grid][aria-busy=true] .skeleton");
    await held.pass();
    await expectToSee(page, "harbour");
  });

  it("says that it is offline, stays, and loads what it lacks when it is not any more", async () => {
    const { page } = ada;
    await page.setCacheEnabled(false);
    await page.goto(`${appOrigin}/links`);
    await expectHeading(page, "Links");
    await page.setOfflineMode(true);
    await expectToSee(page, "You are offline.");
    await press(page, "Trash");
    await page.waitForFunction(() => location.pathname.endsWith("/trash"));
    await expectToSee(page, "You are offline.");
    await page.setOfflineMode(false);
    await expectHeading(page, "Trash");
    await page.waitForFunction(() => document.querySelector(".offline") === null);
    await page.setCacheEnabled(true);
  });

  it.each([
    "Links",
    "Analytics",
    "Events",
    "Domains",
    "Import",
    "Trash",
    "API keys",
    "Audit log",
    "Workspace",
    "Integrity",
    "Operators",
    "Account",
    "Webhooks",
    "a webhook",
    "a link",
  ])(
    "has nothing on the page %s that axe finds serious, nor that scrolls sideways at 200 % or on a phone",
    async (name) => {
      const { page } = ada;
      if (name === "Account") {
        await press(page, "Ada Lovelace owner");
        await press(page, "Account and sessions", "menuitem");
        await expectHeading(page, "Account");
      } else if (name === "a webhook") {
        await press(page, "Harbour office", "link");
        await expectHeading(page, "Harbour office");
      } else if (name === "a link") {
        await openByMenu(page, "Links");
        await press(page, "harbour", "link");
        await expectHeading(page, "Harbour week");
        await page.waitForSelector("img.qr");
      } else {
        await openByMenu(page, name);
      }
      for (const theme of IS_FULL ? ["light", "dark"] : ["light"]) {
        await setTheme(page, theme);
        for (const width of IS_FULL ? [360, 390, 1280, 1920] : [390, 1280]) {
          await page.setViewport({ width, height: 820 });
          await settle(page);
          expect(await findViolations(page), `${theme}, ${width} pixels wide`).toEqual([]);
          expect(await page.evaluate(findCovered), `covered at ${width}`).toEqual([]);
        }
      }
      await setTheme(page, "light");
      await expectToFit(page);
    },
  );

  editingALink(() => ada.page);
  firstHour(() => ada.page);
  managingLinks(() => ada.page);
  runningAWorkspace(() => ada.page);
  if (IS_FULL) {
    byKeysAlone(async () => (await openPage(browser, appOrigin)).page, PERSON);
  }

  it("opens an invitation from its email, and lets that person in", async () => {
    const { page } = ada;
    grace = await openPage(browser, appOrigin);
    const { data } = await askApi(page, "GET /api/v1/workspaces");
    const [workspace] = data as readonly { readonly id: string }[];
    const invitation = { email: "grace@example.com", role: "editor" };
    await askApi(page, `POST /api/v1/workspaces/${workspace?.id}/invitations`, invitation);
    const link = await linkInEmailTo("grace@example.com", "/invitation");
    // Loading the page, as a mail scanner does, uses nothing up.
    await grace.page.goto(link);
    await grace.page.goto(link);
    await settle(grace.page);
    expect(await findViolations(grace.page)).toEqual([]);
    // By whom, where to and as what, before anything is typed.
    await expectToSee(grace.page, "Ada Lovelace invites you to the workspace Demo as editor.");
    await fill(grace.page, "Your name", "Grace Hopper");
    await fill(grace.page, "New password", "a password to forget");
    const inFields = await refuseEveryField(grace.page, "acceptInvitation", {
      button: "Accept invitation",
      url: "*/api/auth/invitation",
    });
    expect(inFields).toEqual({ name: "Your name", password: "New password" });
    await press(grace.page, "Accept invitation");
    await expectToSee(grace.page, "New link");
  });

  twoWorkspaces(() => ({ page: grace.page, linkId }));

  it("opens what emails link to: a forgotten password, another address", async () => {
    await askApi(grace.page, "POST /api/auth/sign-out");
    await grace.page.goto(`${appOrigin}/sign-in?failed=email_unverified`);
    await expectToSee(grace.page, "does not say that your email address is verified");
    await fill(grace.page, "Email", "grace@example.com");
    await press(grace.page, "Forgot password? Email me a sign-in link");
    await expectToSee(grace.page, "Check your email");
    await grace.page.goto(await linkInEmailTo("grace@example.com", "/sign-in/link"));
    await press(grace.page, "Sign in and set a new password");
    await fill(grace.page, "New password", PERSON.password);
    await press(grace.page, "Save password");
    await expectToSee(grace.page, "Password saved.");

    await fill(grace.page, "New email address", "hopper@example.com");
    await press(grace.page, "Send confirmation email");
    await expectToSee(grace.page, "Open the link in the email to hopper@example.com");
    await grace.page.goto(await linkInEmailTo("hopper@example.com", "/account/email"));
    await press(grace.page, "Use the new address");
    await expectToSee(grace.page, "hopper@example.com");
    expect(complaintsOf(grace)).toEqual([]);
    await grace.page.browserContext().close();
  });

  it("asks to sign in again when the session has ended, and leads back", async () => {
    const { page } = ada;
    // Here nothing is asked until somebody does something.
    await page.goto(`${appOrigin}/account`);
    await settle(page);
    await stack.database.query("DELETE FROM sessions");
    await fill(page, "Name", "Ada King");
    await press(page, "Save name");
    await expectToSee(page, "Your session has ended.");
    await fill(page, "Email", PERSON.email);
    await fill(page, "Password", PERSON.password);
    await press(page, "Sign in", "button");
    await expectToSee(page, "Sign out other sessions");
    expect(page.url()).toBe(`${appOrigin}/account`);
    // What was typed is still there.
    await page.waitForFunction(
      () => document.querySelector<HTMLInputElement>('input[autocomplete="name"]')?.value === "Ada King",
    );
  });

  it("signs in with a passkey, until it is removed", async () => {
    const { page } = ada;
    const devTools = await page.createCDPSession();
    await devTools.send("WebAuthn.enable");
    await devTools.send("WebAuthn.addVirtualAuthenticator", {
      options: {
        protocol: "ctap2",
        transport: "internal",
        hasResidentKey: true,
        hasUserVerification: true,
        isUserVerified: true,
        automaticPresenceSimulation: true,
      },
    });
    await fill(page, "Name of a new passkey", "Laptop");
    await press(page, "Add passkey");
    await expectToSee(page, "Passkey Laptop added.");
    await press(page, "Ada Lovelace owner");
    await press(page, "Sign out", "menuitem");
    await expectToSee(page, "Sign in with Acme");
    await press(page, "Sign in with a passkey");
    await expectToSee(page, "New link");
    await page.goto(`${appOrigin}/account`);
    await press(page, "Remove the passkey Laptop");
    await press(page, "Remove the passkey", "button");
    await page.waitForFunction(() => document.querySelector("[role=dialog]") === null);
    expect((await stack.database.query("SELECT FROM passkeys")).rowCount).toBe(0);
  });

  it("signs in with an identity provider, which is listed and can be unlinked", async () => {
    const { page } = ada;
    // The provider's own pages are not ours to drive.
    await using away = await holdRequest(page, `${provider.issuer}/*`);
    await press(page, "Connect Acme");
    const held = await away.asked;
    const person = { subject: "ada", email: PERSON.email, isVerified: true, name: PERSON.name };
    const callback = await provider.visit(held.url, person);
    await held.refuse();
    await page.goto(callback);
    await expectToSee(page, "Unlink Acme");
    expect(page.url()).toBe(`${appOrigin}/account`);
    await press(page, "Unlink Acme");
    await expectToSee(page, "Connect Acme");
    expect(complaintsOf(ada)).toEqual([expect.stringContaining(`asked ${provider.issuer}/`)]);
  });

  it("keeps an account that a workspace needs", async () => {
    const { page } = ada;
    await press(page, "Delete my account");
    await fill(page, "Your email address", PERSON.email);
    await page.keyboard.press("Enter");
    await expectToSee(page, "Every workspace needs an owner");
    await page.keyboard.press("Escape");
  });

  it("has complained about nothing in all that time", () => {
    expect(complaintsOf(ada)).toEqual([]);
  });
});

/** What axe finds serious on the page. */
async function findViolations(page: BrowserPage["page"]): Promise<readonly string[]> {
  if (!(await page.evaluate(() => "axe" in globalThis))) {
    await page.evaluate(axe.source);
  }
  return page.evaluate(async () => {
    const { violations } = await (globalThis as unknown as { axe: typeof axe }).axe.run({
      resultTypes: ["violations"],
      preload: false,
    });
    return violations
      .filter(({ impact }) => impact === "serious" || impact === "critical")
      .map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html.slice(0, 200)).join(" | ")}`);
  });
}

/** Runs in the page: what lies behind something that stays in place while it has the focus. */
function findCovered(): readonly string[] {
  const controls = document.querySelectorAll<HTMLElement>(
    "a[href], button, input, select, summary, [tabindex='0']",
  );
  return [...controls].flatMap((control) => {
    control.focus();
    const { x, y, width, height } = control.getBoundingClientRect();
    const isMeant = document.activeElement === control && width > 1 && height < innerHeight / 2;
    const there = document.elementFromPoint(x + width / 2, y + height - 2);
    const cover = there?.closest(".side nav, .save-bar, .offline");
    return isMeant && (there === null || (cover !== null && cover?.contains(control) === false))
      ? control.outerHTML.slice(0, 200)
      : [];
  });
}

/** From the page, with its session. `target` is a method and a path. */
async function askApi(
  page: BrowserPage["page"],
  target: string,
  body?: object,
): Promise<{ readonly [name: string]: unknown }> {
  const answer = await page.evaluate(
    async ({ method = "", path = "" }, json) => {
      const headers = { "content-type": "application/json" };
      const response = await fetch(path, json === null ? { method } : { method, headers, body: json });
      return { isOk: response.ok, text: await response.text() };
    },
    { method: target.split(" ")[0], path: target.split(" ")[1] },
    body === undefined ? null : JSON.stringify(body),
  );
  expect([target, answer.isOk, answer.text]).toEqual([target, true, answer.text]);
  return answer.text === "" ? {} : (JSON.parse(answer.text) as { readonly [name: string]: unknown });
}
