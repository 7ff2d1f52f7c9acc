/** QR codes: one drawing for links and for everybody; what strangers learn; how large they get. */
import { convertIndexedToRgb, decode } from "fast-png";
import { describe, expect, it } from "vitest";
import { drawQr, MAX_PNG_WIDTH } from "../../src/qr/draw-qr.ts";
import { callApi } from "../call-api.ts";
import { openKeyedStage } from "../keyed-stage.ts";
import { clientOf } from "../stage-client.ts";

const { stage, workspace, key } = await openKeyedStage("admin");
const hopline = clientOf(stage, key);
const style = { format: "png", scale: 8, margin: 4, color: "000000", background: "ffffff" } as const;

/** As an `<img>` on any page asks. */
const load = async (slug: string, query = "", host = workspace.host) =>
  stage.app.request(`/api/qr/${host}/${encodeURIComponent(slug)}${query}`);

describe("GET /api/qr/{host}/{slug}", () => {
  it("gives everybody the code that the link's own operation gives, for caches to keep", async () => {
    const link = await hopline.createLink({ body: { url: "https://example.com/", slug: "poster" } });
    const [open, own] = [await load("poster"), await hopline.readQrCode({ linkId: link.id }).withResponse()];
    expect([open.status, await open.text()]).toEqual([200, await own.response.text()]);
    expect(Object.fromEntries(open.headers)).toMatchObject({
      "content-type": "image/svg+xml",
      "cache-control": "public, max-age=3600",
      "access-control-allow-origin": "*",
      "cross-origin-resource-policy": "cross-origin",
      "x-content-type-options": "nosniff",
    });
    const current = { headers: { "if-none-match": open.headers.get("etag") ?? "" } };
    expect((await stage.app.request(`/api/qr/${workspace.host}/poster`, current)).status).toBe(304);
  });

  it("follows an alias, and a domain that ignores case", async () => {
    const own = await stage.addWorkspace();
    const client = clientOf(stage, await stage.addKey(own, ["admin"]));
    const link = await client.createLink({ body: { url: "https://example.com/", slug: "before" } });
    await client.updateLink({ linkId: link.id, body: { slug: "after" } });
    const domainId = `dom_${own.domainId.replaceAll("-", "")}`;
    expect((await load("BEFORE", "", own.host)).status).toBe(404);
    await client.updateDomain({ domainId, body: { ignoresCase: true } });
    expect((await load("BEFORE", "", own.host.toUpperCase())).status).toBe(200);
  });

  it("answers all alike where there is nothing for strangers", async () => {
    const link = await hopline.createLink({ body: { url: "https://example.com/", slug: "ended" } });
    await hopline.deleteLink({ linkId: link.id });
    const pending = await stage.addPendingDomain(workspace);
    const own = await stage.addWorkspace();
    const client = clientOf(stage, await stage.addKey(own, ["admin"]));
    await client.createLink({ body: { url: "https://example.com/", slug: "there" } });
    expect((await load("there", "", own.host)).status).toBe(200);
    const switchOff = { domainId: `dom_${own.domainId.replaceAll("-", "")}`, body: { hasPublicQr: false } };
    expect((await client.updateDomain(switchOff)).hasPublicQr).toBe(false);
    const asked = [
      load("nothing"),
      load("ended"),
      load("there", "", own.host),
      load("@"),
      load("*"),
      load("a", "", pending.host),
      load("a", "", "nobody.example"),
    ];
    for (const answer of await Promise.all(asked)) {
      const {
        requestId: _requestId,
        type: _type,
        ...problem
      } = (await answer.json()) as Record<string, unknown>;
      expect([answer.status, problem]).toEqual([404, expect.objectContaining({ code: "not_found" })]);
      expect(answer.headers.get("cache-control")).toBe("no-store");
    }
    // The setting is the API's: the edge's record of the domain does not have it.
    expect(JSON.stringify([...stage.edge.inKv])).not.toContain("hasPublicQr");
  });

  it.each([
    ["?color=red", "color"],
    ['?color=000000"/><script>', "color"],
    ["?background=12345", "background"],
    ["?scale=33", "scale"],
    ["?scale=1e9", "scale"],
    ["?margin=17", "margin"],
    ["?format=gif", "format"],
    ["?logo=https://example.com/logo.png", "logo"],
  ])("refuses %s", async (query, path) => {
    const answer = await callApi<{ errors: readonly { path: string }[] }>(
      stage,
      `GET /api/qr/${workspace.host}/poster${encodeURI(query)}`,
      { key },
    );
    expect([answer.status, answer.body.errors[0]?.path]).toEqual([422, path]);
  });
});

describe("drawing", () => {
  it("uses the colours and the margin", () => {
    const png = decode(
      drawQr("https://go.example.com/a", {
        ...style,
        scale: 2,
        margin: 1,
        color: "0a0b0c",
        background: "transparent",
      }) as Uint8Array,
    );
    const data = convertIndexedToRgb(png);
    const pixel = (x: number, y: number) => [
      ...data.subarray((y * png.width + x) * 4, (y * png.width + x) * 4 + 4),
    ];
    // The margin, then the corner of the finder pattern.
    expect([pixel(0, 0), pixel(1, 1), pixel(2, 2), pixel(3, 3)]).toEqual([
      [255, 255, 255, 0],
      [255, 255, 255, 0],
      [10, 11, 12, 255],
      [10, 11, 12, 255],
    ]);
    const svg = drawQr("https://go.example.com/a", { ...style, format: "svg", background: "transparent" });
    expect(svg).not.toContain('fill="#ffffff"');
  });

  it("takes a bit a pixel: a large one, which anybody may ask for, is no half second of CPU", () => {
    for (const background of ["ffffff", "transparent"]) {
      const png = decode(
        drawQr("https://go.example.com/a", { ...style, scale: 32, background }) as Uint8Array,
      );
      expect([png.depth, png.channels, png.palette]).toEqual([
        1,
        1,
        background === "transparent"
          ? [
              [255, 255, 255, 0],
              [0, 0, 0, 255],
            ]
          : [
              [255, 255, 255],
              [0, 0, 0],
            ],
      ]);
    }
  });

  it("draws the longest address there can be no wider than it may be", () => {
    const text = `https://${"a".repeat(253)}/${encodeURIComponent("😀".repeat(64))}?source=qr`;
    const { width, height } = decode(drawQr(text, { ...style, scale: 32, margin: 16 }) as Uint8Array);
    expect([width === height, width > 1_000, width <= MAX_PNG_WIDTH]).toEqual([true, true, true]);
  });
});
