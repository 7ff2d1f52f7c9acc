/** Destinations with their shares. Weights are any numbers; shares follow from them. */
import type { Variant } from "@hopline/client/openapi";
import { Plus, Trash2 } from "lucide-react";
import { Fragment } from "react";
import { formatPercent } from "../format.ts";
import { Button, FieldError, IconButton } from "../ui/controls.tsx";
import { withScheme } from "./with-scheme.ts";
import { t } from "./editor-words.ts";

type SplitEditorProps = {
  readonly variants: Variant[] | null;
  /** What the first variant begins with. */
  readonly firstUrl: string;
  readonly onChange: (variants: Variant[] | null) => void;
};

export function SplitEditor({ variants, firstUrl, onChange }: SplitEditorProps) {
  if (variants === null) {
    return (
      <div>
        <Button icon={Plus} label={t.splitVisitors} isSmall onClick={() => onChange(splitOf(firstUrl))} />
      </div>
    );
  }
  const total = variants.reduce((sum, { weight }) => sum + weight, 0);
  const change = (index: number, part: Partial<Variant>) =>
    onChange(variants.map((variant, at) => (at === index ? { ...variant, ...part } : variant)));
  return (
    <div className="stack tight">
      <FieldError path="" part="itself" />
      {variants.map((variant, index) => (
        <Fragment key={index}>
          <div className="variant">
            <input
              className="input"
              aria-label={t.nameVariant(index + 1)}
              value={variant.id}
              onChange={(event) => change(index, { id: event.currentTarget.value })}
            />
            <input
              className="input"
              aria-label={t.destinationVariant(variant.id)}
              value={variant.url}
              onChange={(event) => change(index, { url: event.currentTarget.value })}
              onBlur={() => change(index, { url: withScheme(variant.url) })}
            />
            <input
              className="input number"
              aria-label={t.weightVariant(variant.id)}
              type="number"
              min={0}
              value={variant.weight}
              onChange={(event) => change(index, { weight: Number(event.currentTarget.value) })}
            />
            <span className="soft number">{total === 0 ? "0%" : formatPercent(variant.weight / total)}</span>
            <IconButton
              icon={Trash2}
              label={t.removeVariant(variant.id)}
              onClick={() => onChange(variants.length <= 2 ? null : variants.toSpliced(index, 1))}
            />
          </div>
          <FieldError path={`[${index}]`} />
        </Fragment>
      ))}
      <div>
        <Button
          icon={Plus}
          label={t.variant}
          isSmall
          onClick={() => onChange([...variants, { id: nextName(variants), url: firstUrl, weight: 50 }])}
        />
      </div>
    </div>
  );
}

/** In halves. */
export function splitOf(url: string): Variant[] {
  return ["a", "b"].map((id) => ({ id, url, weight: 50 }));
}

function nextName(variants: readonly Variant[]): string {
  const names = "abcdefghijklmnopqrstuvwxyz".split("");
  return names.find((name) => variants.every(({ id }) => id !== name)) ?? `v${variants.length + 1}`;
}
