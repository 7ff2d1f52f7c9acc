/**
 * Every sequence that signs somebody in or lets somebody in, cut off before each of its statements: the person can go on
 * afterwards, nobody is in twice, and no workspace is without an owner.
 */
import { createHash, randomUUID } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { inWorkspace } from "@hopline/testkit/workspace/workspace";
import { afterAll, afterEach, expect, it } from "vitest";
import { toPublicId } from "../../src/http/entity-id.ts";
import { toInvitationToken } from "../../src/people/invitation-token.ts";
import { openStage } from "../stage.ts";
import { type Browser, openBrowser } from "./browser.ts";
import { addPerson, linkIn } from "./people-stage.ts";

const stage = await openStage();
afterAll(() => stage.close());
afterEach(() => stage.endpoint.setFault(null));
const PASSWORD = "correct horse battery";

/** Fails the n-th request to the database from now on, counted from 0, and those after it. Returns whether it came to that. */
function failFrom(nth: number): () => boolean {
  let seen = 0;
  stage.endpoint.setFault(() => (seen++ < nth ? null : { kind: "reset" }));
  return () => {
    stage.endpoint.setFault(null);
    return seen > nth;
  };
}

/** Runs `attempt` cut off at every place, each time with something new of `prepare`'s, and `goOn` after it. */
async function cutEverywhere<Prepared>(
  prepare: () => Promise<Prepared>,
  attempt: (prepared: Prepared, browser: Browser) => Promise<{ readonly status: number }>,
  goOn: (prepared: Prepared, wasRefused: boolean) => Promise<void>,
): Promise<number> {
  for (let nth = 0; ; nth += 1) {
    const prepared = await prepare();
    const wasCut = failFrom(nth);
    const { status } = await attempt(prepared, openBrowser(stage.app, { address: `198.51.${nth}.1` }));
    const isCut = wasCut();
    expect([nth, status]).toEqual([nth, isCut ? 503 : 200]);
    await goOn(prepared, isCut);
    if (!isCut) {
      return nth;
    }
  }
}

async function requestLink(email: string): Promise<string> {
  await openBrowser(stage.app).call("POST /api/auth/link", { email });
  return linkIn(
    (await stage.people.settledEmails()).findLast(({ to }) => to === email) ?? {
      to: "",
      subject: "",
      text: "",
    },
  );
}

const signsIn = async (email: string) => {
  const browser = openBrowser(stage.app);
  await browser.submit(await requestLink(email), {});
  expect((await browser.call("GET /api/v1/me")).body["email"]).toBe(email);
  return browser;
};

const addWithPassword = async () => {
  const person = await stage.addPerson(null, "viewer");
  await stage.client.query(
    "INSERT INTO accounts (id, person_id, provider_id, account_id, password) VALUES (gen_random_uuid(), $1::uuid, 'credential', ($1::uuid)::text, $2)",
    [person.personId, await stage.people.deps.passwords.hash(PASSWORD)],
  );
  return person;
};

it("signing in with a password", async () => {
  const cuts = await cutEverywhere(
    addWithPassword,
    ({ email }, browser) => browser.call("POST /api/auth/sign-in", { email, password: PASSWORD }),
    async ({ email }) => {
      const again = await openBrowser(stage.app).call("POST /api/auth/sign-in", {
        email,
        password: PASSWORD,
      });
      expect(again.status).toBe(200);
    },
  );
  expect(cuts).toBeGreaterThan(2);
});

it("opening a link, by somebody new too: a link that was used up can be asked for again", async () => {
  await cutEverywhere(
    async () => {
      const email = `${randomUUID()}@example.com`;
      const workspace = await stage.addWorkspace();
      await addInvitation(workspace.id, email);
      return { email, token: new URL(await requestLink(email)).searchParams.get("token") };
    },
    ({ token }, browser) => browser.call("POST /api/auth/link/open", { token }),
    async ({ email }) => {
      await signsIn(email);
      const { rows } = await stage.client.query("SELECT FROM people WHERE email = $1", [email]);
      expect(rows).toHaveLength(1);
    },
  );
});

async function addInvitation(workspaceId: string, email: string): Promise<string> {
  const id = randomUUID();
  const inviter = await addPerson(stage.client, { workspaceId, role: "owner" });
  await stage.client.query(
    "INSERT INTO invitations (id, workspace_id, email, role, expires_at, inviter_id) VALUES ($1, $2, $3, 'editor', now() + interval '1 day', $4)",
    [id, workspaceId, email, inviter.personId],
  );
  return toInvitationToken(id, stage.people.deps.settings.secrets[0]);
}

