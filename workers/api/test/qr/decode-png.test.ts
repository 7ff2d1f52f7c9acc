/** Pictures that strangers send: every form of PNG, and what is refused before anything of it is decoded. */
import { deflateSync } from "node:zlib";
import { encode, type ImageData } from "fast-png";
import { describe, expect, it } from "vitest";
import { decodePng } from "../../src/qr/decode-png.ts";
import { MAX_SIDE } from "../../src/qr/qr-limits.ts";
import { concatBytes, PNG_SIGNATURE, toChunk } from "../../src/qr/encode-png.ts";
import { readLogo } from "../../src/qr/logo.ts";
import { scalePicture } from "../../src/qr/scale-picture.ts";
import { aPng } from "./a-png.ts";

const RED = [255, 0, 0, 255];
const CLEAR = [0, 0, 0, 0];
const GREY = [85, 85, 85, 255];

function pixelsOf(file: Uint8Array): readonly number[][] {
  const decoded = decodePng(file);
  if (!decoded.ok) {
    throw new Error(decoded.error);
  }
  const { pixels } = decoded.picture;
  return Array.from({ length: pixels.length / 4 }, (_, index) => [
    ...pixels.subarray(index * 4, index * 4 + 4),
  ]);
}

/** Chunks of a file of one's own making. */
type Parts = {
  readonly width?: number;
  readonly height?: number;
  readonly depth?: number;
  readonly colorType?: number;
  readonly interlace?: number;
  readonly data?: Uint8Array;
  readonly others?: readonly Uint8Array[];
};

function aFile({ width = 1, height = 1, depth = 8, colorType = 6, interlace = 0, data, others = [] }: Parts) {
  const header = new DataView(new ArrayBuffer(13));
  header.setUint32(0, width);
  header.setUint32(4, height);
  [depth, colorType, 0, 0, interlace].forEach((byte, index) => header.setUint8(8 + index, byte));
  return concatBytes([
    PNG_SIGNATURE,
    toChunk("IHDR", new Uint8Array(header.buffer)),
    ...others,
    toChunk("IDAT", deflateSync(data ?? Uint8Array.of(0, ...RED))),
    toChunk("IEND", new Uint8Array()),
  ]);
}

const errorOf = (file: Uint8Array) => {
  const decoded = decodePng(file);
  return decoded.ok ? null : decoded.error;
};

describe("decoding", () => {
  it.each<[string, Partial<ImageData>, readonly number[][]]>([
    ["8-bit colour and alpha", { channels: 4, data: Uint8Array.of(...RED, ...CLEAR) }, [RED, CLEAR]],
    ["8-bit colour", { channels: 3, data: Uint8Array.of(255, 0, 0, 85, 85, 85) }, [RED, GREY]],
    [
      "16-bit colour",
      { channels: 3, depth: 16, data: Uint16Array.of(65_535, 0, 0, 21_845, 21_845, 21_845) },
      [RED, GREY],
    ],
    ["grey and alpha", { channels: 2, data: Uint8Array.of(85, 255, 85, 0) }, [GREY, [85, 85, 85, 0]]],
    ["8-bit grey", { channels: 1, data: Uint8Array.of(85, 255) }, [GREY, [255, 255, 255, 255]]],
    ["2-bit grey", { channels: 1, depth: 2, data: Uint8Array.of(0b0111_0000) }, [GREY, [255, 255, 255, 255]]],
    [
      "1-bit grey",
      { channels: 1, depth: 1, data: Uint8Array.of(0b0100_0000) },
      [
        [0, 0, 0, 255],
        [255, 255, 255, 255],
      ],
    ],
    [
      "a palette with alpha",
      { channels: 1, depth: 4, palette: [CLEAR, RED], data: Uint8Array.of(0x10) },
      [RED, CLEAR],
    ],
    [
      "a palette",
      {
        channels: 1,
        palette: [
          [255, 0, 0],
          [85, 85, 85],
        ],
        data: Uint8Array.of(0, 1),
      },
      [RED, GREY],
    ],
  ])("reads %s", (_what, form, pixels) => {
    const image = { width: 2, height: 1, data: new Uint8Array(), ...form };
    expect(pixelsOf(encode(image))).toEqual(pixels);
  });

  it("leaves out the one colour that a picture without alpha declares transparent", () => {
    const others = [toChunk("tRNS", Uint8Array.of(0, 255, 0, 0, 0, 0))];
    const data = Uint8Array.of(0, 255, 0, 0, 85, 85, 85, 255, 0, 0);
    const leftOut = [255, 0, 0, 0];
    expect(pixelsOf(aFile({ width: 3, colorType: 2, data, others }))).toEqual([leftOut, GREY, leftOut]);
  });

  it("takes the palette that a coloured picture suggests for none of its pixels", () => {
    const others = [toChunk("PLTE", Uint8Array.of(0, 0, 255))];
    expect(pixelsOf(aFile({ colorType: 2, data: Uint8Array.of(0, 255, 0, 0), others }))).toEqual([RED]);
  });
});

