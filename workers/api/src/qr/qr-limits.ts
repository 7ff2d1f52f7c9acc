/** Limits of pictures, apart from what draws and reads them: the document names them, and few requests need the rest. */

/** A PNG is not drawn wider than this, in pixels: it is drawn in memory. With a logo it has three or four bytes a pixel. */
export const MAX_PNG_WIDTH = 2_048;
export const MAX_PNG_WIDTH_WITH_LOGO = 1_024;

/** Pixels of a side of a logo that is sent. */
export const MAX_SIDE = 1_024;
