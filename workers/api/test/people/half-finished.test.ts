/**
 * Every sequence that signs somebody in or lets somebody in, cut off before each of its statements, and twice at the same
 * moment: the person can go on afterwards, nobody is in twice, and no workspace is without an owner.
 */
import { createHash, randomUUID } from "node:crypto";
import { afterAll, afterEach, describe, expect, it, vi } from "vitest";
import { untilWaitingForLock } from "../../../../packages/db/test/lock-waits.ts";
import { toPublicId } from "../../src/http/entity-id.ts";
import { toInvitationToken } from "../../src/people/invitation-token.ts";
import { openStage } from "../stage.ts";
import { type Browser, openBrowser } from "./browser.ts";
import { addPerson } from "./people-stage.ts";

const stage = await openStage();
afterAll(() => stage.close());
afterEach(async () => {
  stage.endpoint.setFault(null);
  // Emails are sent behind the responses: by whoever sends first, also those of the next test.
  await stage.people.settledEmails();
});
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
    // What goes on behind responses asks the database, too.
    await stage.people.settledEmails();
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
  return stage.people.lastLink(email);
}

const signsIn = async (email: string) => {
  const browser = openBrowser(stage.app);
  await browser.follow(await requestLink(email));
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

async function addInvitation(workspaceId: string, email: string, id: string = randomUUID()): Promise<string> {
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

async function addSetUpToken(): Promise<string> {
  const token = randomUUID();
  await stage.client.query(
    "INSERT INTO verifications (id, identifier, value, expires_at) VALUES (gen_random_uuid(), $1, '', now() + interval '1 day')",
    [`set-up:${createHash("sha256").update(token).digest("hex")}`],
  );
  return token;
}

it("setting up: an owner who can sign in, or nobody and the link still works", async () => {
  await cutEverywhere(
    async () => {
      await stage.client.query("TRUNCATE people CASCADE");
      return { token: await addSetUpToken(), email: "ada@example.com", name: "Ada", password: PASSWORD };
    },
    (person, browser) => browser.call("POST /api/auth/set-up", person),
    async (person) => {
      const browser = openBrowser(stage.app);
      const again = await browser.call("POST /api/auth/set-up", person);
      expect([200, 409]).toContain(again.status);
      if (again.status === 409) {
        await browser.call("POST /api/auth/sign-in", { email: person.email, password: PASSWORD });
      }
      const { body } = await browser.call("GET /api/v1/workspaces");
      expect(body["data"]).toContainEqual(expect.objectContaining({ role: "owner" }));
    },
  );
});

describe("at the same moment", () => {
  let networks = 0;
  const openAnother = () => openBrowser(stage.app, { address: `192.0.2.${(networks += 1)}` });
  /** Sends them all, and lets none of them go on until all wait for what `lock` has locked. */
  async function together<Answer>(
    lock: string,
    requests: readonly (() => Promise<Answer>)[],
  ): Promise<readonly Answer[]> {
    await stage.client.query("BEGIN");
    await stage.client.query(lock);
    const answers = Promise.all(requests.map((request) => request()));
    try {
      await untilWaitingForLock(stage.client, requests.length);
    } finally {
      await stage.client.query("COMMIT");
    }
    return answers;
  }
  const twice = <Answer>(request: () => Promise<Answer>) => [request, request];
  const statusesOf = (answers: readonly { readonly status: number }[]) =>
    answers.map(({ status }) => status).toSorted();
  const lockOf = (table: string, id: string) => `SELECT FROM ${table} WHERE id = '${id}' FOR UPDATE`;
  const openAs = ({ cookie }: { readonly cookie: string }) => {
    const browser = openAnother();
    const at = cookie.indexOf("=");
    browser.cookies.set(cookie.slice(0, at), cookie.slice(at + 1));
    return browser;
  };
  const ofWorkspace = ({ id }: { readonly id: string }) => `/api/v1/workspaces/${toPublicId("ws", id)}`;

  it.each([
    ["one set-up link", 1],
    ["two set-up links", 2],
  ])("two people with %s: one is owner, and the other hears why not", async (_what, count) => {
    await stage.client.query("TRUNCATE people CASCADE");
    const tokens = await Array.fromAsync({ length: count }, addSetUpToken);
    const people = ["ada", "eve"].map((name, index) => ({
      token: tokens[index] ?? tokens[0],
      email: `${name}@example.com`,
      name,
      password: PASSWORD,
    }));
    const answers = await together(
      "LOCK TABLE people IN SHARE ROW EXCLUSIVE MODE",
      people.map((person) => () => openAnother().call("POST /api/auth/set-up", person)),
    );
    expect(statusesOf(answers)).toEqual([200, 409]);
    expect(answers.map(({ body }) => body["code"])).toContain("already_set_up");
    const { rows } = await stage.client.query("SELECT count(DISTINCT person_id)::int AS owners FROM members");
    expect(rows).toEqual([{ owners: 1 }]);
    expect((await stage.client.query("SELECT FROM people")).rows).toHaveLength(1);
  });

  it("an invitation is accepted once, by somebody new", async () => {
    const workspace = await stage.addWorkspace();
    const [id, email] = [randomUUID(), `${randomUUID()}@example.com`];
    const token = await addInvitation(workspace.id, email, id);
    const accept = () => openAnother().call("POST /api/auth/invitation", { token });
    const answers = await together(lockOf("invitations", id), twice(accept));
    expect(statusesOf(answers)).toEqual([200, 401]);
    expect((await stage.client.query("SELECT FROM people WHERE email = $1", [email])).rows).toHaveLength(1);
  });

  it("two invitations to one new address make one account, and the second is accepted with it", async () => {
    const email = `${randomUUID()}@example.com`;
    const browser = openAnother();
    const accepts = await Promise.all(
      [await stage.addWorkspace(), await stage.addWorkspace()].map(async ({ id }) => {
        const token = await addInvitation(id, email);
        return () => browser.call("POST /api/auth/invitation", { token });
      }),
    );
    const answers = await together("LOCK TABLE people IN SHARE ROW EXCLUSIVE MODE", accepts);
    expect(answers.map(({ status, body }) => body["code"] ?? status).toSorted()).toEqual([
      200,
      "sign_in_first",
    ]);
    expect(statusesOf(await Promise.all(accepts.map((accept) => accept())))).toEqual([200, 401]);
    const joined = "SELECT FROM members JOIN people ON people.id = person_id WHERE email = $1";
    expect((await stage.client.query(joined, [email])).rows).toHaveLength(2);
  });

  it("an invitation is accepted once, by somebody with an account, and not after it was withdrawn", async () => {
    const workspace = await stage.addWorkspace();
    const person = await stage.addPerson(null, "viewer");
    const admin = openAs(await stage.addPerson(workspace, "admin"));
    const id = randomUUID();
    const token = await addInvitation(workspace.id, person.email, id);
    const accept = () => openAs(person).call("POST /api/auth/invitation", { token });
    const withdraw = () =>
      admin.call(`DELETE ${ofWorkspace(workspace)}/invitations/${toPublicId("inv", id)}`);
    const answers = await together(lockOf("invitations", id), [accept, accept, withdraw]);
    expect(answers.filter(({ status }) => status < 300)).toHaveLength(1);
    const { rows } = await stage.client.query("SELECT FROM members WHERE person_id = $1", [person.personId]);
    expect(rows).toHaveLength(answers[2]?.status === 204 ? 0 : 1);
  });

  it("two owners leave: one of them stays", async () => {
    const workspace = await stage.addWorkspace();
    const owners = [await stage.addPerson(workspace, "owner"), await stage.addPerson(workspace, "owner")];
    const answers = await together(
      lockOf("workspaces", workspace.id),
      owners.map((owner) => () => openAs(owner).call(`POST ${ofWorkspace(workspace)}/leave`)),
    );
    expect(statusesOf(answers)).toEqual([204, 409]);
  });

  it("an owner is made a viewer while a request of theirs makes them an owner: they stay a viewer", async () => {
    const workspace = await stage.addWorkspace();
    const owner = await stage.addPerson(workspace, "owner");
    const memberId = toPublicId("mem", owner.memberId);
    const again = () =>
      openAs(owner).call(`PATCH ${ofWorkspace(workspace)}/members/${memberId}`, { role: "owner" });
    const demote = `WITH demoted AS (UPDATE members SET role = 'viewer' WHERE id = '${owner.memberId}')
      ${lockOf("workspaces", workspace.id)}`;
    expect(statusesOf(await together(demote, [again]))).toEqual([403]);
    const found = await openAs(owner).call(`GET ${ofWorkspace(workspace)}`);
    expect(found.body["role"]).toBe("viewer");
  });

  it("a session is ended while it sets a password: none is set", async () => {
    const person = await stage.addPerson(null, "viewer");
    const set = () => openAs(person).call("PUT /api/v1/me/password", { newPassword: "plum velvet tractor" });
    const end = `DELETE FROM sessions WHERE id = '${person.sessionId}'`;
    expect(statusesOf(await together(end, [set]))).toEqual([401]);
    const { rows } = await stage.client.query("SELECT FROM accounts WHERE person_id = $1", [person.personId]);
    expect(rows).toEqual([]);
  });

  it("twenty are invited where five more may wait: five of them are", async () => {
    const workspace = await stage.addWorkspace();
    const admin = await stage.addPerson(workspace, "admin");
    await stage.client.query(
      `INSERT INTO invitations (id, workspace_id, email, role, expires_at)
       SELECT gen_random_uuid(), $1, n || '@waiting.example.com', 'viewer', now() FROM generate_series(1, 95) AS n`,
      [workspace.id],
    );
    const invite = (name: number) => () =>
      openAs(admin).call(`POST ${ofWorkspace(workspace)}/invitations`, {
        email: `${name}@example.org`,
        role: "viewer",
      });
    const answers = await Promise.all(Array.from({ length: 20 }, (_, name) => invite(name)()));
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(5);
  });

  it("an editor leaves twice: the second time there is nothing to leave", async () => {
    const workspace = await stage.addWorkspace();
    const editor = openAs(await stage.addPerson(workspace, "editor"));
    const leave = () => editor.call(`POST ${ofWorkspace(workspace)}/leave`);
    const answers = await together(lockOf("workspaces", workspace.id), twice(leave));
    expect(statusesOf(answers)).toEqual([204, 404]);
  });

  it("a workspace is deleted twice: the second time it is not there", async () => {
    const workspace = await stage.addWorkspace();
    const owner = openAs(await stage.addPerson(workspace, "owner"));
    const remove = () => owner.call(`DELETE ${ofWorkspace(workspace)}?name=Test`);
    const answers = await together(lockOf("workspaces", workspace.id), twice(remove));
    expect(statusesOf(answers)).toEqual([204, 404]);
  });

  it("a member is removed twice, and an account deletes itself twice: each is gone once", async () => {
    const workspace = await stage.addWorkspace();
    const owner = openAs(await stage.addPerson(workspace, "owner"));
    const member = await stage.addPerson(workspace, "editor");
    const remove = () =>
      owner.call(`DELETE ${ofWorkspace(workspace)}/members/${toPublicId("mem", member.memberId)}`);
    expect(statusesOf(await together(lockOf("workspaces", workspace.id), twice(remove)))).toEqual([204, 404]);
    const leave = () => openAs(member).call("DELETE /api/v1/me");
    expect(statusesOf(await together(lockOf("people", member.personId), twice(leave)))).toEqual([204, 204]);
    expect((await owner.call(`GET ${ofWorkspace(workspace)}/members`)).body["data"]).toHaveLength(1);
  });

  it("an account is deleted while its only owner hands a workspace to it and leaves: there is an owner still", async () => {
    const workspace = await stage.addWorkspace();
    const owner = openAs(await stage.addPerson(workspace, "owner"));
    const heir = await stage.addPerson(workspace, "viewer");
    await stage.client.query("BEGIN");
    await stage.client.query(lockOf("people", heir.personId));
    const deletion = openAs(heir).call("DELETE /api/v1/me");
    await untilWaitingForLock(stage.client);
    const handover = (async () => {
      const member = `${ofWorkspace(workspace)}/members/${toPublicId("mem", heir.memberId)}`;
      await owner.call(`PATCH ${member}`, { role: "owner" });
      return owner.call(`POST ${ofWorkspace(workspace)}/leave`);
    })();
    await Promise.race([handover, untilWaitingForLock(stage.client, 2)]);
    await stage.client.query("COMMIT");
    expect([(await deletion).status, (await handover).status]).toEqual([204, 409]);
  });

  it("the last two ways to sign in are removed: one of them stays", async () => {
    const { deps } = stage.openPeople({ sendEmail: null });
    const app = stage.appWith({}, { people: deps });
    const person = await addWithPassword();
    const { rows } = await stage.client.query<{ id: string }>(
      `WITH other AS (
         INSERT INTO accounts (id, person_id, provider_id, account_id)
         VALUES (gen_random_uuid(), $1::uuid, 'https://accounts.google.com', ($1::uuid)::text) RETURNING id
       )
       SELECT id FROM other UNION ALL SELECT id FROM accounts WHERE person_id = $1`,
      [person.personId],
    );
    const removals = rows.map(({ id }) => async () => {
      const headers = { cookie: person.cookie, origin: "http://localhost" };
      return app.request(`/api/v1/me/sign-in-methods/${toPublicId("acc", id)}`, {
        method: "DELETE",
        headers,
      });
    });
    const answers = await together(lockOf("people", person.personId), removals);
    expect(statusesOf(answers)).toEqual([204, 409]);
  });

  it("a token is replayed: a link to sign in, and one to a new address, work once", async () => {
    const person = await stage.addPerson(null, "viewer");
    const link = await requestLink(person.email);
    const open = () => openAnother().follow(link);
    // Elsewhere better-auth lets them take turns, which isolates can't.
    vi.stubGlobal("navigator", { userAgent: "Cloudflare-Workers" });
    const tokens = "SELECT FROM verifications FOR UPDATE";
    expect(statusesOf(await together(tokens, twice(open)))).toEqual([200, 401]);
    vi.unstubAllGlobals();
    const email = `${randomUUID()}@example.com`;
    await openAs(person).call("POST /api/v1/me/email", { email });
    const change = await stage.people.lastLink();
    const confirm = () => openAs(person).follow(change);
    expect(statusesOf(await together(tokens, twice(confirm)))).toEqual([204, 401]);
  });

  it("two people take one new address: one has it, and the other's link opens nothing", async () => {
    const email = `${randomUUID()}@example.com`;
    const people = [await stage.addPerson(null, "viewer"), await stage.addPerson(null, "viewer")];
    const links: string[] = [];
    for (const person of people) {
      await openAs(person).call("POST /api/v1/me/email", { email });
      links.push(await stage.people.lastLink());
    }
    const answers = await together(
      "LOCK TABLE people IN SHARE ROW EXCLUSIVE MODE",
      people.map((person, index) => () => openAs(person).follow(links[index] ?? "")),
    );
    expect(statusesOf(answers)).toEqual([204, 401]);
  });
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
