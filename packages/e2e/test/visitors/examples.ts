/** The examples, as somebody tries them who reads them. */
import { readFile } from "node:fs/promises";
import { createServer } from "node:http";
import { HAS_BROWSER, launchBrowser } from "@hopline/testkit/browser/drive-browser";
import { inWorkspace } from "@hopline/testkit/workspace/workspace";
import { execa } from "execa";
import { describe, expect, it } from "vitest";
import { frontEndOrigin, stack, visit } from "./visitor-stack.ts";

type ExampleWorker = {
  readonly default: { fetch(request: Request, env: { readonly [name: string]: string }): Promise<Response> };
};

describe("the examples", () => {
  const settings = () => ({ HOPLINE_URL: stack.url, HOPLINE_KEY: stack.demo.apiKey });

  it("a script makes a link, which redirects", async () => {
    const script = inWorkspace("examples/make-link.mjs");
    const { stdout } = await execa(process.execPath, [script, "https://example.com/script"], {
      env: settings(),
    });
    const made = await visit(new URL(stdout).pathname.slice(1));
    expect(made.headers.get("location")).toBe("https://example.com/script");
    const refused = execa(process.execPath, [script, "nowhere"], { env: settings() });
    await expect(refused).rejects.toMatchObject({
      stderr: expect.stringContaining("is not an absolute URL"),
    });
  });

  it("a Worker makes a link, and says why it can't", async () => {
    const worker = (await import(inWorkspace("examples/worker.js"))) as ExampleWorker;
    const ask = (url: string) =>
      worker.default.fetch(new Request(`https://short.example/?url=${encodeURIComponent(url)}`), settings());
    const made = new URL((await (await ask("https://example.com/worker")).text()).trim());
    expect((await visit(made.pathname.slice(1))).headers.get("location")).toBe("https://example.com/worker");
    expect((await ask("nowhere")).status).toBe(422);
  });

  it.skipIf(!HAS_BROWSER)("a page on another origin shows the clicks", async () => {
    const html = await readFile(inWorkspace("examples/clicks.html"));
    const server = createServer((_request, response) => {
      response.writeHead(200, { "content-type": "text/html" }).end(html);
    }).listen(Number(new URL(frontEndOrigin).port));
    const browser = await launchBrowser();
    const page = await browser.newPage();
    await page.goto(`${frontEndOrigin}/#api=${stack.url}&key=${stack.demo.apiKey}`);
    const { clicks } = await stack.hopline.readTotals({ period: "last30Days" });
    await page.waitForFunction(() => document.querySelector("#clicks")?.textContent !== "…");
    expect(await page.$eval("#clicks", ({ textContent }) => textContent)).toBe(String(clicks));
    await browser.close();
    server.close();
  });
});
