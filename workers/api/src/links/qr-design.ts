/** How a QR code looks: as a link keeps it, and as the address of an image says it (../qr/qr-routes.ts). */
import { z } from "@hono/zod-openapi";
import { MODULE_SHAPES } from "@hopline/core/qr/module-shapes";

export const MAX_QR_MARGIN = 16;

export const QrColor = z
  .string()
  .regex(/^[0-9A-Fa-f]{6}$/, "is not a colour: write it as six hexadecimal digits, 1a2b3c");

export const QrBackground = z
  .string()
  .regex(
    /^([0-9A-Fa-f]{6}|transparent)$/,
    "is not a colour: write it as six hexadecimal digits, or transparent",
  );

export const QrShape = z.enum(MODULE_SHAPES);

export const QrDesign = z
  .strictObject({
    color: QrColor,
    background: QrBackground,
    margin: z.number().int().min(0).max(MAX_QR_MARGIN),
    dots: QrShape,
    eyes: QrShape,
    logo: z.boolean(),
  })
  .partial()
  .openapi("QrDesign", {
    description:
      "How people want the link's QR code, by the parameters of its image. What is left out is as it is there.",
  });
