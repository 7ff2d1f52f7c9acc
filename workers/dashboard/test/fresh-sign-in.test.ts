/** What takes a fresh sign-in is repeated once the person has signed in again, and stays refused if they do not. */
import { afterEach, expect, it, vi } from "vitest";
import { askedToSignIn, sendFreshly } from "../app/people/fresh-sign-in.ts";

afterEach(() => vi.unstubAllGlobals());

const REFUSED = { code: "sign_in_again" };

function answerWith(...answers: readonly { readonly status: number; readonly body: object }[]) {
  const bodies: string[] = [];
  const left = [...answers];
  vi.stubGlobal("fetch", async (request: Request) => {
    bodies.push(await request.text());
    const { status, body } = left.shift() ?? { status: 500, body: {} };
    return Response.json(body, { status });
  });
  return bodies;
}

const send = () =>
  sendFreshly(new Request("https://app.example.com/api/v1/keys", { method: "POST", body: "a key" }), {});

async function answerDialog(hasSignedIn: boolean): Promise<void> {
  await vi.waitFor(() => expect(askedToSignIn.get()).not.toBeNull());
  askedToSignIn.get()?.answer(hasSignedIn);
}

it("the dialog asks, and the same request is sent again", async () => {
  const bodies = answerWith({ status: 403, body: REFUSED }, { status: 201, body: { id: "key_1" } });
  const sent = send();
  await answerDialog(true);
  expect([(await sent).status, bodies, askedToSignIn.get()]).toEqual([201, ["a key", "a key"], null]);
});

it("closing the dialog gives the refusal", async () => {
  const bodies = answerWith({ status: 403, body: REFUSED });
  const sent = send();
  await answerDialog(false);
  expect([(await sent).status, await (await sent).json(), bodies]).toEqual([403, REFUSED, ["a key"]]);
});

it("two requests at once ask once", async () => {
  answerWith(
    { status: 403, body: REFUSED },
    { status: 403, body: REFUSED },
    { status: 201, body: {} },
    { status: 201, body: {} },
  );
  const sent = Promise.all([send(), send()]);
  await answerDialog(true);
  expect((await sent).map(({ status }) => status)).toEqual([201, 201]);
});

it("another refusal asks nothing", async () => {
  answerWith({ status: 403, body: { code: "scope_missing" } });
  expect((await send()).status).toBe(403);
  expect(askedToSignIn.get()).toBeNull();
});
