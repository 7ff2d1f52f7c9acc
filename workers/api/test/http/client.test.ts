/** packages/client against the API: what its types say is what comes. Its own behaviour: packages/client/test/client.test.ts. */
import type { ItemOf } from "@hopline/client/call";
import { createClient } from "@hopline/client/client";
import type { HoplineError } from "@hopline/client/hopline-error";
import type { Link } from "@hopline/client/openapi";
import { expect, expectTypeOf, it } from "vitest";
import type { ProblemCode } from "../../src/http/problem.ts";
import { openKeyedStage } from "../keyed-stage.ts";
import { clientOf } from "../stage-client.ts";

const { stage, key } = await openKeyedStage("admin");
const hopline = clientOf(stage, key);

it("creates, reads, changes, lists and deletes a link with types from the document", async () => {
  const link = await hopline.createLink({ body: { url: "https://example.com/", tags: ["a"] } });
  expectTypeOf(link.title).toEqualTypeOf<string | null>();
  expectTypeOf(link).not.toHaveProperty("passwordHash");
  const linkId = link.id;
  expect(await hopline.updateLink({ linkId, body: { title: "Title" } })).toMatchObject({ title: "Title" });
  const list = hopline.listLinks({ tag: ["a"], sort: "slug", limit: 1 });
  expectTypeOf<ItemOf<Awaited<typeof list>>>().toEqualTypeOf<Link>();
  expect((await Array.fromAsync(list)).map(({ slug }) => slug)).toEqual([link.slug]);
  expect(await hopline.deleteLink({ linkId })).toBeUndefined();
  const gone = await hopline.readLink({ linkId }).catch((error: unknown) => error);
  expect(gone).toMatchObject({ status: 404, code: "not_found" });
});

it("makes a wrong operation, field, value or answer a type error", () => {
  // Compiled, never called: `tsc` fails if one of these lines is not an error.
  const _wrong = () => [
    // @ts-expect-error no such operation
    hopline.createLnk({ body: { url: "https://example.com/" } }),
    // @ts-expect-error the URL is required
    hopline.createLink({ body: { title: "x" } }),
    // @ts-expect-error no such field
    hopline.createLink({ body: { url: "https://example.com/", ulr: "x" } }),
    // @ts-expect-error no such status
    hopline.updateLink({ linkId: "lnk_1", body: { status: "gone" } }),
    // @ts-expect-error no such parameter
    hopline.listLinks({ tags: ["a"] }),
    // @ts-expect-error the id is missing
    hopline.readLink(),
  ];
  expectTypeOf<HoplineError["code"]>().toEqualTypeOf<ProblemCode | "unknown">();
  expect(_wrong).toBeTypeOf("function");
});

it("sends a file as what it is, and gets one as it is streamed", async () => {
  const file = new Blob(["slug,url\nfrom-file,https://example.com/"], { type: "text/csv" });
  expect(await hopline.importLinks({ body: file })).toMatchObject({ created: 1, refused: 0 });
  const exported = await hopline.exportLinks({ format: "csv" });
  expectTypeOf(exported).toEqualTypeOf<Response>();
  expect(await exported.text()).toContain("from-file");
});

it("creates one link of a POST that is sent again because its answer was lost", async () => {
  let requests = 0;
  const fetch = async (request: Request) => {
    requests += 1;
    const response = await stage.app.request(request);
    if (requests === 1) {
      throw new TypeError("The connection broke.");
    }
    return response;
  };
  const patient = createClient({ baseUrl: "https://go.example.com", key, fetch });
  const body = { url: "https://example.com/", externalId: "once" };
  const { data, response } = await patient.createLink({ body }).withResponse();
  expect([requests, response.headers.get("idempotency-replayed")]).toEqual([2, "true"]);
  expect((await hopline.listLinks({ externalId: "once" })).data).toEqual([data]);
});
