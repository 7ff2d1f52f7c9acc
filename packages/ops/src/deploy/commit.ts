import { runTool } from "@hopline/testkit/console/run-tool";

/**
 * The commit of the checkout, shortened, with `-dirty` after it where files differ from it; null outside of git.
 * Deployed versions are tagged with it, and compared with it.
 */
export async function readCommit(): Promise<string | null> {
  // `--exclude *`: a commit, whether or not it is tagged.
  const describe = ["describe", "--always", "--dirty", "--abbrev=12", "--exclude", "*"];
  const run = await runTool("git", describe).catch(() => null);
  return run?.exitCode === 0 ? run.output : null;
}
