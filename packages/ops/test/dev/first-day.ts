/**
 * The first day of a deployment, by its people, against `pnpm dev`: cookie jars for browsers, and the emails that it prints.
 * In workerd, with the password's real cost.
 */
import type { IdentityProvider } from "@hopline/testkit/stack/identity-provider";
import { createAuthenticator } from "@hopline/testkit/stack/software-authenticator";
import { expect } from "vitest";

import { waitUntil } from "../../../testkit/test/wait-until.ts";

const BOUND_MS = 120_000;
const PASSWORD = "correct horse battery";

/** What `pnpm dev` has printed: the first group of the pattern, or nothing. */
type Dev = { readonly read: (pattern: RegExp) => string };

type Answer = { readonly status: number; readonly text: string; readonly location: string };
type Json = { readonly [name: string]: unknown };
/** What a page gets for a passkey. */
type Challenged = Json & { readonly challenge: string };

export type FirstDay = { readonly owner: Jar; readonly workspaceId: string };

/** People sign in where the dashboard is: on the next port. */
export function toRedirectAddress(port: number, id: string): string {
  return `http://localhost:${port + 1}/api/auth/provider/${id}/callback`;
}

export function toProviderList({ issuer, clientId, clientSecret }: IdentityProvider): string {
  return JSON.stringify([{ id: "acme", name: "Acme", issuer, clientId, clientSecret }]);
}

class Jar {
  readonly cookies = new Map<string, string>();
  /** Of which every request is, once it is set. */
  workspaceId: string | null = null;

  async send(method: string, address: string | URL, init: RequestInit = {}): Promise<Answer> {
    const headers = new Headers(init.headers);
    headers.set("cookie", Array.from(this.cookies, ([name, value]) => `${name}=${value}`).join("; "));
    headers.set("origin", new URL(address).origin);
    if (this.workspaceId !== null) {
      headers.set("hopline-workspace", this.workspaceId);
    }
    const response = await fetch(address, { redirect: "manual", ...init, method, headers });
    for (const set of response.headers.getSetCookie()) {
      const [, name = "", value = ""] = /^([^=]+)=([^;]*)/.exec(set) ?? [];
      this.cookies.set(name, value);
    }
    const location = response.headers.get("location") ?? "";
    return { status: response.status, text: await response.text(), location };
  }

  /** `target` is a method and a path: `POST /api/v1/links`. */
  async call(origin: string, target: string, body?: object): Promise<{ status: number; body: Json }> {
    const [method = "", path = ""] = target.split(" ", 2);
    const json = { body: JSON.stringify(body), headers: { "content-type": "application/json" } };
    const { status, text } = await this.send(method, new URL(path, origin), body === undefined ? {} : json);
    return { status, body: text === "" ? {} : (JSON.parse(text) as Json) };
  }

  /** Opens the page of a link, which uses nothing up, and does what its button does. */
  async follow(link: string, target: string, fields: object = {}): Promise<number> {
    const page = await this.send("GET", link);
    if (!page.text.includes('<div id="root">')) {
      throw new Error(`The dashboard has no page at ${link}: ${page.status}`);
    }
    const { origin, searchParams } = new URL(link);
    const { status } = await this.call(origin, target, { token: searchParams.get("token"), ...fields });
    return status;
  }
}

