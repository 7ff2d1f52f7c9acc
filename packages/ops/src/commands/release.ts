/** `pnpm release VERSION`: dates the version's section of CHANGELOG.md and sets the version. Tags and pushes nothing. */
import { readFile, writeFile } from "node:fs/promises";

import { Failure } from "@hopline/testkit/console/failure";
import { consoleProgress } from "@hopline/testkit/console/progress";
import { inWorkspace } from "@hopline/testkit/workspace/workspace";
import { defineCommand } from "citty";
import { applyEdits, modify } from "jsonc-parser";

import { planRelease } from "../operate/plan-release.ts";

export const example = "pnpm release 0.1.0";

export default defineCommand({
  meta: {
    name: "pnpm release",
    description: "Dates a version's section of CHANGELOG.md and sets the version",
  },
  args: { version: { type: "positional", required: true, description: "Such as 0.2.0" } },
  async run({ args }) {
    const [changelog, manifest] = [inWorkspace("CHANGELOG.md"), inWorkspace("package.json")];
    const today = new Date().toISOString().slice(0, 10);
    const planned = planRelease(await readFile(changelog, "utf8"), args.version, today);
    if (!planned.ok) {
      throw new Failure(`${planned.error} Nothing was changed.`);
    }
    await writeFile(changelog, planned.value);
    const text = await readFile(manifest, "utf8");
    await writeFile(manifest, applyEdits(text, modify(text, ["version"], args.version, {})));
    const progress = consoleProgress();
    progress.line(`Version ${args.version} of ${today}. Next: commit, then`);
    progress.line(
      `  git tag --annotate v${args.version} --message "Hopline ${args.version}" && git push --follow-tags`,
    );
  },
});
