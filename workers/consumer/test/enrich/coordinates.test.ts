import { describe, expect, it } from "vitest";
import { coarseCoordinates } from "../../src/enrich/coordinates.ts";

describe("coordinates are rounded to a tenth of a degree", () => {
  it.each([
    ["52.37403", "4.88969", 52.4, 4.9],
    ["-33.86785", "151.20732", -33.9, 151.2],
    ["0", "0", 0, 0],
    ["-0.04", "-0.01", 0, 0],
    ["90", "-180", 90, -180],
    ["89.99", "179.99", 90, 180],
  ])("%s, %s", (latitude, longitude, coarseLatitude, coarseLongitude) => {
    expect(coarseCoordinates(latitude, longitude)).toEqual({
      latitude: coarseLatitude,
      longitude: coarseLongitude,
    });
  });
});

describe("anything that is not a place on the globe has no coordinates", () => {
  it.each([
    [null, "4.9"],
    ["52.4", null],
    ["", ""],
    ["NaN", "4.9"],
    ["Infinity", "4.9"],
    ["90.01", "4.9"],
    ["52.4", "180.01"],
    ["52.4", "-181"],
    ["1e1", "4.9"],
    ["0x10", "4.9"],
    [" 52.4", "4.9"],
    ["52,4", "4.9"],
    ["1".repeat(60_000), "4.9"],
  ])("%.20j, %j", (latitude, longitude) => {
    expect(coarseCoordinates(latitude, longitude)).toBeNull();
  });
});
