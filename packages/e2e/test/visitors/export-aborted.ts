/** An export that fails half-way, through both Workers: its client must not take it for a whole file. */
import { expect, it } from "vitest";
import { stack } from "./visitor-stack.ts";

/** More than a page of the export. */
const LINKS = 1_001;

it("of which the database fails half-way breaks the connection, so that its client can tell", async () => {
  // Not by the API: nobody visits them, so nothing has to be told of them.
  await stack.database.query(
    `INSERT INTO links (id, workspace_id, domain_id, slug, url, record)
     SELECT gen_random_uuid(), workspace_id, domain_id, 'export-' || number, url, record
     FROM links, generate_series(1, $1) AS number WHERE slug = $2`,
    [LINKS, stack.demo.slug],
  );
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