describe("what is refused", () => {
  const damaged = "is damaged: save it again as a PNG";
  const withoutData = (file: Uint8Array) => file.subarray(0, 40);

  it.each<[string, Uint8Array, string]>([
    ["nothing", new Uint8Array(), "is not a PNG: send the bytes of a PNG file"],
    [
      "an SVG",
      new TextEncoder().encode("<svg><script>alert(1)</script></svg>"),
      "is not a PNG: send the bytes of a PNG file",
    ],
    ["a signature alone", PNG_SIGNATURE, damaged],
    ["a file that ends early", withoutData(aPng(2, 2)), damaged],
    ["no pixels", aFile({ width: 0 }), damaged],
    ["a depth that there is not", aFile({ depth: 3 }), damaged],
    ["a kind of colours that there is not", aFile({ colorType: 5 }), damaged],
    ["too few rows", aFile({ height: 2 }), damaged],
    ["a filter that there is not", aFile({ data: Uint8Array.of(9, ...RED) }), damaged],
    [
      "a colour that the palette does not have",
      aFile({ colorType: 3, data: Uint8Array.of(0, 7), others: [toChunk("PLTE", Uint8Array.of(1, 2, 3))] }),
      damaged,
    ],
    [
      "no palette where there has to be one",
      aFile({ colorType: 3, data: Uint8Array.of(0, 7), others: [] }),
      damaged,
    ],
    [
      "pixels in a thousand pieces",
      aFile({ others: Array(1_000).fill(toChunk("IDAT", new Uint8Array())) }),
      damaged,
    ],
    ["a second header", aFile({ others: [toChunk("IHDR", new Uint8Array(13))] }), damaged],
    [
      "a picture that is too wide",
      aFile({ width: MAX_SIDE + 1 }),
      "has 1025 × 1 pixels: send at most 1024 × 1024",
    ],
    [
      "one that says to be four billion pixels high",
      aFile({ height: 2 ** 32 - 1 }),
      "has 1 × 4294967295 pixels: send at most 1024 × 1024",
    ],
    ["an interlaced one", aFile({ interlace: 1 }), "is interlaced: save it without interlacing"],
  ])("refuses %s", (_what, file, error) => {
    expect(errorOf(file)).toBe(error);
  });

  it("refuses a wrong checksum", () => {
    const file = aPng(2, 2);
    file[file.length - 1] = 0;
    expect(errorOf(file)).toBe(damaged);
  });

  it("inflates no more than a picture of that size takes: neither rows nor a colour profile", () => {
    expect(errorOf(aFile({ data: new Uint8Array(10_000_000) }))).toBe(damaged);
    // Whoever inflated this profile would find it damaged.
    const profile = toChunk("iCCP", new TextEncoder().encode("x\0\0no zlib stream"));
    expect(errorOf(aFile({ others: [profile] }))).toBeNull();
  });
});

describe("what is kept", () => {
  const logoOf = (file: Uint8Array) => {
    const read = readLogo(file);
    return read.ok ? read.logo : null;
  };

  it("is no byte of what was sent: no text, no profile, nothing after the end", () => {
    const secret = toChunk("tEXt", new TextEncoder().encode("Author\0somebody"));
    const sent = concatBytes([aFile({ others: [secret] }), new TextEncoder().encode("<script>")]);
    const kept = Buffer.from(logoOf(sent)?.png ?? []).toString("latin1");
    expect([kept.slice(1, 4), /somebody|script|tEXt/.test(kept)]).toEqual(["PNG", false]);
  });

  it.each([
    [1_024, 64, 256, 16],
    [16, 64, 16, 64],
    [1_024, 1, 256, 1],
    [1, 1, 1, 1],
  ])("%i × %i pixels are kept as %i × %i", (width, height, keptWidth, keptHeight) => {
    expect(logoOf(aPng(width, height))).toMatchObject({ width: keptWidth, height: keptHeight });
  });

  it("is no larger than 64 KiB and a few bytes, whatever is in it", () => {
    // Noise in a palette: each pixel is sent as one byte, and kept as four.
    let state = 1;
    const noise = Uint8Array.from(
      { length: 250 * 250 },
      () => (state = (state * 48_271) % 2_147_483_647) >> 8,
    );
    const palette = Array.from({ length: 256 }, (_, index) => [index, (index * 7) % 256, (index * 31) % 256]);
    const logo = logoOf(encode({ width: 250, height: 250, channels: 1, palette, data: noise }));
    expect(logo).toMatchObject({ width: 128, height: 128 });
    expect(logo?.png.length).toBeLessThan(66_000);
  });

  it("gives what can't be seen no colour when it is scaled", () => {
    const half = { width: 2, height: 1, pixels: Uint8Array.of(...RED, 0, 255, 0, 0) };
    expect([...scalePicture(half, { width: 1, height: 1 }).pixels]).toEqual([255, 0, 0, 128]);
  });
});
