/** Designs of QR codes that are there for everyone; each is read by a scanner in a test. Fields are those of a link's `qr`. */
export const QR_PRESETS = [
  { name: "Plain", design: {} },
  { name: "Soft", design: { dots: "round", eyes: "round" } },
  { name: "Round eyes", design: { eyes: "round" } },
  { name: "Ink on cream", design: { color: "1b2a41", background: "fdf6e3", dots: "round", eyes: "round" } },
  { name: "Transparent", design: { background: "transparent" } },
] as const;
