/** The most frequent values of a dimension. Pressing one filters by it; a type-ahead finds those that are not listed. */
import type { ClickBreakdown } from "@hopline/client/openapi";
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { CircleMinus, Search } from "lucide-react";
import { useEffect, useState } from "react";
import { formatNumber, formatPercent } from "../format.ts";
import { useDebounced } from "../links/use-debounced.ts";
import { ask } from "../queries.ts";
import { Button, IconButton, PathFirst, Segments } from "../ui/controls.tsx";
import { ErrorNote, Skeleton } from "../ui/page.tsx";
import { Popup } from "../ui/popup-menu.tsx";
import { type Chip, type Dimension, type toQuestion } from "./analytics-search.ts";
import { valueName } from "./value-name.ts";
import { DIMENSIONS, t } from "./words.ts";

const FEW = 8;
const MANY = 100;

type BreakdownCardProps = {
  readonly title: string;
  readonly dimensions: readonly Dimension[];
  /** Of the first dimension: it comes with the page. */
  readonly first: ClickBreakdown | undefined;
  readonly question: ReturnType<typeof toQuestion>;
  readonly onFilter: (chip: Chip) => void;
  readonly onShow: (breakdown: ClickBreakdown) => void;
};

export function BreakdownCard({ title, dimensions, first, question, onFilter, onShow }: BreakdownCardProps) {
  const [dimension, setDimension] = useState<Dimension>(dimensions[0] ?? "link");
  const [isLong, setLong] = useState(false);
  const isFirst = dimension === dimensions[0] && !isLong;
  const other = useQuery({
    ...ask(["analytics", "breakdown", dimension, isLong, question], (hopline, options) =>
      hopline.readBreakdown({ ...question, dimension, limit: isLong ? MANY : FEW }, options),
    ),
    enabled: !isFirst,
    placeholderData: keepPreviousData,
  });
  const breakdown = isFirst ? first : other.data?.dimension === dimension ? other.data : undefined;
  useEffect(() => {
    if (breakdown !== undefined) {
      onShow(breakdown);
    }
  });
  return (
    <section className="card breakdown" aria-label={title}>
      <div className="card-head">
        <h2>{title}</h2>
        <span className="spread">
          <ValueSearch dimension={dimension} question={question} onFilter={onFilter} />
        </span>
      </div>
      <Segments
        label={title}
        value={dimension}
        onChange={setDimension}
        choices={dimensions.map((value) => ({ value, label: DIMENSIONS[value] }))}
      />
      {!isFirst && other.isError && <ErrorNote error={other.error} onRetry={() => void other.refetch()} />}
      {breakdown === undefined ? (
        !other.isError && <Skeleton lines={FEW} height={26} />
      ) : (
        <Values breakdown={breakdown} onFilter={onFilter} />
      )}
      {breakdown !== undefined && (breakdown.other.values > 0 || isLong) && (
        <Button
          label={
            isLong
              ? t.showFewer
              : t.moreWithClicks(formatNumber(breakdown.other.values), formatNumber(breakdown.other.clicks))
          }
          isSmall
          kind="quiet"
          onClick={() => setLong(!isLong)}
        />
      )}
    </section>
  );
}

type ValuesProps = { readonly breakdown: ClickBreakdown; readonly onFilter: (chip: Chip) => void };

function Values({ breakdown: { dimension, values, total }, onFilter }: ValuesProps) {
  if (values.length === 0) {
    return <p className="soft small no-clicks">{t.noClicksInThisRange}</p>;
  }
  const most = Math.max(1, ...values.map(({ clicks }) => clicks));
  return (
    <ol className="bars">
      {values.map(({ value, label, clicks }) => {
        const name = valueName(dimension, value, label);
        return (
          <li key={value ?? ""}>
            <button
              type="button"
              className="bar"
              title={t.onlyName(name)}
              onClick={() => onFilter({ dimension, isNot: false, value: value ?? "" })}
            >
              <span className="bar-fill" style={{ width: `${(clicks / most) * 100}%` }} />
              <span className="cut">{dimension === "link" ? <PathFirst url={name} /> : name}</span>
              <span className="soft small spread share">
                {total === 0 ? "" : formatPercent(clicks / total)}
              </span>
              <b>{formatNumber(clicks)}</b>
            </button>
            <IconButton
              icon={CircleMinus}
              label={t.excludeName(name)}
              onClick={() => onFilter({ dimension, isNot: true, value: value ?? "" })}
            />
          </li>
        );
      })}
    </ol>
  );
}

type ValueSearchProps = Pick<BreakdownCardProps, "question" | "onFilter"> & { readonly dimension: Dimension };

function ValueSearch({ dimension, question, onFilter }: ValueSearchProps) {
  const [isOpen, setOpen] = useState(false);
  const [text, setText] = useState("");
  const settled = useDebounced(text, 180);
  const found = useQuery({
    ...ask(["analytics", "values", dimension, settled, question], (hopline, options) =>
      hopline.suggestValues({ ...question, dimension, search: settled, limit: 10 }, options),
    ),
    enabled: isOpen,
    placeholderData: keepPreviousData,
  });
  return (
    <Popup
      title={t.searchByDimension(DIMENSIONS[dimension])}
      isOpen={isOpen}
      onOpenChange={setOpen}
      trigger={<IconButton icon={Search} label={t.searchByDimension(DIMENSIONS[dimension])} />}
    >
      <div className="stack tight">
        <input
          className="input"
          aria-label={DIMENSIONS[dimension]}
          placeholder={t.dimensionBeginsWith(DIMENSIONS[dimension])}
          value={text}
          onChange={(event) => setText(event.currentTarget.value)}
        />
        {found.isError && <ErrorNote error={found.error} />}
        <ul>
          {(found.data?.data ?? []).map(({ value, label, clicks }) => (
            <li key={value ?? ""}>
              <button
                type="button"
                className="menu-item"
                onClick={() => {
                  onFilter({ dimension, isNot: false, value: value ?? "" });
                  setOpen(false);
                  setText("");
                }}
              >
                <span className="cut">{valueName(dimension, value, label)}</span>
                <span className="soft small spread">{formatNumber(clicks)}</span>
              </button>
            </li>
          ))}
        </ul>
      </div>
    </Popup>
  );
}
