/**
 * What a command prints while it works: one line per finished step with its duration, and on a terminal a line that
 * names what is running now and goes away. The only file of this package that writes to the console.
 */
import { describeError } from "./failure.ts";

const NAME_WIDTH = 52;
const ERASE_LINE = "\r\u001B[2K";

export type Output = { write(text: string): unknown; readonly isTTY?: boolean };

export type Progress = {
  /** Prints a line as it is. */
  line(text: string): void;
  /** Prints the name of a finished step with what it took. */
  done(name: string, durationMs: number): void;
  /** Prints the name of a step that failed, for commands that go on after a failure. */
  failed(name: string, durationMs: number): void;
  /** Runs `work`, then prints `name` with its duration. Prints nothing when it fails: the caller tells why. */
  step<T>(name: string, work: () => Promise<T>): Promise<T>;
  /** Runs `work` with `name` shown as running; what comes of it is the caller's to print. */
  during<T>(name: string, work: () => Promise<T>): Promise<T>;
};

export function createProgress(output: Output, nowMs: () => number): Progress {
  const running = new Set<string>();
  const showRunning = (): void => {
    if (output.isTTY === true) {
      output.write(running.size === 0 ? ERASE_LINE : `${ERASE_LINE}  … ${[...running].join(", ")}`);
    }
  };
  const line = (text: string): void => {
    output.write(`${output.isTTY === true ? ERASE_LINE : ""}${text}\n`);
    if (running.size > 0) {
      showRunning();
    }
  };
  const during = async <T>(name: string, work: () => Promise<T>): Promise<T> => {
    running.add(name);
    showRunning();
    try {
      return await work();
    } finally {
      running.delete(name);
      showRunning();
    }
  };
  const done = (name: string, durationMs: number): void => {
    line(`  ✓ ${name.padEnd(NAME_WIDTH)} ${formatDuration(durationMs)}`);
  };
  return {
    line,
    done,
    during,
    failed: (name, durationMs) => line(`  ✗ ${name.padEnd(NAME_WIDTH)} ${formatDuration(durationMs)}`),
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

/** `340 ms`, `2.1 s`: right-aligned to eight characters. */
export function formatDuration(durationMs: number): string {
  const text = durationMs < 1000 ? `${Math.round(durationMs)} ms` : `${(durationMs / 1000).toFixed(1)} s`;
  return text.padStart(8);
}

/**
 * Runs a command and sets its exit code: what `main` returns, or 1 when it throws. An expected failure is one line on
 * standard error; a bug keeps its stack.
 */
export async function runCommand(main: () => Promise<number>): Promise<void> {
  // Nobody reads on (`pnpm dev | head`): no reason to crash, and to leave a database behind.
  process.stdout.on("error", () => undefined);
  try {
    process.exitCode = await main();
  } catch (error) {
    process.stderr.write(`✗ ${describeError(error)}\n`);
    process.exitCode = 1;
  }
}
