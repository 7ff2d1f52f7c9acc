/** An export that fails half-way, through both Workers: its client must not take it for a whole file. */
import { expect, it } from "vitest";
import { stack } from "./visitor-stack.ts";

/** More than a page of the export. */
const LINKS = 1_001;

it("of which the database fails half-way breaks the connection, so that its client can tell", async () => {
  const rows = Array.from({ length: LINKS }, (_, index) => `export-${index},https://example.com/${index}`);
  const body = new Blob([["slug,url", ...rows].join("\n")], { type: "text/csv" });
  await stack.hopline.importLinks({ body });
  const download = () => stack.hopline.exportLinks();
  expect((await (await download()).text()).split("\r\n").length).toBeGreaterThan(LINKS);
  let pages = 0;
  stack.sqlEndpoint.setFault(({ statements: [first] }) => {
    pages += first?.query.startsWith('select "links"') === true ? 1 : 0;
    return pages > 1 ? { kind: "reset" } : null;
  });
  const response = await download();
  expect(response.status).toBe(200);
  await expect(response.text()).rejects.toBeInstanceOf(Error);
  stack.sqlEndpoint.setFault(null);
});
