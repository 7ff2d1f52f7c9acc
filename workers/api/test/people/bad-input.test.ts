/** What a stranger may type: every field of every form and operation of people with nothing, too much, or what is no text. */
import { afterAll, describe, expect, it } from "vitest";
import { FORM_PATHS } from "../../src/people/form-paths.ts";
import { listDocumentedOperations, sendOperation } from "../http/every-operation.ts";
import { openStage } from "../stage.ts";
import { openBrowser } from "./browser.ts";
import { APP_ORIGIN } from "./people-stage.ts";

const stage = await openStage();
afterAll(() => stage.close());
const workspace = await stage.addWorkspace();
const { cookie: person, personId } = await stage.addPerson(workspace, "owner");
const ids = await stage.addObjects(workspace);
await stage.client.query("UPDATE passkeys SET person_id = $1", [personId]);
const operations = (await listDocumentedOperations(stage)).filter(
  ({ path, body }) => body !== null && /^\/api\/(auth|v1\/(me|workspaces))(\/|$)/.test(path),
);

const BAD: readonly [string, unknown][] = [
  ["nothing", ""],
  ["null", null],
  ["too much", "x".repeat(50_000)],
  ["a number", 7],
  ["a list", [["x"]]],
  ["an object", { toString: "x" }],
  ["a NUL", "a\u0000b@example.com"],
  ["half a character", "a\ud800b@example.com"],
];

/** What people are, before and after. */
const fingerprint = async () => {
  const { rows } = await stage.client.query(
    `SELECT (SELECT md5(string_agg(t::text, '' ORDER BY t::text)) FROM people AS t) AS people,
       (SELECT md5(string_agg(t::text, '' ORDER BY t::text)) FROM members AS t) AS members,
       (SELECT md5(string_agg(t::text, '' ORDER BY t::text)) FROM sessions AS t) AS sessions,
       (SELECT md5(string_agg(t::text, '' ORDER BY t::text)) FROM invitations AS t) AS invitations`,
  );
  return rows;
};

describe.each(operations)("$name", (operation) => {
  const example = JSON.parse(operation.body?.text ?? "{}") as { readonly [name: string]: unknown };

  it.each(BAD)("with %s in any field is refused, names the field, and does nothing", async (_what, bad) => {
    const before = await fingerprint();
    for (const name of Object.keys(example)) {
      const response = await sendOperation(operation, {
        app: stage.app,
        ids,
        key: null,
        person,
        headers: { cookie: person, origin: APP_ORIGIN },
        body: { ...example, [name]: bad },
      });
      expect([name, response.status, await response.json()]).toMatchObject([
        name,
        422,
        {
          errors: expect.arrayContaining([expect.objectContaining({ path: expect.stringContaining(name) })]),
        },
      ]);
    }
    expect(await fingerprint()).toEqual(before);
  });
});

const fieldsOf = (page: string) =>
  [...page.matchAll(/<input\b[^>]*name="([^"]*)"/g)].map(([, name = ""]) => name);

describe.each(Object.entries(FORM_PATHS).filter(([name]) => name !== "signedIn"))(
  "the form %s",
  (_name, path) => {
    // One network each: what a form refuses counts as an attempt.
    const browser = openBrowser(stage.app, { address: `198.51.100.${path.length}` });

    it("with nothing, too much or something strange in its fields says what is wrong, as a page", async () => {
      const fields = fieldsOf((await browser.open(`${path}?token=t`)).text);
      const before = await fingerprint();
      for (const value of ["", "x".repeat(1_900), "a\u0000b", "<script>alert(1)</script>"]) {
        const answer = await browser.post(path, Object.fromEntries(fields.map((name) => [name, value])));
        expect(answer.status).toBeGreaterThanOrEqual(400);
        expect(answer.status).toBeLessThan(500);
        expect(answer.text).toMatch(/role="alert"/);
        expect(answer.text).not.toContain("<script");
      }
      expect(await fingerprint()).toEqual(before);
    });

    it("refuses a body that is too large or no form", async () => {
      expect((await browser.post(path, { token: "x".repeat(20_000) })).status).toBe(413);
      const headers = { origin: APP_ORIGIN, "content-type": "application/json" };
      const json = await stage.app.request(path, { method: "POST", headers, body: "{}" });
      expect(json.status).toBe(415);
    });
  },
);
