/** Which commit the checkout is at: deployed versions are marked with it, and compared with it. */
import { execFile } from "node:child_process";
import { promisify } from "node:util";

import { WORKSPACE_ROOT } from "@hopline/testkit/workspace/workspace";

/** Shortened, with `-dirty` after it where files differ from it; null outside of git. */
export async function readCommit(): Promise<string | null> {
  try {
    // `--exclude *`: a commit, whether or not it is tagged.
    const { stdout } = await promisify(execFile)(
      "git",
      ["describe", "--always", "--dirty", "--abbrev=12", "--exclude", "*"],
      { cwd: WORKSPACE_ROOT },
    );
    return stdout.trim();
  } catch {
    return null;
  }
}
