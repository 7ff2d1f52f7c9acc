/** Links from a file: first what would happen, then the import itself. */
import { useQuery } from "@tanstack/react-query";
import { Link as RouterLink } from "@tanstack/react-router";
import { FileUp } from "lucide-react";
import { useState } from "react";
import { formatNumber } from "../format.ts";
import { readListsAgain } from "../links/link-cache.ts";
import { type Format, guessFormat } from "./guess-format.ts";
import { describeRefusal } from "./describe-refusal.ts";
import { readStart, START_BYTES } from "./read-start.ts";
import { domainsQuery } from "../queries.ts";
import { Button, buttonClass, Checkbox, choicesOf, fieldsOf, SelectField } from "../ui/controls.tsx";
import { TextTable } from "../ui/data-table.tsx";
import { Form, FormEnd } from "../ui/form.tsx";
import { Note, PageHead } from "../ui/page.tsx";
import { useSending } from "../use-sending.ts";
import { CONFLICTS, FORMATS, t } from "./words.ts";
import { shared } from "../words.ts";
type Conflict = keyof typeof CONFLICTS;

/** By the name of a file, because browsers disagree about these types. */
const TYPES: readonly (readonly [RegExp, string])[] = [
  [/\.(?:jsonl|ndjson)$/i, "application/x-ndjson"],
  [/\.json$/i, "application/json"],
  [/./, "text/csv"],
];

export function ImportPage() {
  const { data: domains = [] } = useQuery(domainsQuery);
  const active = domains.filter(({ status }) => status === "active");
  const [file, setFile] = useState<File | null>(null);
  const [draft, setDraft] = useState({
    format: "hopline" as Format,
    domain: "",
    conflict: "skip" as Conflict,
    reuse: false,
  });
  const { domain, ...how } = draft;
  const importing = useSending({
    send: (hopline, { dryRun }: { readonly dryRun: boolean }) => {
      const type = TYPES.find(([pattern]) => pattern.test(file?.name ?? "x"))?.[1] ?? "text/csv";
      const body = new Blob(file === null ? [] : [file], { type });
      return hopline.importLinks({ body, dryRun, ...how, ...(domain === "" ? {} : { domain }) });
    },
    onSent: ({ dryRun }, _how, cache) => dryRun || readListsAgain(cache),
  });
  const report = importing.data;
  const set = (change: Partial<typeof draft>) => {
    setDraft({ ...draft, ...change });
    importing.reset();
  };
  const field = fieldsOf(draft, set);
  const [start, setStart] = useState("");
  const guessed = guessFormat(start);
  const [head = [], ...first] = file !== null && /\.csv$/i.test(file.name) ? readStart(start) : [];
  const choose = (chosen: File | undefined) => {
    setFile(chosen ?? null);
    importing.reset();
    void chosen
      ?.slice(0, START_BYTES)
      .text()
      .then((text) => {
        setStart(text);
        setDraft((before) => ({ ...before, format: guessFormat(text) ?? before.format }));
      });
  };
  return (
    <main className="page narrow">
      <PageHead title={t.import} about={t.linksFromFileCsvJsonLines} />
      <section className="card">
        <Form
          values={{ file, ...draft }}
          sending={importing}
          onSubmit={() => importing.mutate({ dryRun: true })}
        >
          <label
            className="drop"
            onDragOver={(event) => event.preventDefault()}
            onDrop={(event) => {
              event.preventDefault();
              choose(event.dataTransfer.files[0]);
            }}
          >
            <FileUp size={22} aria-hidden />
            <span>
              {file === null
                ? t.chooseFileOrDropItHere
                : t.fileValueKb(file.name, formatNumber(Math.ceil(file.size / 1024)))}
            </span>
            <input
              type="file"
              className="hidden-label"
              accept=".csv,.json,.jsonl,.ndjson,text/csv,application/json"
              onChange={(event) => choose(event.currentTarget.files?.[0])}
            />
          </label>
          <SelectField
            label={t.exportedFrom}
            hint={guessed === null ? undefined : t.firstLineLooksLike(FORMATS[guessed])}
            {...field("format")}
            choices={choicesOf(FORMATS)}
          />
          {active.length > 1 && (
            <SelectField
              label={shared.domain}
              {...field("domain")}
              choices={[
                { value: "", label: t.asInFileOtherwiseOldest },
                ...active.map(({ host }) => ({ value: host, label: host })),
              ]}
            />
          )}
          <TextTable label={t.firstRowsFile} head={head} rows={first} />
          <SelectField
            label={t.ifSlugIsTaken}
            hint={draft.conflict === "replace" ? t.linkGetsRowsValuesAndKeeps : undefined}
            {...field("conflict")}
            choices={choicesOf(CONFLICTS)}
          />
          <Checkbox label={t.reuse} isOn={draft.reuse} onChange={(reuse) => set({ reuse })} />
          <FormEnd submit={importing.isPending ? t.readingFile : t.checkFile} isDisabled={file === null} />
        </Form>
      </section>
      {report !== undefined && (
        <section className="card stack" aria-label={t.report} tabIndex={-1} ref={takeFocus}>
          <Note kind={report.refused > 0 ? "warn" : "good"}>
            {report.dryRun ? t.nothingHasBeenImportedYet : ""}
            <strong>{formatNumber(report.created)}</strong>{" "}
            {t.rowsRefused(
              formatNumber(report.rows),
              report.dryRun,
              report.replaced,
              report.reused,
              formatNumber(report.refused),
            )}
          </Note>
          {report.created + report.replaced > 0 && (
            <div>
              {report.dryRun ? (
                <Button
                  label={t.importOrReplace(report)}
                  kind="primary"
                  disabled={importing.isPending}
                  onClick={() => importing.mutate({ dryRun: false })}
                />
              ) : (
                <RouterLink from="/w/$workspaceId" to="/w/$workspaceId/links" className={buttonClass({})}>
                  {t.showImportedLinks}
                </RouterLink>
              )}
            </div>
          )}
          <Rows
            title={t.refused}
            rows={report.refusals.map((one) => ({ ...one, text: describeRefusal(one) }))}
          />
          <Rows
            title={t.importedWithChanges}
            rows={report.warnings.map(({ message: text, ...one }) => ({ ...one, text }))}
          />
        </section>
      )}
    </main>
  );
}

/** From the button, which is gone or off by then. */
function takeFocus(report: HTMLElement | null): void {
  report?.focus();
}

type Row = { readonly row: number; readonly slug: string | null; readonly text: string };

function Rows({ title, rows }: { readonly title: string; readonly rows: readonly Row[] }) {
  return rows.length === 0 ? null : (
    <div className="stack tight">
      <h2>{title}</h2>
      <TextTable
        label={title}
        className="report-rows"
        head={["Row", "Slug", "Why"]}
        rows={rows.map(({ row, slug, text }) => [formatNumber(row), <code key={row}>{slug}</code>, text])}
      />
    </div>
  );
}
