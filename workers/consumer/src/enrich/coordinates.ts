/**
 * Where on the map a click came from, coarse enough to tell a region but not a house: 0.1 degree is at most 11 km.
 */

export type Coordinates = { readonly latitude: number; readonly longitude: number };

// As Cloudflare writes them: "52.37403".
const DEGREES = /^[+-]?\d{1,3}(?:\.\d{1,20})?$/;

/** Both in degrees, rounded to 0.1. `null` if either is missing, not a number, or out of range. Total. */
export function coarseCoordinates(latitude: string | null, longitude: string | null): Coordinates | null {
  const coarseLatitude = coarseDegrees(latitude, 90);
  const coarseLongitude = coarseDegrees(longitude, 180);
  if (coarseLatitude === null || coarseLongitude === null) {
    return null;
  }
  return { latitude: coarseLatitude, longitude: coarseLongitude };
}

function coarseDegrees(text: string | null, maxDegrees: number): number | null {
  if (text === null || !DEGREES.test(text)) {
    return null;
  }
  const degrees = Number(text);
  if (Math.abs(degrees) > maxDegrees) {
    return null;
  }
  // `+ 0` turns the -0 of small negatives into 0.
  return Math.round(degrees * 10) / 10 + 0;
}
