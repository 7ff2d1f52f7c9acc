/** A form that the API refuses in every field. */
import { holdRequest, pressAt } from "@hopline/testkit/browser/drive-browser";
import { expect } from "vitest";
import { stack } from "../visitor-stack.ts";
import type { Page } from "./open-in-app.ts";

type Schema = {
  readonly $ref?: string;
  readonly properties?: { readonly [name: string]: unknown };
  readonly allOf?: readonly Schema[];
};
type Document = {
  readonly paths: {
    readonly [path: string]: {
      readonly [method: string]: {
        readonly operationId?: string;
        readonly requestBody?: {
          readonly content: { readonly "application/json"?: { readonly schema: Schema } };
        };
      };
    };
  };
  readonly components: { readonly schemas: { readonly [name: string]: Schema } };
};

let document: Promise<Document> | null = null;

/**
 * Sends the form that is on the page. Its request is answered as if every field of the body was at fault, and the whole of it;
 * each of these faults must be in the form, with the focus on the first. Resolves to where they are: names of the API with the
 * labels of their fields; a name that is not there has its fault beside the button.
 */
export async function refuseEveryField(
  page: Page,
  operationId: string,
  { button, url }: { readonly button: string; readonly url: string },
): Promise<{ readonly [name: string]: string }> {
  const names = await fieldsOf(operationId);
  const errors = ["", ...names].map((path) => ({ path, message: `has the fault (${path})` }));
  {
    await using held = await holdRequest(page, url);
    // The page below a dialog may have a button of this name, too.
    await pressAt(page, `form ::-p-named([name="${button}"][role="button"])`);
    const problem = {
      type: "about:blank",
      title: "Invalid",
      status: 422,
      code: "invalid",
      detail: "",
      errors,
    };
    await (await held.asked).answer(422, "application/problem+json", JSON.stringify(problem));
  }
  await page.waitForFunction(
    (all) => {
      const form = window.document.querySelector<HTMLFormElement>(
        "form:has([aria-invalid=true], [data-fault])",
      );
      return all.every(({ path }) => form?.innerText.includes(`the fault (${path})`));
    },
    {},
    errors,
  );
  const isAtFirst = () =>
    window.document.activeElement === window.document.querySelector("[aria-invalid=true], [data-fault]");
  await page.waitForFunction(isAtFirst);
  const shown = await page.$$eval(".field:has(.field-error)", (fields) =>
    fields.map((field) => [
      /the fault \((\w*)\)/.exec(field.querySelector(".field-error")?.textContent ?? "")?.[1] ?? "",
      field.querySelector("label")?.textContent ?? "",
    ]),
  );
  return Object.fromEntries(shown) as { readonly [name: string]: string };
}

async function fieldsOf(operationId: string): Promise<readonly string[]> {
  document ??= fetch(`${stack.url}/api/openapi.json`).then(
    (response) => response.json() as Promise<Document>,
  );
  const { paths, components } = await document;
  const found = Object.values(paths)
    .flatMap((path) => Object.values(path))
    .find((one) => one.operationId === operationId);
  const namesOf = (schema: Schema | undefined): readonly string[] => [
    ...Object.keys(schema?.properties ?? {}),
    ...(schema?.allOf ?? []).flatMap(namesOf),
    ...(schema?.$ref === undefined ? [] : namesOf(components.schemas[schema.$ref.split("/").at(-1) ?? ""])),
  ];
  const names = namesOf(found?.requestBody?.content["application/json"]?.schema);
  expect(names, operationId).not.toEqual([]);
  return names;
}
