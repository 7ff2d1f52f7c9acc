/** Imports and exports of files through the API. */
import type { Stage } from "../stage.ts";

export type ImportReport = {
  readonly rows: number;
  readonly created: number;
  readonly replaced: number;
  readonly reused: number;
  readonly refused: number;
  readonly refusals: readonly {
    readonly row: number;
    readonly code: string;
    readonly slug: string | null;
    readonly errors: readonly { readonly path: string }[];
  }[];
  readonly warnings: readonly { readonly slug: string; readonly message: string }[];
};

type File = { readonly query?: string; readonly body: string; readonly type?: string };

/** `type` is text/csv by default. */
export async function sendFile(
  stage: Pick<Stage, "app">,
  key: string,
  { query = "", body, type = "text/csv" }: File,
): Promise<ImportReport> {
  const response = await stage.app.request(`/api/v1/links/import?${query}`, {
    method: "POST",
    headers: { authorization: `Bearer ${key}`, "content-type": type },
    body,
  });
  return response.json() as Promise<ImportReport>;
}

export async function downloadFile(stage: Pick<Stage, "app">, key: string, query: string): Promise<string> {
  const headers = { authorization: `Bearer ${key}` };
  return (await stage.app.request(`/api/v1/links/export?${query}`, { headers })).text();
}
