/** QR codes: one drawing for links and for everybody; what strangers learn; how large they get; that a scanner reads them. */
import { QR_PRESETS } from "@hopline/core/qr/presets";
import { convertIndexedToRgb, decode } from "fast-png";
import jsQr from "jsqr";
import { encode, QrCodeDataType } from "uqr";
import { describe, expect, it } from "vitest";
import { decodePng } from "../../src/qr/decode-png.ts";
import { drawQr, type QrStyle } from "../../src/qr/draw-qr.ts";
import { MAX_PNG_WIDTH, MAX_PNG_WIDTH_WITH_LOGO } from "../../src/qr/qr-limits.ts";
import { readLogo } from "../../src/qr/logo.ts";
import { placeLogo } from "../../src/qr/place-logo.ts";
import { callApi } from "../call-api.ts";
import { openKeyedStage } from "../keyed-stage.ts";
import { clientOf } from "../stage-client.ts";
import { aPng } from "./a-png.ts";
import { deleteAsOwner } from "../workspaces/delete-as-owner.ts";

const { stage, workspace, key } = await openKeyedStage("admin");
const hopline = clientOf(stage, key);
const style = {
  format: "png",
  scale: 8,
  margin: 4,
  color: "000000",
  background: "ffffff",
  dots: "square",
  eyes: "square",
} as const;

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
    ["?dots=star", "dots"],
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

describe("a design", () => {
  it("is kept with its link, in each version, and as a preset of the workspace", async () => {
    const design = { color: "1b2a41", margin: 2, dots: "round", eyes: "round", logo: false } as const;
    const { id: linkId } = await hopline.createLink({ body: { url: "https://example.com/", qr: design } });
    await hopline.updateLink({ linkId, body: { qr: null } });
    expect((await hopline.readLink({ linkId })).qr).toBeNull();
    await hopline.revertLink({ linkId, version: "1" });
    expect((await hopline.readLink({ linkId })).qr).toEqual(design);
    await expect(hopline.updateLink({ linkId, body: { qr: { color: "red" } } })).rejects.toMatchObject({
      problem: { errors: [{ path: "qr.color" }] },
    });
    const [own] = (await hopline.listWorkspaces()).data;
    const { id: workspaceId = "", name } = own ?? {};
    const qrPresets = [{ name: "Poster", design }];
    expect(await hopline.updateWorkspace({ workspaceId, body: { qrPresets } })).toMatchObject({
      name,
      qrPresets,
    });
    expect(await hopline.updateWorkspace({ workspaceId, body: {} })).toMatchObject({ name, qrPresets });
    // Nothing of it goes to the edge.
    expect(JSON.stringify([...stage.edge.inKv])).not.toContain("1b2a41");
  });
});

