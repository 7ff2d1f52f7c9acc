/**
 * What a command prints while it works: one line for each finished step with its duration. What is running is shown on
 * a terminal in a line that goes away; elsewhere a line says so whenever nothing was printed for ten seconds.
 */
const NAME_WIDTH = 52;
const ERASE_LINE = "\r\u001B[2K";
/** A log that stays silent for longer looks as if the command hung. */
const LONGEST_SILENCE_MS = 10_000;

export type Output = { write(text: string): unknown; readonly isTTY?: boolean };

/** Calls `run` once after a delay; returns how to cancel it. */
export type After = (delayMs: number, run: () => void) => () => void;

/** Work that may say where it is: `report("round 3 of 12")`. */
export type Work<T> = (report: (where: string) => void) => Promise<T>;

export type Progress = {
  /** Prints a line. */
  line(text: string): void;
  /** Prints the name of a finished step with its duration. */
  done(name: string, durationMs: number): void;
  /** Prints the name of a step that failed, for commands that go on after a failure. */
  failed(name: string, durationMs: number): void;
  /** Runs `work`, then prints `name` with its duration. Prints nothing when it fails: that is for the caller. */
  step<T>(name: string, work: Work<T>): Promise<T>;
  /** Runs `work` with `name` shown as running; its result is for the caller to print. */
  during<T>(name: string, work: Work<T>): Promise<T>;
};

export function createProgress(output: Output, nowMs: () => number, after: After = afterRealTime): Progress {
  const isTerminal = output.isTTY === true;
  const running = new Set<{ readonly name: string; readonly startedAtMs: number; where: string }>();
  let cancelReminder: (() => void) | null = null;

  const describe = ({ name, where }: { readonly name: string; readonly where: string }): string =>
    where === "" ? name : `${name}: ${where}`;
  /** On a terminal: writes the line that is erased again. Elsewhere: `remind` will say the same after a silence. */
  const showRunning = (): void => {
    if (isTerminal) {
      const names = [...running].map(describe).join(", ");
      output.write(running.size === 0 ? ERASE_LINE : `${ERASE_LINE}  … ${names}`);
      return;
    }
    if (running.size > 0) {
      cancelReminder ??= after(LONGEST_SILENCE_MS, remind);
    } else {
      endSilence();
    }
  };
  const endSilence = (): void => {
    cancelReminder?.();
    cancelReminder = null;
  };
  const line = (text: string): void => {
    output.write(`${isTerminal ? ERASE_LINE : ""}${text}\n`);
    endSilence();
    if (running.size > 0) {
      showRunning();
    }
  };
  const remind = (): void => {
    const names = [...running].map(
      (entry) => `${describe(entry)} (${Math.round((nowMs() - entry.startedAtMs) / 1000)} s)`,
    );
    line(`  … ${names.join(", ")}`);
  };
  const during = async <T>(name: string, work: Work<T>): Promise<T> => {
    const entry = { name, startedAtMs: nowMs(), where: "" };
    running.add(entry);
    showRunning();
    try {
      return await work((where) => {
        entry.where = where;
        if (isTerminal) {
          showRunning();
        }
      });
    } finally {
      running.delete(entry);
      showRunning();
    }
  };
  const finished = (mark: string) => (name: string, durationMs: number) =>
    line(`  ${mark} ${name.padEnd(NAME_WIDTH)} ${formatDuration(durationMs)}`);
  const done = finished("✓");
  return {
    line,
    done,
    failed: finished("✗"),
    during,
    step: async (name, work) => {
      const startedAtMs = nowMs();
      const value = await during(name, work);
      done(name, nowMs() - startedAtMs);
      return value;
    },
  };
}

/** Progress on standard output. */
export function consoleProgress(): Progress {
  return createProgress(process.stdout, () => performance.now());
}

function afterRealTime(delayMs: number, run: () => void): () => void {
  const timer = setTimeout(run, delayMs).unref();
  return () => clearTimeout(timer);
}

/** `340 ms`, `2.1 s`: right-aligned to eight characters. */
export function formatDuration(durationMs: number): string {
  const text = durationMs < 1000 ? `${Math.round(durationMs)} ms` : `${(durationMs / 1000).toFixed(1)} s`;
  return text.padStart(8);
}
