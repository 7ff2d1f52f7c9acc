import { afterEach, expect, it, vi } from "vitest";
import { copy } from "../app/ui/copy.ts";

const said = vi.hoisted(() => [] as string[]);
vi.mock("../app/ui/toasts.ts", () => ({ say: (text: string) => said.push(text) }));

afterEach(() => vi.unstubAllGlobals());

it.each([
  ["copied", () => Promise.resolve(), "Copied the secret"],
  ["not allowed to be copied", () => Promise.reject(new Error("NotAllowedError")), "Select the secret"],
])("a secret that is %s is not in the message about it", async (_what, writeText, text) => {
  const written = vi.fn(writeText);
  vi.stubGlobal("navigator", { clipboard: { writeText: written } });
  await copy("whsec_c2VjcmV0", "the secret");
  expect(written).toHaveBeenCalledWith("whsec_c2VjcmV0");
  const message = said.splice(0).join("");
  expect(message).toContain(text);
  expect(message).not.toContain("whsec_c2VjcmV0");
});
