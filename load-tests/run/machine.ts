/** The machine a figure was measured on, and how busy it was: a figure without it says nothing. */
import os from "node:os";

export type Machine = {
  readonly cpuModel: string;
  readonly cpuCount: number;
  readonly memoryGiB: number;
  readonly system: string;
  /** Of the last minute, before anything of ours ran. Others on the machine show here. */
  readonly loadAverageBefore: number;
};

export function describeMachine(): Machine {
  const [cpu] = os.cpus();
  return {
    cpuModel: cpu?.model.trim() ?? "unknown",
    cpuCount: os.availableParallelism(),
    memoryGiB: Math.round(os.totalmem() / 2 ** 30),
    system: `${os.type()} ${os.release().split("-")[0]} ${os.arch()}`,
    loadAverageBefore: Math.round((os.loadavg()[0] ?? 0) * 100) / 100,
  };
}
