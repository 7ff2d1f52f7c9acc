/**
 * Cloudflare's HTTP API as our commands and wrangler use it, for one account in memory. It refuses what the real one
 * refuses (refusals.ts), checks our calls against the published description, and fails where a test says so.
 */
import { once } from "node:events";
import { createServer, type IncomingMessage } from "node:http";

import { Hono } from "hono";

import { FakeAccount } from "./account-state.ts";
import { refuse } from "./answers.ts";
import { checkSdkCall } from "./check-sdk-call.ts";
import { addHostRoutes } from "./host-routes.ts";
import * as refusals from "./refusals.ts";
import { addResourceRoutes } from "./resource-routes.ts";
import { addScriptRoutes } from "./script-routes.ts";

const BASE = "/client/v4";
/** The SDK names its version in a header; wrangler brings an older one for its own calls. */
const OUR_SDK = "7.3.0";
const ONE_OF_MANY = /\/(scripts|services|namespaces|queues|versions|consumers|zones)\/[^/]+/g;

/** A request without what differs from one call to the next: `POST /queues`, `GET /workers/domains`. */
export function kindOf(method: string, path: string): string {
  const plain = path
    .replace(/^\/accounts\/[^/]+(?=\/)/, "")
    .replaceAll(ONE_OF_MANY, "/$1/*")
    .replace(/^\/workers\/(workers|domains)\/[^/]+/, "/workers/$1/*");
  return `${method} ${plain}`;
}

export async function startFakeCloudflare(account: FakeAccount = new FakeAccount()) {
  const api = createApi(account);
  const server = createServer(async (request, response) => {
    const url = new URL(request.url ?? "", "http://fake");
    const path = url.pathname.slice(BASE.length);
    const kind = kindOf(request.method ?? "", path);
    const body = Buffer.concat(await request.toArray());
    const asked = { kind, token: request.headers.authorization?.replace("Bearer ", "") ?? "" };
    account.requests.push(kind);
    if (account.onRequest(asked, false)) {
      return;
    }
    noteWrongCall(account, kind, { request, url, body });
    const fault = takeFault(account, kind);
    const refused = fault === null ? refuseToken(account, kind) : null;
    const answer =
      refused ??
      (fault === null || fault.hasEffect === true
        ? await api.fetch(toRequest(request, url, body))
        : new Response(null));
    if (account.onRequest(asked, true)) {
      return;
    }
    if (fault?.answer === null) {
      request.socket.destroy();
      return;
    }
    const sent = fault === null ? answer : refuse(fault.answer);
    response.writeHead(sent.status, Object.fromEntries(sent.headers)).end(await sent.text());
  });
  await once(server.listen(0, "127.0.0.1"), "listening");
  const address = server.address();
  account.baseUrl = `http://127.0.0.1:${typeof address === "object" && address !== null ? address.port : 0}${BASE}`;
  return {
    account,
    stop: async (): Promise<void> => {
      server.closeAllConnections();
      await once(server.close(), "close");
    },
  };
}

function createApi(account: FakeAccount): Hono {
  const api = new Hono().basePath(BASE);
  addResourceRoutes(api, account);
  addScriptRoutes(api, account);
  addHostRoutes(api, account);
  api.notFound((c) => {
    account.wrong.push(`${c.req.method} ${c.req.path} is not known to the rehearsal`);
    return refuse(refusals.UNKNOWN_REQUEST);
  });
  return api;
}

/** What the token must be allowed to edit, in the dashboard's words. */
function permissionFor(kind: string): string | null {
  if (/\/domains\/|\/zones/.test(kind)) {
    return kind.includes("scripts") || kind.includes("zones") ? "Workers Routes" : "Workers Scripts";
  }
  if (kind.includes("/workers/")) {
    return "Workers Scripts";
  }
  return kind.includes("/storage/kv") ? "Workers KV Storage" : kind.includes("/queues") ? "Queues" : null;
}

function refuseToken({ permissions }: FakeAccount, kind: string): Response | null {
  const needed = permissionFor(kind);
  return permissions === null || needed === null || permissions.has(needed)
    ? null
    : refuse(refusals.NOT_ALLOWED);
}

function takeFault(account: FakeAccount, kind: string) {
  const index = account.faults.findIndex(({ request }) => request === kind);
  return index === -1 ? null : (account.faults.splice(index, 1)[0] ?? null);
}

type Received = { readonly request: IncomingMessage; readonly url: URL; readonly body: Buffer };

function noteWrongCall(account: FakeAccount, kind: string, { request, url, body }: Received): void {
  if (request.headers["x-stainless-package-version"] !== OUR_SDK) {
    return;
  }
  const isJson = request.headers["content-type"]?.includes("json") === true && body.length > 0;
  const wrong = checkSdkCall(kind, url.searchParams, isJson ? JSON.parse(body.toString()) : undefined);
  if (wrong !== null) {
    account.wrong.push(wrong);
  }
}

function toRequest({ method = "GET", headers }: IncomingMessage, url: URL, body: Buffer): Request {
  const given = new Headers();
  for (const [name, value] of Object.entries(headers)) {
    given.set(name, String(value));
  }
  return new Request(url, { method, headers: given, ...(body.length > 0 && { body: new Uint8Array(body) }) });
}