it("accepting an invitation: in with an account, or not at all and the email still works", async () => {
  await cutEverywhere(
    async () => {
      const workspace = await stage.addWorkspace();
      const email = `${randomUUID()}@example.com`;
      return { workspace, email, token: await addInvitation(workspace.id, email) };
    },
    ({ token }, browser) => browser.call("POST /api/auth/invitation", { token, password: PASSWORD }),
    async ({ workspace, email, token }) => {
      const browser = openBrowser(stage.app);
      const again = await browser.call("POST /api/auth/invitation", { token, password: PASSWORD });
      expect([200, 401]).toContain(again.status);
      if (again.status === 401) {
        await browser.call("POST /api/auth/sign-in", { email, password: PASSWORD });
      }
      const found = await browser.call(`GET /api/v1/workspaces/${toPublicId("ws", workspace.id)}`);
      expect(found.body["role"]).toBe("editor");
    },
  );
});

it("setting up: an owner who can sign in, or nobody and the link still works", async () => {
  await cutEverywhere(
    async () => {
      await stage.client.query("TRUNCATE people CASCADE");
      await stage.client.query("DELETE FROM verifications");
      const token = randomUUID();
      await stage.client.query(
        "INSERT INTO verifications (id, identifier, value, expires_at) VALUES (gen_random_uuid(), $1, '', now() + interval '1 day')",
        [`set-up:${createHash("sha256").update(token).digest("hex")}`],
      );
      return { token, email: "ada@example.com", name: "Ada", password: PASSWORD };
    },
    (person, browser) => browser.call("POST /api/auth/set-up", person),
    async (person) => {
      const browser = openBrowser(stage.app);
      const again = await browser.call("POST /api/auth/set-up", person);
      expect([200, 401]).toContain(again.status);
      if (again.status === 401) {
        await browser.call("POST /api/auth/sign-in", { email: person.email, password: PASSWORD });
      }
      expect((await browser.call("GET /api/v1/me")).body["role"]).toBe("owner");
    },
  );
});

it("two owners who leave at the same moment: one of them stays", async () => {
  const workspace = await stage.addWorkspace();
  const owners = [await stage.addPerson(workspace, "owner"), await stage.addPerson(workspace, "owner")];
  const leave = ({ cookie }: { readonly cookie: string }) =>
    stage.app.request(`/api/v1/workspaces/${toPublicId("ws", workspace.id)}/leave`, {
      method: "POST",
      headers: { cookie, origin: "http://localhost" },
    });
  const statuses = await Promise.all(owners.map(async (owner) => (await leave(owner)).status));
  expect(statuses.toSorted()).toEqual([204, 409]);
});

it("an invitation that is accepted twice at the same moment is accepted once", async () => {
  const workspace = await stage.addWorkspace();
  const token = await addInvitation(workspace.id, `${randomUUID()}@example.com`);
  const accept = () => openBrowser(stage.app).call("POST /api/auth/invitation", { token });
  const statuses = (await Promise.all([accept(), accept()])).map(({ status }) => status);
  expect(statuses.filter((status) => status === 200)).toHaveLength(1);
});

it("an email that is refused waits, and is sent when it is taken again", async () => {
  let isDown = true;
  const sent: string[] = [];
  const { deps, sendEmails, settledEmails } = stage.openPeople({
    sendEmail: async ({ to }) => {
      if (isDown) {
        throw new TypeError("connection refused");
      }
      sent.push(to);
    },
  });
  const { email } = await stage.addPerson(null, "viewer");
  const browser = openBrowser(stage.appWith({}, { people: deps }));
  expect((await browser.call("POST /api/auth/link", { email })).status).toBe(202);
  await settledEmails();
  expect(stage.log).toContainEqual({
    event: "work.failed",
    kind: "sign-in-email",
    attempts: 1,
    reason: "TypeError",
  });
  isDown = false;
  await stage.client.query("UPDATE work SET due_at = now() WHERE kind = 'sign-in-email'");
  await sendEmails();
  expect(sent).toEqual([email]);
  const { rows } = await stage.client.query("SELECT FROM work WHERE kind LIKE '%-email'");
  expect(rows).toEqual([]);
});

it("an email that waits under the kind of an earlier release is sent", async () => {
  const { email } = await stage.addPerson(null, "viewer");
  await stage.client.query("INSERT INTO work (kind, key) VALUES ('sign-in-letter', $1)", [email]);
  const [name = ""] = readdirSync(inWorkspace("migrations")).filter((file) =>
    file.endsWith("_email_work.sql"),
  );
  const migration = readFileSync(inWorkspace(`migrations/${name}`), "utf8");
  await stage.client.query(migration);
  await stage.client.query(migration);
  const { sendEmails, emails } = stage.openPeople();
  await sendEmails();
  expect(emails.map(({ to }) => to)).toEqual([email]);
});
