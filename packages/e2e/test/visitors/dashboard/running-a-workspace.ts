/** Folders, files, domains, keys, people and one's own display. */
import { rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createClient } from "@hopline/client/client";
import { expectToSee, fill, focusOn, press, pressAt } from "@hopline/testkit/browser/drive-browser";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { spillAndDrain, toSegment } from "../spill-clicks.ts";
import {
  appOrigin,
  countEmailsTo,
  createLink,
  dns,
  linkInEmailTo,
  POLL,
  stack,
  visit,
} from "../visitor-stack.ts";
import { chooseZone, openByMenu, openPath, type Page, urlHas } from "./open-in-app.ts";
import { refuseEveryField } from "./refused-form.ts";

const FIREFOX = "Mozilla/5.0 (X11; Linux x86_64; rv:145.0) Gecko/20100101 Firefox/145.0";

/** A form that is refused: on which page, behind which button, how it is sent, and its fields by their names in the API. */
type Refused = {
  readonly at: string;
  readonly opener?: string;
  readonly button: string;
  readonly url: string;
  readonly fields: { readonly [name: string]: string };
};

/** Within a `describe` that has signed the owner in. */
export function runningAWorkspace(signedIn: () => Page): void {
  describe("a workspace", () => {
    it("has folders: one is made and says how many links are in it, a link is moved there, and the list and its CSV show that link alone", async () => {
      const page = signedIn();
      const { id } = await createLink({ slug: "in-a-folder" });
      await openPath(page, "/links?q=in-a-folder", "Links");
      await press(page, "Folders");
      await press(page, "New folder");
      await fill(page, "Name of the folder", "Harbour");
      await press(page, "Save");
      await page.waitForSelector('::-p-named([name="Rename Harbour"])');
      await page.keyboard.press("Escape");
      await press(page, "Select in-a-folder");
      await press(page, "Move");
      await press(page, "Harbour", "menuitem");
      await expectToSee(page, "1 link moved to Harbour.");
      const folder = (await stack.hopline.listFolders()).data.find(({ name }) => name === "Harbour");
      expect((await stack.hopline.readLink({ linkId: id })).folderId).toBe(folder?.id);
      await openPath(page, "/links", "Links");
      await press(page, "Folders");
      await pressAt(page, ".popup ::-p-text(Harbour)");
      await page.waitForFunction(() => document.querySelectorAll(".table-body .link-row").length === 1);
      const file = await page.$eval("a[download]", async ({ href }) => (await fetch(href)).text());
      const [, row, ...others] = file.trim().split("\r\n");
      expect([row?.includes("in-a-folder"), others]).toEqual([true, []]);
      await press(page, "Folders");
      expect(await page.$eval(".popup [aria-pressed=true]", ({ textContent }) => textContent)).toBe(
        "Harbour1",
      );
      await pressAt(page, ".popup ::-p-text(No folder)");
      await expectToSee(page, "in no folder");
      await page.waitForFunction(
        () =>
          document.querySelectorAll(".table-body .link-row").length > 1 &&
          document.querySelector('[aria-label="Select in-a-folder"]') === null,
      );
    });

    it("has defaults of new links: the builder shows what they will fill, which can be left out, and the made link says what it got", async () => {
      const page = signedIn();
      const [workspace] = (await stack.hopline.listWorkspaces()).data;
      const workspaceId = workspace?.id ?? "";
      onTestFinished(async () => {
        await stack.hopline.updateWorkspace({ workspaceId, body: { defaults: null } });
        await page.reload();
      });
      await openByMenu(page, "Workspace");
      await fill(page, "Ends after days", "30");
      await pressAt(page, "summary ::-p-text(UTM)");
      await fill(page, "Source", "newsletter");
      await fill(page, "Medium", "{slip}");
      await press(page, "Save defaults");
      await expectToSee(page, "an unknown placeholder");
      await fill(page, "Medium", "{slug}");
      await press(page, "Save defaults");
      await expectToSee(page, "Defaults saved.");
      await openByMenu(page, "Links");
      await press(page, "New link");
      await fill(page, "Destination", "https://example.com/by-default");
      await expectToSee(page, "UTM source: newsletter (workspace default)");
      await press(page, "Leave out End: after 30 days (workspace default)");
      await fill(page, "Slug", "by-default");
      await press(page, "Create link");
      await expectToSee(page, "Filled by defaults: UTM source (workspace), UTM medium (workspace).");
      const { headers } = await visit("by-default");
      const destination = "https://example.com/by-default?utm_source=newsletter&utm_medium=by-default";
      expect(headers.get("location")).toBe(destination);
      await page.keyboard.press("Escape");
      await fill(page, "Search links", "HTTPS://EXAMPLE.com/by-default");
      await page.waitForSelector('[aria-label="Select by-default"]');
      await page.waitForFunction(() => document.querySelectorAll(".table-body .link-row").length === 1);
      const { data } = await stack.hopline.listLinks({ slug: "by-default" });
      expect(data).toMatchObject([{ expiresAt: null, utm: { source: "newsletter", medium: "by-default" } }]);
    });

    it("offers the link that leads to a new link's destination already", async () => {
      const page = signedIn();
      const { shortUrl } = await createLink({ slug: "there-already", url: "https://example.com/there" });
      await openByMenu(page, "Links");
      await press(page, "New link");
      await fill(page, "Destination", "EXAMPLE.com/there");
      await press(page, "Use this link");
      await expectToSee(page, "Your link is live");
      await expectToSee(page, shortUrl);
      await page.keyboard.press("Escape");
      expect((await stack.hopline.listLinks({ url: "https://example.com/there" })).data).toHaveLength(1);
    });

    it("imports a file after a look at its rows and at what would happen, says why a row is refused, replaces the link that has its slug when asked to, and shows the links", async () => {
      const page = signedIn();
      const file = join(tmpdir(), `hopline-import-${process.pid}.csv`);
      const { id } = await createLink({ slug: "in-the-way", title: "Stays" });
      await writeFile(
        file,
        "slug,url\nfrom-a-file,https://example.com/file\nin-the-way,https://example.com/taken\n,https://example.com/\n",
      );
      await openByMenu(page, "Import");
      const field = await page.waitForSelector("input[type=file]");
      await field?.uploadFile(file);
      await expectToSee(page, "Its first line looks like Hopline");
      const shown = await page.$eval(
        '[aria-label="First rows of the file"]',
        ({ textContent }) => textContent,
      );
      expect(shown).toBe(
        "slugurlfrom-a-filehttps://example.com/filein-the-wayhttps://example.com/takenhttps://example.com/",
      );
      await press(page, "Check the file");
      await expectToSee(page, "Nothing has been imported yet.");
      await page.waitForSelector('[aria-label="Report"]:focus');
      const refused = await page.$$eval('[aria-label="Report"] tbody tr', (rows) =>
        rows.map(({ innerText }) => innerText),
      );
      expect(refused).toEqual([
        expect.stringMatching(/^\d+\s+in-the-way\s+The slug “in-the-way” is already taken$/),
      ]);
      expect((await visit("from-a-file")).status).toBe(404);
      await page.select("::-p-named(If a slug is taken)", "replace");
      await press(page, "For rows without a slug, keep the link that already leads to the destination");
      await press(page, "Check the file");
      await press(page, "Import 1 link, replace 1 link");
      await expectToSee(page, "1 row kept an existing link, 0 refused. They redirect now");
      await page.waitForSelector('[aria-label="Report"]:focus');
      expect(await stack.hopline.readLink({ linkId: id })).toMatchObject({
        url: "https://example.com/taken",
        title: "Stays",
        version: 2,
      });
      expect(
        (await stack.hopline.listLinks({ slug: "from-a-file", domain: stack.demo.host })).data,
      ).toMatchObject([{ url: "https://example.com/file" }]);
      await press(page, "Show the imported links");
      await page.waitForSelector('[aria-label="Select from-a-file"]');
      await rm(file);
    });

    it("shows all records of a new domain with their state as DNS has them, also wrong ones, verifies it without being asked, and says how its certificate is", async () => {
      const page = signedIn();
      await openByMenu(page, "Domains");
      await press(page, "Add domain");
      await fill(page, "Host", "go.harbour.example.com");
      const url = "*/api/v1/domains";
      expect(await refuseEveryField(page, "createDomain", { button: "Add domain", url })).toEqual({
        host: "Host",
      });
      await pressAt(page, '.dialog ::-p-named([name="Add domain"][role="button"])');
      await expectToSee(page, "Not verified");
      const card = '[aria-label="go.harbour.example.com"]';
      const rows = () =>
        page.$$eval(`${card} tbody tr`, (all) =>
          all.map(({ cells }) =>
            Array.from(cells, ({ innerText }) => innerText.trim().replaceAll(/\s+/g, " ")),
          ),
        );
      await vi.waitFor(async () => {
        expect(await rows()).toEqual([
          ["TXT", "_hopline.go.harbour.example.com", expect.stringMatching(/^hopline=/), "Not there yet"],
          ["CNAME", "go.harbour.example.com", "origin.hopline.example", "Not there yet"],
        ]);
      }, POLL);
      const [[type, name = "", value = ""] = []] = await rows();
      const isCut = await page.$eval(
        `${card} .scroll-x`,
        ({ scrollWidth, clientWidth }) => scrollWidth > clientWidth,
      );
      expect(isCut).toBe(false);
      dns.aliases.set("go.harbour.example.com", "parked.example.net");
      await press(page, "Check now");
      await expectToSee(page, "There is parked.example.net");
      dns.aliases.set("go.harbour.example.com", "origin.hopline.example");
      dns.texts.set(name, value);
      // It looks by itself, when the page opens and every some seconds.
      await page.reload();
      await expectToSee(page, "go.harbour.example.com is verified.");
      await vi.waitFor(async () => {
        expect((await rows()).map((row) => row[3])).toEqual(["Found", "Found"]);
      }, POLL);
      const { data } = await stack.hopline.listDomains();
      expect([type, data.find(({ host }) => host === "go.harbour.example.com")?.status]).toEqual([
        "TXT",
        "active",
      ]);
      // As the job notes what Cloudflare answers.
      await stack.database.query(
        "UPDATE domains SET custom_hostname = $1 WHERE host = 'go.harbour.example.com'",
        [{ hostname: "pending", certificate: "pending_validation", errors: [] }],
      );
      await page.reload();
      await expectToSee(page, "Certificate: pending_validation");
      await press(page, "Delete go.harbour.example.com");
      await press(page, "Delete the domain");
      await expectToSee(page, "go.harbour.example.com deleted.");
      expect((await stack.hopline.listDomains()).data.map(({ host }) => host)).toEqual([stack.demo.host]);
    });

    it("lists what was visited and is not there, by domain, and makes a link of a line in two clicks", async () => {
      const page = signedIn();
      const [domain] = (await stack.hopline.listDomains()).data;
      await stack.database.query(
        `INSERT INTO missed_visits (domain_id, day, slug, visits)
         SELECT id, (now() AT TIME ZONE 'UTC')::date, 'printd', 3 FROM domains WHERE host = $1`,
        [domain?.host],
      );
      await openPath(page, "/domains", "Domains");
      await pressAt(page, "summary ::-p-text(Visited and not found)");
      await press(page, "Create link printd", "button");
      await fill(page, "Destination", "example.com/printed");
      expect(await page.$eval("::-p-named(Slug)", (field) => (field as { value?: string }).value)).toBe(
        "printd",
      );
      await pressAt(page, '.dialog ::-p-named([name="Create link"][role="button"])');
      await expectToSee(page, "Your link is live");
      await page.keyboard.press("Escape");
      await page.waitForSelector('::-p-named([name="printd exists now"])');
      expect((await visit("printd")).headers.get("location")).toBe("https://example.com/printed");
    });

    it("says of a link's former slugs how many people came through each and what a visitor gets there, and asks before one in use is released", async () => {
      const page = signedIn();
      const { id } = await createLink({ slug: "on-the-poster" });
      await stack.hopline.updateLink({ linkId: id, body: { slug: "poster" } });
      await vi.waitFor(
        async () => {
          await visit("on-the-poster", { headers: { "user-agent": FIREFOX } });
          const [alias] = (await stack.hopline.listAliases({ linkId: id })).data;
          expect(alias?.clicks).toBeGreaterThan(0);
        },
        { ...POLL, interval: 500 },
      );
      await openPath(page, `/links/${id}`, `${stack.demo.host}/poster`);
      await page.waitForSelector("::-p-aria(Comes through)");
      await page.select("::-p-aria(Comes through)", "on-the-poster");
      await press(page, "Test this visitor");
      await expectToSee(page, "Through the alias /on-the-poster.");
      await press(page, "Release on-the-poster");
      await expectToSee(page, "it may still be in print");
      await press(page, "Release the slug");
      await expectToSee(page, "/on-the-poster released.");
      expect((await stack.hopline.readLink({ linkId: id })).aliases).toEqual([]);
      await page.waitForFunction(() => document.querySelector('[aria-label="Addresses"]') === null);
    });

    it("makes a key that works, shows it once with a command that works, says in words what it may do and when it was used, and revokes it", async () => {
      const page = signedIn();
      await openByMenu(page, "API keys");
      await press(page, "New key");
      await fill(page, "Name", "Report");
      const url = "*/api/v1/keys";
      expect(await refuseEveryField(page, "createKey", { button: "Create key", url })).toMatchObject({
        name: "Name",
        expiresAt: "Expires after",
      });
      await expectToSee(page, "This key may read links: all of this workspace.");
      await fill(page, "On domains", stack.demo.host);
      await page.keyboard.press("Enter");
      await expectToSee(page, `only of links on ${stack.demo.host}. Nothing else`);
      await press(page, "Create key");
      const key = await (await page.waitForSelector(".secret"))?.evaluate(({ textContent }) => textContent);
      // The command, as a shell takes it apart.
      const command = await page.$eval("pre.body", ({ textContent }) => textContent);
      const [, target = "", header = ""] = /^curl '([^']+)' -H '([^']+)'$/.exec(command) ?? [];
      const [name = "", text = ""] = header.split(": ");
      expect((await fetch(target, { headers: { [name]: text } })).status).toBe(200);
      await press(page, "Done");
      const report = createClient({ baseUrl: stack.url, key: key ?? "", maxRetries: 0 });
      expect((await report.listLinks({ limit: 1 })).data).toHaveLength(1);
      await page.reload();
      await vi.waitFor(async () => {
        const [row] = await page.$$eval("tbody tr", (rows) =>
          rows.flatMap(({ innerText }) => (innerText.includes("Report") ? innerText : [])),
        );
        expect(row).toMatch(/Read links[^]*only of links on [^]*now[^]*Active/);
      }, POLL);
      expect(await page.content()).not.toContain(key);
      await press(page, "Revoke Report");
      await press(page, "Revoke the key");
      await expectToSee(page, "Report revoked.");
      await expect(report.listLinks()).rejects.toMatchObject({ code: "key_invalid" });
    });

    it("invites several people at once, leaves in the field who is refused, sends again within the same bounds, and changes roles and bounds in the list", async () => {
      const page = signedIn();
      await openByMenu(page, "Workspace");
      await press(page, "Invite colleagues");
      const field = "Email addresses";
      await fill(page, field, "mary@example.com nobody, alan@example.com");
      const url = "*/invitations";
      expect(await refuseEveryField(page, "createInvitation", { button: "Send invitations", url })).toEqual({
        email: field,
        role: "Role",
      });
      await expectToSee(page, "and read clicks: all of this workspace.");
      await fill(page, "On domains", stack.demo.host);
      await page.keyboard.press("Enter");
      await expectToSee(
        page,
        `only of links on ${stack.demo.host}. Nothing else of this workspace exists for them.`,
      );
      await press(page, "Send invitations");
      await page.waitForSelector(`::-p-named([name="${field}"]):is([aria-invalid=true])`);
      const left = () =>
        page.$eval(`::-p-named([name="${field}"])`, (input) => (input as HTMLInputElement).value);
      await expect.poll(left, POLL).toBe("nobody, alan@example.com");
      await fill(page, field, "alan@example.com");
      await press(page, "Send invitations");
      await expectToSee(page, "An email is on the way to alan@example.com.");
      expect(await linkInEmailTo("mary@example.com", "/invitation")).toContain(appOrigin);
      await press(page, "Send again to mary@example.com");
      await expectToSee(page, "Another email is on its way to mary@example.com.");
      await expectToSee(
        page,
        `They may read links, create, change and delete links, and read clicks: only of links on ${stack.demo.host}.`,
      );
      const { rows: bounded } = await stack.database.query(
        "SELECT bounds = jsonb_build_object('domains', jsonb_build_array(domains.id)) AS is_bounded FROM invitations, domains WHERE email = 'mary@example.com' AND host = $1",
        [stack.demo.host],
      );
      expect(bounded).toEqual([{ is_bounded: true }]);
      await vi.waitFor(() => expect(countEmailsTo("mary@example.com")).toBe(2), POLL);
      for (const name of ["mary", "alan"]) {
        await press(page, `Cancel the invitation of ${name}@example.com`);
      }
      await expectToSee(page, "No open invitations.");
      await stack.database.query(
        `WITH person AS (
           INSERT INTO people (id, email, name) VALUES (gen_random_uuid(), 'joan@example.com', 'Joan Clarke') RETURNING id
         )
         INSERT INTO members (id, workspace_id, person_id, role)
         SELECT gen_random_uuid(), workspace_id, person.id, 'viewer' FROM members, person LIMIT 1`,
      );
      await page.reload();
      await page.waitForSelector('select[aria-label="Role of Joan Clarke"]');
      const own = "Own links those that they or their keys created";
      await press(page, "Choose the links of Joan Clarke");
      await press(page, own, "checkbox");
      await expectToSee(
        page,
        "They may read links and read clicks: only of links made by them or their keys.",
      );
      await press(page, "Save");
      await page.waitForFunction(
        () =>
          document.querySelector(".dialog") === null &&
          document.body.innerText.includes("only of links made by them or their keys"),
      );
      await press(page, "Choose the links of Joan Clarke");
      await press(page, own, "checkbox");
      await expectToSee(page, "They may read links and read clicks: all of this workspace.");
      await press(page, "Save");
      await page.waitForFunction(() => !document.body.innerText.includes("only of links made by them"));
      await page.select('select[aria-label="Role of Joan Clarke"]', "admin");
      await vi.waitFor(async () => {
        const { rows } = await stack.database.query(
          "SELECT role FROM members JOIN people ON people.id = person_id WHERE email = 'joan@example.com'",
        );
        expect(rows).toEqual([{ role: "admin" }]);
      }, POLL);
      await press(page, "Remove Joan Clarke");
      await press(page, "Remove from the workspace");
      await page.waitForFunction(() => document.querySelector("[role=dialog]") === null);
      await stack.database.query("DELETE FROM people WHERE email = 'joan@example.com'");
    });

    it("counts days in the device's time zone until one is chosen, and keeps the theme", async () => {
      const page = signedIn();
      await openPath(page, "/account", "Account");
      // A theme is no choice of a zone: until one is chosen it is the device's.
      await page.evaluate(() => localStorage.clear());
      await page.reload();
      await page.waitForSelector("::-p-named(Theme)");
      await page.select("::-p-named(Theme)", "dark");
      const kept = () => page.evaluate(() => localStorage.getItem("hopline.preferences"));
      expect(await kept()).toBe('{"theme":"dark","timeZone":null}');
      await chooseZone(page, "Kiritimati");
      const asked = page.waitForRequest((request) => request.url().includes("/analytics/overview"));
      await page.goto(`${appOrigin}/analytics?period=today`);
      expect(new URL((await asked).url()).searchParams.get("timeZone")).toBe("Pacific/Kiritimati");
      await expectToSee(page, "Pacific/Kiritimati");
      expect(await page.evaluate(() => document.documentElement.dataset["theme"])).toBe("dark");
      await page.evaluate(() => localStorage.clear());
      await page.reload();
    });

    it("counts the days that are chosen in a calendar, by keys alone", async () => {
      const page = signedIn();
      await openPath(page, "/analytics?period=today", "Analytics");
      // The button as it is once popups are loaded: the one before is replaced.
      await focusOn(page, "button[aria-expanded]::-p-text(Custom range)");
      await page.keyboard.press("Enter");
      await page.waitForSelector(".rdp-day button:focus");
      await page.keyboard.press("ArrowUp");
      await page.keyboard.press("Enter");
      await page.keyboard.press("ArrowDown");
      await page.keyboard.press("Enter");
      const label = await page
        .locator(".popup .button.primary")
        .map(({ textContent }) => textContent)
        .wait();
      const [, from = "", to = ""] = /Show (\S+) to (\S+)/.exec(label) ?? [];
      expect((Date.parse(to) - Date.parse(from)) / 86_400_000).toBe(7);
      await press(page, label);
      await urlHas(page, `from=${from}&to=${to}`);
      await expectToSee(page, `${from} to ${to}`);
    });

    it("the filter of a webhook names the classes of clicks by the words of analytics", async () => {
      const page = signedIn();
      await openPath(page, "/analytics?period=today", "Analytics");
      const inAnalytics = await page.$$eval('select[aria-label="Visitors"] option', (all) =>
        all.map(({ textContent }) => textContent),
      );
      await openPath(page, "/webhooks", "Webhooks");
      await press(page, "New webhook");
      const classes = await page.waitForSelector('.dialog [role=group][aria-label="Clicks by"]');
      const inFilter = await classes?.$$eval("label", (all) => all.map(({ textContent }) => textContent));
      expect(inFilter).toEqual(expect.arrayContaining(["People", "Bots"]));
      expect(inAnalytics).toEqual([...(inFilter ?? []).slice(0, 2), "People and bots"]);
      await page.keyboard.press("Escape");
      await page.waitForFunction(() => document.querySelector(".dialog") === null);
    });

    it.each<[operationId: string, Refused]>([
      ["updateMe", { at: "Account", url: "*/me", button: "Save name", fields: { name: "Name" } }],
      [
        "setPassword",
        {
          at: "Account",
          url: "*/me/password",
          button: "Save password",
          fields: { currentPassword: "Current password", newPassword: "New password" },
        },
      ],
      [
        "changeEmail",
        {
          at: "Account",
          url: "*/me/email",
          button: "Send confirmation email",
          fields: { email: "New email address" },
        },
      ],
      [
        "updateWorkspace",
        { at: "Workspace", url: "*/workspaces/*", button: "Save name", fields: { name: "Name" } },
      ],
      [
        "createWorkspace",
        {
          at: "Links",
          opener: "New workspace",
          url: "*/workspaces",
          button: "Create workspace",
          fields: { name: "Name" },
        },
      ],
      [
        "updateDomain",
        {
          at: "Domains",
          opener: "Settings of",
          url: "*/domains/*",
          button: "Save",
          fields: { rootUrl: "Bare host redirects to", title: "Name on visitor pages" },
        },
      ],
    ])("shows every fault of a refused %s, at its field where there is one", async (operationId, refused) => {
      const page = signedIn();
      const { at, opener, button, url, fields } = refused;
      await openPath(page, `/${at.toLowerCase()}`, at);
      if (opener === "New workspace") {
        await pressAt(page, "button.workspace");
      }
      if (opener !== undefined) {
        await press(page, opener === "Settings of" ? `${opener} ${stack.demo.host}` : opener);
        await page.waitForSelector(".dialog");
      }
      for (const label of Object.values(fields)) {
        await fill(page, label, label.includes("email") ? "other@example.com" : "an unusual harbour 42");
      }
      expect(await refuseEveryField(page, operationId, { button, url })).toMatchObject(fields);
      await page.reload();
    });

    it("compares clicks with those of the period before, as the API counts them", async () => {
      const page = signedIn();
      const { id, slug } = await createLink({ slug: "compared" });
      expect((await visit(slug)).status).toBe(302);
      const { rows } = await stack.database.query<{ id: string }>("SELECT id FROM links WHERE slug = $1", [
        slug,
      ]);
      await spillAndDrain(
        toSegment({
          isolateId: "00c0ffee0000c0de",
          linkId: rows[0]?.id ?? "",
          clickedAtMs: Date.now() - 10 * 86_400_000,
          count: 4,
        }),
      );
      await vi.waitFor(async () => {
        const question = { link: [id], period: "last7Days" as const, class: ["all"] };
        const { current, previous } = await stack.hopline.compareWithPeriodBefore(question);
        expect([current.clicks, previous.clicks]).toEqual([1, 4]);
      }, POLL);
      await openPath(page, `/analytics?link=${id}&period=last7Days&class=all`, "Analytics");
      await press(page, "Compare to previous period");
      await page.waitForSelector('.chart[aria-label*="Clicks 1, Previous period 4."] .series.before');
      await expectToSee(page, "from 4");
      await expectToSee(page, "−75%");
      // Whoever gets the address sees the same.
      await urlHas(page, "compare=previous");
    });
  });
}
