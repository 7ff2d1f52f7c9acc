/** Clicks by country on a map. Pressing a country filters by it; the same numbers are in the list of countries. */
import { useQuery } from "@tanstack/react-query";
import { geoEqualEarth, geoPath } from "d3-geo";
import codes from "i18n-iso-countries/codes.json";
import type { KeyboardEvent } from "react";
import { feature } from "topojson-client";
import type { GeometryCollection, Topology } from "topojson-specification";
import worldUrl from "world-atlas/countries-110m.json?url";
import { countryName, formatNumber } from "../format.ts";
import { ask } from "../queries.ts";
import { ErrorNote, Skeleton } from "../ui/page.tsx";
import type { toQuestion } from "./analytics-search.ts";
import { Completeness } from "./completeness.tsx";
import { useWidth } from "./use-width.ts";
import { t } from "./words.ts";

/** More than there are. */
const COUNTRIES = 300;
const ANTARCTICA = "010";

/** The map's countries have the numbers of ISO 3166-1, clicks its two letters. */
const LETTERS = new Map(codes.map(([letters = "", , number = ""]) => [number, letters]));

type WorldMapProps = {
  readonly question: ReturnType<typeof toQuestion>;
  readonly onCountry: (country: string) => void;
};

export function WorldMap({ question, onCountry }: WorldMapProps) {
  const [frame, width] = useWidth();
  const world = useQuery({
    queryKey: ["world"],
    queryFn: async () => {
      const topology = (await (await fetch(worldUrl)).json()) as Topology<{ countries: GeometryCollection }>;
      return feature(topology, topology.objects.countries).features.filter(({ id }) => id !== ANTARCTICA);
    },
    staleTime: Number.POSITIVE_INFINITY,
  });
  const clicks = useQuery(
    ask(["analytics", "map", question], (hopline, options) =>
      hopline.readBreakdown({ ...question, dimension: "country", limit: COUNTRIES }, options),
    ),
  );
  const error = world.error ?? clicks.error;
  if (error !== null) {
    return <ErrorNote error={error} onRetry={() => void Promise.all([world.refetch(), clicks.refetch()])} />;
  }
  const height = Math.round(width * 0.48);
  const features = world.data ?? [];
  const projection = geoEqualEarth().fitSize([width, height], { type: "FeatureCollection", features });
  const path = geoPath(projection);
  const byCountry = new Map((clicks.data?.values ?? []).map(({ value, clicks: number }) => [value, number]));
  const most = Math.max(1, ...byCountry.values());
  return (
    <div ref={frame} className="stack tight map">
      {clicks.data !== undefined && (
        <p className="soft small">
          {formatNumber(byCountry.size)} {byCountry.size === 1 ? t.country : t.countries}{" "}
          <Completeness range={clicks.data.range} />
        </p>
      )}
      {width === 0 || clicks.data === undefined || world.data === undefined ? (
        <Skeleton lines={6} height={30} />
      ) : (
        <svg width={width} height={height} aria-label={t.clicksByCountry} role="group">
          {features.map((country, index) => {
            const letters = LETTERS.get(String(country.id)) ?? "";
            const number = byCountry.get(letters) ?? 0;
            // Roots, or all but the first country would look empty.
            const share = number === 0 ? 0 : 18 + Math.sqrt(number / most) * 82;
            const shape = { d: path(country) ?? "", style: { "--heat": `${share}%` } as React.CSSProperties };
            const name = `${countryName(letters)}: ${formatNumber(number)}`;
            const onKeyDown = (event: KeyboardEvent) => {
              if (event.key === "Enter" || event.key === " ") {
                event.preventDefault();
                onCountry(letters);
              }
            };
            const button = { role: "button", tabIndex: 0, "aria-label": name, onKeyDown };
            return number === 0 ? (
              <path key={index} {...shape} aria-hidden />
            ) : (
              <path key={index} {...shape} {...button} onClick={() => onCountry(letters)}>
                <title>{name}</title>
              </path>
            );
          })}
        </svg>
      )}
    </div>
  );
}
