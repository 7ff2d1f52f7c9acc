/** How a link's QR code looks: by a design of the workspace, or part by part. */
import { QR_PRESETS } from "@hopline/core/qr/presets";
import { useQuery } from "@tanstack/react-query";
import { Trash2 } from "lucide-react";
import { ownCache } from "../caches.ts";
import type { SectionProps } from "../links/section-props.ts";
import { domainsQuery, useMay, useWorkspace, workspacesQuery } from "../queries.ts";
import {
  choicesOf,
  FieldError,
  fieldsOf,
  IconButton,
  SelectField,
  Switch,
  TextField,
  type TextFieldProps,
} from "../ui/controls.tsx";
import { Note } from "../ui/page.tsx";
import { useSending } from "../use-sending.ts";
import { ChoiceField } from "../ui/tokens-field.tsx";
import { judgeQr, type KeptDesign, MAX_MARGIN, type QrDesign, toDesign, toKept } from "./qr-address.ts";
import { SHAPE_NAMES, t } from "./words.ts";
const SHAPES = choicesOf(SHAPE_NAMES);

export function QrSection({ draft, set, link }: SectionProps) {
  const design = toDesign(draft.qr);
  const change = (part: Partial<QrDesign>) => set({ qr: toKept({ ...design, ...part }) });
  const { data: domains = [] } = useQuery(domainsQuery);
  const hasLogo = domains.some(({ host, logo }) => logo !== null && (link === null || host === link.domain));
  const warning = judgeQr(design);
  const field = fieldsOf(design, change);
  return (
    <>
      <FieldError path="qr" />
      <PresetField kept={draft.qr} onChange={(qr) => set({ qr })} />
      <div className="two narrow">
        <ColorField label={t.colour} {...field("color")} />
        {design.background !== "transparent" && <ColorField label={t.background} {...field("background")} />}
        <SelectField label={t.dots} {...field("dots")} choices={SHAPES} />
        <SelectField label={t.eyes} {...field("eyes")} choices={SHAPES} />
      </div>
      <Switch
        label={t.transparentBackground}
        isOn={design.background === "transparent"}
        onChange={(isOn) => change({ background: isOn ? "transparent" : "ffffff" })}
      />
      {hasLogo ? (
        <Switch
          label={link === null ? t.logoDomain : t.logoDomainOfDomain(link.domain)}
          isOn={design.logo}
          onChange={field("logo").onChange}
        />
      ) : (
        <p className="small soft">{t.domainsCodesCanHaveLogoAdd}</p>
      )}
      <RangeField
        label={t.margin}
        {...field("margin")}
        min={0}
        max={MAX_MARGIN}
        text={`${design.margin} modules`}
      />
      {warning !== null && <Note kind="warn">{warning}</Note>}
    </>
  );
}

type PresetFieldProps = { readonly kept: KeptDesign; readonly onChange: (kept: KeptDesign) => void };

/** Designs that everyone has, and those of the workspace, which its admins save under a name and remove. */
function PresetField({ kept, onChange }: PresetFieldProps) {
  const mayManage = useMay("admin");
  const { id: workspaceId, qrPresets } = useWorkspace();
  const saving = useSending({
    send: (hopline, presets: typeof qrPresets) =>
      hopline.updateWorkspace({ workspaceId, body: { qrPresets: presets } }),
    said: t.presetsWorkspaceSaved,
    onSent: () => ownCache.invalidateQueries(workspacesQuery),
    isBare: true,
  });
  const presets = [...qrPresets, ...QR_PRESETS];
  const isChosen = ({ design }: { readonly design: KeptDesign }) =>
    JSON.stringify(toDesign(design)) === JSON.stringify(toDesign(kept));
  const chosen = presets.find(isChosen);
  const own = qrPresets.find((one) => one === chosen);
  return (
    <div className="row end">
      <ChoiceField
        label={t.preset}
        placeholder={t.customDesign}
        {...(mayManage ? { createdBy: t.saveThisDesignAs, hint: t.typeNameToSaveThisDesign } : {})}
        choices={presets.map(({ name }) => ({ value: name, label: name }))}
        value={chosen?.name ?? ""}
        onChange={(name) => {
          const preset = presets.find((one) => one.name === name);
          if (preset !== undefined) {
            onChange(toKept(toDesign(preset.design)));
          } else if (name !== "") {
            saving.mutate([...qrPresets, { name, design: kept ?? {} }]);
          }
        }}
      />
      {mayManage && own !== undefined && (
        <IconButton
          isLarge
          icon={Trash2}
          label={t.deletePreset(own.name)}
          onClick={() => saving.mutate(qrPresets.filter((one) => one !== own))}
        />
      )}
    </div>
  );
}

/** `value`: six hexadecimal digits. */
function ColorField({ label, value, onChange }: Pick<TextFieldProps, "label" | "value" | "onChange">) {
  return (
    <TextField label={label} type="color" value={`#${value}`} onChange={(text) => onChange(text.slice(1))} />
  );
}

type RangeFieldProps = Pick<TextFieldProps, "min" | "max"> & {
  readonly label: string;
  readonly value: number;
  /** The value, as people read it. */
  readonly text: string;
  readonly onChange: (value: number) => void;
};

export function RangeField({ label, value, text, onChange, ...bounds }: RangeFieldProps) {
  return (
    <TextField
      {...bounds}
      label={label}
      hint={text}
      type="range"
      className=""
      aria-label={label}
      aria-valuetext={text}
      value={String(value)}
      onChange={(moved) => onChange(Number(moved))}
    />
  );
}
