/** Decides what a release writes into CHANGELOG.md. Pure. */
import { fail, ok, type Result } from "@hopline/core/decode/result";

const VERSION = /^\d+\.\d+\.\d+$/;

/** The text with the date at the version, whose section is the first one and says "unreleased"; else why not, in a sentence. */
export function planRelease(changelog: string, version: string, date: string): Result<string, string> {
  if (!VERSION.test(version)) {
    return fail(`"${version}" is not a version such as 0.2.0.`);
  }
  const [heading = ""] = changelog.match(/^## .*$/m) ?? [];
  if (heading !== `## ${version}, unreleased`) {
    return fail(`CHANGELOG.md begins with "${heading}", not with "## ${version}, unreleased".`);
  }
  const [, section = ""] = changelog.split(heading);
  const [own = ""] = section.split(/^## /m);
  if (!/^- /m.test(own)) {
    return fail(`The section of ${version} in CHANGELOG.md has no entry.`);
  }
  return ok(changelog.replace(heading, `## ${version}, ${date}`));
}
