/** Any picture that this browser can show, as the API takes a logo: a PNG, small enough. */

/** What the API takes. */
const MAX_BYTES = 65_536;
/** Pixels of the longer side, the first that is small enough. The API keeps 256 at most. */
const SIDES = [512, 256, 128, 64];

/** `null`: the file is no picture. */
export async function toLogoPng(file: Blob): Promise<Blob | null> {
  const address = URL.createObjectURL(file);
  try {
    const image = new Image();
    image.src = address;
    await image.decode();
    for (const side of SIDES) {
      const png = await draw(image, side);
      if (png !== null && png.size <= MAX_BYTES) {
        return png;
      }
    }
    return null;
  } catch {
    return null;
  } finally {
    URL.revokeObjectURL(address);
  }
}

async function draw(image: HTMLImageElement, side: number): Promise<Blob | null> {
  // An SVG may have no size of its own.
  const [width, height] = [image.naturalWidth || side, image.naturalHeight || side];
  const factor = Math.min(1, side / Math.max(width, height));
  const canvas = document.createElement("canvas");
  canvas.width = Math.max(1, Math.round(width * factor));
  canvas.height = Math.max(1, Math.round(height * factor));
  canvas.getContext("2d")?.drawImage(image, 0, 0, canvas.width, canvas.height);
  return new Promise((resolve) => {
    canvas.toBlob(resolve, "image/png");
  });
}