/** Set-up link, invitations, roles, links, the audit log, putting back; an identity provider, an emailed link, a passkey; sessions. */
export async function spendFirstDay({ read }: Dev, provider: IdentityProvider): Promise<FirstDay> {
  const { origin, searchParams } = new URL(read(/The dashboard +(\S+)/));
  const emailTo = async (address: string, path: string): Promise<string> => {
    const found = new RegExp(`Email to ${address}: [^]*?(http://localhost:\\d+${path}\\?token=\\S+)`);
    await waitUntil(`the email to ${address} is printed`, () => read(found) !== "", BOUND_MS);
    return read(found);
  };

  const owner = new Jar();
  const ada = { email: "ada@example.com", name: "Ada", password: PASSWORD };
  // As the dashboard's page does, which this link opens.
  const setUp = { token: searchParams.get("token"), ...ada };
  expect((await owner.call(origin, "POST /api/auth/set-up", setUp)).status).toBe(200);
  expect((await new Jar().call(origin, "POST /api/auth/set-up", setUp)).body["code"]).toBe("already_set_up");
  const { body: me } = await owner.call(origin, "GET /api/v1/me");
  const [workspace] = (await owner.call(origin, "GET /api/v1/workspaces")).body["data"] as readonly Json[];
  expect(workspace?.["role"]).toBe("owner");
  const workspaceId = String(workspace?.["id"]);
  owner.workspaceId = workspaceId;

  const people = { editor: new Jar(), viewer: new Jar() };
  for (const [role, jar] of Object.entries(people)) {
    const email = `${role}@example.com`;
    const invitations = `/api/v1/workspaces/${workspaceId}/invitations`;
    expect((await owner.call(origin, `POST ${invitations}`, { email, role })).status).toBe(201);
    const [invitation, accept] = [await emailTo(email, "/invitation"), "POST /api/auth/invitation"];
    expect(await jar.follow(invitation, accept, { name: role, password: PASSWORD })).toBe(200);
    expect(await jar.follow(invitation, accept)).toBe(401);
    jar.workspaceId = workspaceId;
    const { body: its } = await jar.call(origin, `GET /api/v1/workspaces/${workspaceId}`);
    expect(its["role"]).toBe(role);
  }
  const link = { url: "https://example.com/first-day" };
  const made = await people.editor.call(origin, "POST /api/v1/links", link);
  expect(made).toMatchObject({ status: 201, body: link });
  expect(await people.viewer.call(origin, "POST /api/v1/links", link)).toMatchObject({
    status: 403,
    body: { code: "scope_missing" },
  });
  const { status: seen } = await people.viewer.call(origin, `GET /api/v1/links/${String(made.body["id"])}`);
  expect(seen).toBe(200);

  await changeAndRevert(made.body, { origin, editor: people.editor, owner });

  const byProvider = new Jar();
  const start = { provider: "acme", returnTo: "/links?sort=slug" };
  const { body: started } = await byProvider.call(origin, "POST /api/auth/provider", start);
  const callback = await provider.visit(String(started["location"]), {
    subject: "ada",
    email: ada.email,
    isVerified: true,
    name: ada.name,
  });
  const { status, location } = await byProvider.send("GET", callback);
  expect([status, location]).toEqual([303, `${origin}/links?sort=slug`]);
  expect((await byProvider.call(origin, "GET /api/v1/me")).body["id"]).toBe(me["id"]);

  const byEmail = new Jar();
  expect((await byEmail.call(origin, "POST /api/auth/link", { email: ada.email })).status).toBe(202);
  expect(await byEmail.follow(await emailTo(ada.email, "/sign-in/link"), "POST /api/auth/link/open")).toBe(
    200,
  );
  const byPassword = new Jar();
  const { email, password } = ada;
  expect((await byPassword.call(origin, "POST /api/auth/sign-in", { email, password })).status).toBe(200);

  const authenticator = createAuthenticator(origin);
  const { body: creation } = await byPassword.call(origin, "POST /api/v1/me/passkeys/options");
  const added = { name: "Laptop", credential: authenticator.create(creation as Challenged) };
  expect((await byPassword.call(origin, "POST /api/v1/me/passkeys", added)).status).toBe(201);
  const byPasskey = new Jar();
  const { body: request } = await byPasskey.call(origin, "POST /api/auth/passkey/options");
  const credential = authenticator.get(request as Challenged);
  expect((await byPasskey.call(origin, "POST /api/auth/passkey", { credential })).status).toBe(200);

  const { body: sessions } = await byPassword.call(origin, "GET /api/v1/sessions");
  const others = (sessions["data"] as readonly Json[]).filter(({ isCurrent }) => isCurrent === false);
  expect(others).toHaveLength(4);
  for (const { id } of others) {
    expect((await byPassword.call(origin, `DELETE /api/v1/sessions/${String(id)}`)).status).toBe(204);
  }
  for (const jar of [owner, byProvider, byEmail, byPasskey]) {
    expect((await jar.call(origin, "GET /api/v1/me")).status).toBe(401);
  }
  return { owner: byPassword, workspaceId };
}

type Team = { readonly origin: string; readonly editor: Jar; readonly owner: Jar };

/** The editor changes a link, the owner finds out, and the editor puts it back. */
async function changeAndRevert(link: Json, { origin, editor, owner }: Team): Promise<void> {
  const path = `/api/v1/links/${String(link["id"])}`;
  const { body: me } = await editor.call(origin, "GET /api/v1/me");
  const changed = await editor.call(origin, `PATCH ${path}`, { url: "https://example.com/mistake" });
  expect(changed).toMatchObject({ status: 200, body: { version: 2 } });
  const by = { type: "person", id: me["id"] };
  const log = await owner.call(origin, `GET /api/v1/audit-log?resource=${String(link["id"])}`);
  expect(log).toMatchObject({
    status: 200,
    body: {
      data: [
        {
          action: "link.updated",
          actor: by,
          before: { url: link["url"] },
          after: { url: "https://example.com/mistake" },
        },
        { action: "link.created", actor: by },
      ],
    },
  });
  expect((await editor.call(origin, "GET /api/v1/audit-log")).status).toBe(403);
  const reverted = await editor.call(origin, `POST ${path}/history/1/revert`);
  expect(reverted).toMatchObject({ status: 200, body: { url: link["url"], version: 3 } });
  const { body: history } = await owner.call(origin, `GET ${path}/history`);
  expect(history["data"]).toMatchObject([{ version: 3 }, { version: 2 }, { version: 1 }]);
}

/**
 * After a restart, perhaps at another port: the owner is signed in still, or by the printed link, deletes the workspace, and then the
 * account.
 */
export async function endLastDay({ read }: Dev, { owner, workspaceId }: FirstDay): Promise<void> {
  const { origin, pathname, searchParams } = new URL(read(/The dashboard +(\S+)/));
  expect(pathname).toBe("/sign-in/link");
  const newcomer = new Jar();
  const token = { token: searchParams.get("token") };
  expect((await newcomer.call(origin, "POST /api/auth/link/open", token)).status).toBe(200);
  expect((await new Jar().call(origin, "POST /api/auth/link/open", token)).status).toBe(401);
  const { body: theirs } = await newcomer.call(origin, "GET /api/v1/workspaces");
  expect(theirs["data"]).toMatchObject([{ id: workspaceId, role: "owner" }]);
  const { body: workspace } = await owner.call(origin, `GET /api/v1/workspaces/${workspaceId}`);
  expect((await owner.call(origin, "DELETE /api/v1/me")).body["code"]).toBe("sole_owner");
  const name = encodeURIComponent(String(workspace["name"]));
  const deleted = await owner.call(origin, `DELETE /api/v1/workspaces/${workspaceId}?name=${name}`);
  expect(deleted.status).toBeLessThan(300);
  expect((await owner.call(origin, `GET /api/v1/workspaces/${workspaceId}`)).status).toBe(404);
  expect((await owner.call(origin, "DELETE /api/v1/me")).status).toBe(204);
}
