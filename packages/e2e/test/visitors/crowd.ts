/**
 * A crowd behind one address: links that came in files, under mixed-case slugs, each visited for the first time, all from
 * one network. The small sister of the load test's cold run.
 */
import { expect, it, vi } from "vitest";
import { POLL, stack, visit } from "./visitor-stack.ts";

const LINKS = 300;
/** A file is a statement, and a busy machine would take longer than its five seconds over all of them. */
const LINKS_A_FILE = 100;
const AT_ONCE = 60;

it("is redirected to every imported link, shares statements, and is counted to the last click", async () => {
  const slugs = Array.from({ length: LINKS }, (_, index) => `Crowd${index}aBcD`);
  for (let first = 0; first < LINKS; first += LINKS_A_FILE) {
    const rows = slugs
      .slice(first, first + LINKS_A_FILE)
      .map((slug) => `${slug},https://example.com/${slug}`);
    const body = new Blob([["slug,url", ...rows].join("\n")], { type: "text/csv" });
    expect(await stack.hopline.importLinks({ body })).toMatchObject({ created: LINKS_A_FILE, refused: 0 });
  }
  const before = await countClicks();
  let statements = 0;
  stack.sqlEndpoint.setFault(({ statements: [first] }) => {
    statements += first?.query.includes("AS asked (host, slug)") === true ? 1 : 0;
    return null;
  });
  const wrong: string[] = [];
  for (let first = 0; first < LINKS; first += AT_ONCE) {
    const group = slugs.slice(first, first + AT_ONCE);
    const answers = await Promise.all(group.map((slug) => visit(slug)));
    answers.forEach(({ status, headers }, index) => {
      if (status !== 302 || headers.get("location") !== `https://example.com/${group[index]}`) {
        wrong.push(`${group[index]}: ${status}`);
      }
    });
  }
  stack.sqlEndpoint.setFault(null);
  expect(wrong).toEqual([]);
  expect(statements).toBeLessThan(LINKS / 2);
  await vi.waitFor(async () => expect((await countClicks()) - before).toBe(LINKS), POLL);
});

async function countClicks(): Promise<number> {
  const { rows } = await stack.database.query(
    `SELECT count(*)::int AS clicks FROM click_events JOIN links ON links.id = click_events.link_id
     WHERE links.slug LIKE 'Crowd%'`,
  );
  return Number(rows[0]?.["clicks"]);
}