describe("a domain's logo", () => {
  const png = (bytes: Uint8Array<ArrayBuffer>) => new Blob([bytes], { type: "image/png" });

  it("is in every code of the domain from then on, until it is removed, and the tag of a code follows it", async () => {
    const own = await stage.addWorkspace();
    const client = clientOf(stage, await stage.addKey(own, ["admin"]));
    const domainId = `dom_${own.domainId.replaceAll("-", "")}`;
    const { id: linkId } = await client.createLink({ body: { url: "https://example.com/", slug: "poster" } });
    const codes = async (query: string) => {
      const [open, ofLink] = [await load("poster", query, own.host), await client.readQrCode({ linkId })];
      return { text: await open.text(), tag: open.headers.get("etag"), ofLink: await ofLink.text() };
    };
    const before = await codes("");
    expect(await client.setDomainLogo({ domainId, body: png(aPng(20, 10)) })).toMatchObject({
      logo: { width: 20, height: 10, updatedAt: expect.any(String) },
    });
    const [first, without] = [await codes(""), await codes("?logo=false")];
    expect([first.text === first.ofLink, first.text.includes("data:image/png;base64,")]).toEqual([
      true,
      true,
    ]);
    expect([without.text, without.tag === before.tag]).toEqual([before.text, true]);
    await client.setDomainLogo({ domainId, body: png(aPng(20, 10, [0, 0, 255, 255])) });
    const second = await codes("");
    await client.deleteDomainLogo({ domainId });
    const after = await codes("");
    expect(new Set([before.tag, first.tag, second.tag]).size).toBe(3);
    expect(after).toEqual(before);
    expect((await client.readDomain({ domainId })).logo).toBeNull();
    await expect(client.readDomainLogo({ domainId })).rejects.toMatchObject({ status: 404 });
    const { rows } = await stage.client.query(
      "SELECT action, label, before, after FROM audit_log WHERE workspace_id = $1 AND action LIKE 'domain.logo%' ORDER BY at",
      [own.id],
    );
    const hash = expect.stringMatching(/^[0-9a-f]{32}$/);
    const size = { width: 20, height: 10, hash };
    expect(rows).toEqual([
      { action: "domain.logo_set", label: own.host, before: null, after: size },
      { action: "domain.logo_set", label: own.host, before: size, after: size },
      { action: "domain.logo_removed", label: own.host, before: size, after: null },
    ]);
  });

  it("is shown as it is kept, which is not as it was sent", async () => {
    const { domainId = "" } = await stage.addObjects(workspace);
    const sent = aPng(300, 300);
    await hopline.setDomainLogo({ domainId, body: png(sent) });
    const { response } = await hopline.readDomainLogo({ domainId }).withResponse();
    const kept = decodePng(new Uint8Array(await response.arrayBuffer()));
    expect(response.headers.get("content-type")).toBe("image/png");
    expect(kept).toMatchObject({ ok: true, picture: { width: 256, height: 256 } });
    const current = { "if-none-match": response.headers.get("etag") ?? "", authorization: `Bearer ${key}` };
    const again = await stage.app.request(`/api/v1/domains/${domainId}/logo`, { headers: current });
    expect(again.status).toBe(304);
    // Setting the same once more is no change.
    await hopline.setDomainLogo({ domainId, body: png(sent) });
    const log = await hopline.listAuditLog({ resource: [domainId], action: ["domain.logo_set"] });
    expect(log.data.map(({ actor }) => actor.type)).toEqual(["key", "operator"]);
  });

  it("goes with its domain, and with its workspace", async () => {
    const own = await stage.addWorkspace();
    const client = clientOf(stage, await stage.addKey(own, ["admin"]));
    const [{ domainId = "" }, { domainId: left = "" }] = [
      await stage.addObjects(own),
      await stage.addObjects(own),
    ];
    const logos = async () =>
      (await stage.client.query("SELECT FROM domain_logos WHERE workspace_id = $1", [own.id])).rowCount;
    expect(await logos()).toBe(2);
    await client.deleteDomain({ domainId });
    expect(await logos()).toBe(1);
    await expect(client.setDomainLogo({ domainId, body: png(aPng(2, 2)) })).rejects.toMatchObject({
      status: 404,
    });
    expect((await deleteAsOwner(stage, own, "name=Test")).status).toBe(204);
    expect([await logos(), left.length > 0]).toEqual([0, true]);
  });

  it("says what is wrong with what was sent", async () => {
    const { domainId = "" } = await stage.addObjects(workspace);
    const svg = new Blob(["<svg xmlns='http://www.w3.org/2000/svg'><script>alert(1)</script></svg>"]);
    const send = (body: Blob) =>
      hopline.setDomainLogo({ domainId, body }).then(
        () => null,
        (error: unknown) => error,
      );
    expect(await send(png(new Uint8Array(10)))).toMatchObject({
      code: "invalid",
      problem: { errors: [{ path: "logo", message: "is not a PNG: send the bytes of a PNG file" }] },
    });
    expect(await send(new Blob([svg], { type: "image/svg+xml" }))).toMatchObject({
      code: "unsupported_media_type",
    });
    expect(await send(png(new Uint8Array(65_537)))).toMatchObject({ code: "body_too_large" });
  });
});

const logoOf = (width: number, height: number) => {
  const read = readLogo(aPng(width, height, [200, 30, 30, 255]));
  if (!read.ok) {
    throw new Error(read.error);
  }
  return read.logo;
};

