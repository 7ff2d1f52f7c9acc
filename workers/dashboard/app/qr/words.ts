/** What the pages of qr say. */
export const SHAPE_NAMES = { square: "Square", round: "Round" } as const;

export const t = {
  // draft-code.tsx
  qrCode: (text: string) => `QR code of ${text}`,
  // qr-address.ts
  manyScannersCantReadLight: "Many scanners can't read light modules on a dark background.",
  coloursAreTooSimilar: "The colours are too similar for some cameras.",
  keepMarginAtLeastModules: (margin: number) => `Keep a margin of at least ${margin} modules.`,
  // qr-card.tsx
  qrCodeOfShortUrl: (shortUrl: string) => `QR code of ${shortUrl}`,
  size: "Size",
  format: "Format",
  svgForPrint: "SVG, for print",
  png: "PNG",
  download: "Download",
  copyPicture: "Copy picture",
  qrCodeText: "the QR code",
  copyImageAddress: "Copy image address",
  addressForImg: "An address for <img>, which everybody may load",
  scansAreCountedWithSource: (count: number, isPublic: boolean, domain: string) =>
    `Scans are counted with the source “qr”.${count > 0 && !isPublic ? ` ${domain} lets only members load its codes.` : ""}`,
  // qr-section.tsx
  colour: "Colour",
  background: "Background",
  dots: "Dots",
  eyes: "Eyes",
  transparentBackground: "Transparent background",
  logoDomain: "Logo of the domain",
  logoDomainOfDomain: (domain: string) => `Logo of ${domain}`,
  domainsCodesCanHaveLogoAdd: "A domain’s codes can have a logo: add it under Domains.",
  margin: "Margin",
  presetsWorkspaceSaved: "Presets of the workspace saved.",
  preset: "Preset",
  customDesign: "Custom design",
  saveThisDesignAs: "Save this design as",
  typeNameToSaveThisDesign: "Type a name to save this design.",
  deletePreset: (own: string) => `Delete the preset ${own}`,
};
