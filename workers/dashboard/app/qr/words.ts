/** What the pages of qr say. */
export const SHAPE_NAMES = { square: "Square", round: "Round" } as const;