describe("scanning", () => {
  const scan = (text: string, change: Partial<QrStyle>, logo: ReturnType<typeof logoOf> | null) => {
    const drawn = decode(drawQr(text, { ...style, ...change }, logo) as Uint8Array);
    const { width, height, channels } = drawn;
    const data = drawn.palette === undefined ? drawn.data : convertIndexedToRgb(drawn);
    const step = drawn.palette?.[0]?.length ?? channels;
    const rgba = new Uint8ClampedArray(width * height * 4).fill(255);
    for (let at = 0; at < width * height; at += 1) {
      const alpha = step === 4 ? (data[at * 4 + 3] ?? 0) / 255 : 1;
      for (let channel = 0; channel < 3; channel += 1) {
        // On a white page.
        rgba[at * 4 + channel] = (data[at * step + channel] ?? 0) * alpha + 255 * (1 - alpha);
      }
    }
    return jsQr(rgba, width, height, { inversionAttempts: "dontInvert" })?.data;
  };
  const short = "https://a.co/x?source=qr";
  const usual = "https://go.example.com/spring-sale?source=qr";
  const long = `https://links.example.com/${"gr%C3%BC%C3%9Fe-".repeat(20)}?source=qr`;

  it.each<[string, string, Partial<QrStyle>]>([
    ["a short URL", short, { scale: 4 }],
    ["a usual one", usual, { scale: 3 }],
    ["one on paper", usual, { scale: 16 }],
    ["a long one", long, { scale: 3 }],
    ["one in colours", usual, { color: "1f6f54", background: "ffefc0", scale: 4 }],
    ["one without a background", usual, { background: "transparent", scale: 4 }],
    ["one with little room around it", usual, { margin: 1, scale: 4 }],
    ["one with much room around it", short, { margin: 16, scale: 4 }],
    ["one with round dots", usual, { dots: "round", scale: 4 }],
    ["one with round eyes", usual, { eyes: "round", scale: 4 }],
    ["a round one on paper, in colours", long, { dots: "round", eyes: "round", color: "1f6f54", scale: 8 }],
    ...QR_PRESETS.map(({ name, design }): [string, string, Partial<QrStyle>] => [
      `the preset ${name}`,
      usual,
      { ...design, scale: 4 },
    ]),
  ])("reads %s, without a logo and with a square, a wide and a high one", (_what, text, change) => {
    const logos = [null, logoOf(100, 100), logoOf(200, 50), logoOf(20, 90)];
    expect(logos.map((logo) => scan(text, change, logo))).toEqual(logos.map(() => text));
  });
});

describe("the place of a logo", () => {
  it("is in the middle, over a sixteenth of the modules at most, and over nothing that a scanner looks for", () => {
    for (let version = 2; version <= 40; version += 1) {
      const { types, size } = encode("a", { minVersion: version, maskPattern: 0, border: 0 });
      for (const logo of [
        { width: 1, height: 1 },
        { width: 9, height: 4 },
        { width: 1, height: 256 },
      ]) {
        const { cleared, box } = placeLogo(size, logo);
        const { x, y, width, height } = cleared;
        const covered = types.slice(y, y + height).flatMap((row) => row.slice(x, x + width));
        const isCentred = 2 * x + width === size && 2 * y + height === size;
        expect([version, isCentred, covered.length <= (size * size) / 16]).toEqual([version, true, true]);
        expect(
          covered.filter((type) => type === QrCodeDataType.Position || type === QrCodeDataType.Timing),
        ).toEqual([]);
        expect(box).toEqual({ x: x + 0.5, y: y + 0.5, width: width - 1, height: height - 1 });
      }
    }
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

  it("puts the logo over the background, as far as it is transparent, with a light border", () => {
    const half = readLogo(aPng(10, 10, [255, 0, 0, 128]));
    const logo = half.ok ? half.logo : null;
    const pixelsOf = (background: string) => {
      const png = decode(drawQr("https://go.example.com/a", { ...style, background }, logo) as Uint8Array);
      const pixel = (x: number, y: number) => {
        const at = (Math.floor(y) * png.width + Math.floor(x)) * png.channels;
        return [...png.data.subarray(at, at + png.channels)];
      };
      // In the middle, and at the edge of what is cleared: 7 of 29 modules.
      return [
        pixel(png.width / 2, png.height / 2),
        pixel(png.width / 2 - 3.25 * style.scale, png.height / 2),
      ];
    };
    expect(pixelsOf("ffffff")).toEqual([
      [255, 127, 127],
      [255, 255, 255],
    ]);
    expect(pixelsOf("transparent")).toEqual([
      [255, 0, 0, 128],
      [255, 255, 255, 0],
    ]);
  });

  it("draws the longest address there can be no wider than it may be, and without the logo, for which there is no code", () => {
    const large = { ...style, scale: 32, margin: 16 };
    const textOf = (emoji: number) =>
      `https://${"a".repeat(253)}/${encodeURIComponent("😀".repeat(emoji))}?source=qr`;
    const longest = drawQr(textOf(128), large) as Uint8Array;
    const { width, height } = decode(longest);
    expect([width === height, width > 1_000, width <= MAX_PNG_WIDTH]).toEqual([true, true, true]);
    expect(drawQr(textOf(128), large, logoOf(50, 50))).toEqual(longest);
    const withLogo = decode(drawQr(textOf(83), large, logoOf(50, 50)) as Uint8Array);
    expect([withLogo.width > 500, withLogo.width <= MAX_PNG_WIDTH_WITH_LOGO]).toEqual([true, true]);
  });
});
