/** Everything that a link may have besides its basics: the same sections for a new one and for one that is there. */
import { countOf } from "../format.ts";

import { type ComponentType, Suspense } from "react";
import { Within } from "../ui/form-context.tsx";
import { Skeleton } from "../ui/page.tsx";
import { LimitsSection } from "./limits-section.tsx";
import type { Draft } from "./link-draft.ts";
import { PreviewSection } from "./preview-section.tsx";
import { RedirectSection } from "./redirect-section.tsx";
import { ScheduleSection } from "./schedule-section.tsx";
import type { Frame } from "./section-frames.tsx";
import type { SectionProps } from "./section-props.ts";
import { SplitEditor } from "./split-editor.tsx";
import { UtmSection } from "./utm-section.tsx";
import { t } from "./editor-words.ts";
import { shared } from "../words.ts";
import { lazyPart } from "../ui/lazy-part.ts";

// Dragging is a library of its own.
const QrSection = lazyPart(() => import("../qr/qr-section.tsx"), "QrSection");
const RulesSection = lazyPart(() => import("./rules-editor.tsx"), "RulesSection");

type Section = {
  readonly title: string;
  /** What a link has of it, in a few words; empty for nothing. */
  readonly describe: (draft: Draft) => string;
  readonly Content: ComponentType<SectionProps>;
};

const SECTIONS: readonly Section[] = [
  {
    title: t.rules,
    describe: ({ rules }) => describeRules(rules),
    Content: RulesSection,
  },
  {
    title: t.split,
    describe: ({ split }) => (split === null ? "" : countOf(split.length, "variant")),
    Content: SplitSection,
  },
  {
    title: t.schedule,
    describe: ({ startsAt, expiresAt, next }) => isSet(startsAt ?? expiresAt ?? next),
    Content: ScheduleSection,
  },
  { title: t.limits, describe: ({ cap, password }) => isSet(cap ?? password), Content: LimitsSection },
  {
    title: t.previewInSocialNetworks,
    describe: ({ openGraph }) => isSet(openGraph),
    Content: PreviewSection,
  },
  { title: shared.qrCode, describe: ({ qr }) => isSet(qr), Content: QrSection },
  { title: t.utm, describe: ({ utm }) => isSet(utm), Content: UtmSection },
  { title: t.redirect, describe: ({ redirectStatus }) => isSet(redirectStatus), Content: RedirectSection },
];

/** `Around` is what a section is drawn in. */
export function LinkSections({ Around, ...props }: SectionProps & { readonly Around: ComponentType<Frame> }) {
  return SECTIONS.map(({ title, describe, Content }) => (
    <Around key={title} title={title} about={describe(props.draft)}>
      <Suspense fallback={<Skeleton lines={3} height={26} />}>
        <Content {...props} />
      </Suspense>
    </Around>
  ));
}

function SplitSection({ draft, set }: SectionProps) {
  return (
    <>
      <p className="soft">{t.forVisitorsThatNoRuleSends}</p>
      <Within path="split">
        <SplitEditor variants={draft.split} firstUrl={draft.url} onChange={(split) => set({ split })} />
      </Within>
    </>
  );
}

function describeRules(rules: Draft["rules"]): string {
  const off = rules.filter(({ enabled }) => enabled === false).length;
  return rules.length === 0 ? "" : `${countOf(rules.length, "rule")}${off === 0 ? "" : `, ${off} off`}`;
}

function isSet(value: unknown): string {
  return value === null || value === undefined ? "" : "set";
}
