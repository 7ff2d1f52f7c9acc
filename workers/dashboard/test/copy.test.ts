import { afterEach, expect, it, vi } from "vitest";
import { copy } from "../app/ui/copy.ts";
import { showMessagesWith } from "../app/ui/message-queue.ts";

vi.mock("../app/ui/load-overlays.ts", () => ({ loadOverlays: () => undefined }));

afterEach(() => vi.unstubAllGlobals());

it.each([
  ["copied", () => Promise.resolve()],
  ["not allowed to be copied", () => Promise.reject(new Error("NotAllowedError"))],
])("a secret that is %s is not in the message about it", async (_what, writeText) => {
  const written = vi.fn(writeText);
  vi.stubGlobal("navigator", { clipboard: { writeText: written } });
  const messages: unknown[] = [];
  const stop = showMessagesWith((message) => messages.push(message));
  await copy("whsec_c2VjcmV0", "the secret");
  stop();
  expect(written).toHaveBeenCalledWith("whsec_c2VjcmV0");
  expect(JSON.stringify(messages)).toContain("the secret");
  expect(JSON.stringify(messages)).not.toContain("whsec_c2VjcmV0");
});
