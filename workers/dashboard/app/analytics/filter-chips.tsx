/** The filters of clicks, each with a way to take it away. */
import { useQuery } from "@tanstack/react-query";
import { linkQuery } from "../links/link-cache.ts";
import { FilterChip } from "../ui/controls.tsx";
import { type AnalyticsSearch, type Chip, chipsOf, withoutChip } from "./analytics-search.ts";
import { valueName } from "./value-name.ts";
import { DIMENSIONS, t } from "./words.ts";

type FilterChipsProps = {
  readonly search: AnalyticsSearch;
  readonly onChange: (search: AnalyticsSearch) => void;
};

export function FilterChips({ search, onChange }: FilterChipsProps) {
  return chipsOf(search)
    .filter(({ dimension }) => dimension !== "class")
    .map((chip) => (
      <OneFilter
        key={`${chip.dimension}${String(chip.isNot)}${chip.value}`}
        chip={chip}
        onRemove={() => onChange(withoutChip(search, chip))}
      />
    ));
}

function OneFilter({ chip, onRemove }: { readonly chip: Chip; readonly onRemove: () => void }) {
  const { dimension, isNot, value } = chip;
  const link = useQuery({
    ...linkQuery(value),
    enabled: dimension === "link" && value !== "",
    staleTime: 60_000,
  });
  const name = valueName(dimension, value, link.data?.link.shortUrl ?? null);
  const text = `${DIMENSIONS[dimension]}${isNot ? t.isNot : ":"} ${name}`;
  return <FilterChip text={text} onRemove={onRemove} />;
}
