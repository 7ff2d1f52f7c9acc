import { describe, expect, it } from "vitest";
import { loadOnce } from "../src/load-once.ts";

describe("a lazy part", () => {
  it("is loaded with its first use, and later uses get no promise", async () => {
    let loads = 0;
    const withPart = loadOnce(async () => {
      loads += 1;
      return { answer: 42 };
    });
    expect(loads).toBe(0);
    const first = withPart(({ answer }) => answer);
    expect(first).toBeInstanceOf(Promise);
    expect(await first).toBe(42);
    expect(withPart(({ answer }) => answer + 1)).toBe(43);
    expect(loads).toBe(1);
  });

  it("that another request is still loading is not waited for: that request may be cut off", async () => {
    const loads: PromiseWithResolvers<string>[] = [];
    const withPart = loadOnce(() => {
      const load = Promise.withResolvers<string>();
      loads.push(load);
      return load.promise;
    });
    const cutOff = withPart((part) => part);
    const next = withPart((part) => part);
    loads[1]?.resolve("loaded");
    expect(await next).toBe("loaded");
    expect(withPart((part) => part)).toBe("loaded");
    expect(cutOff).toBeInstanceOf(Promise);
  });

  it("whose use fails is loaded all the same", async () => {
    const withPart = loadOnce(async () => "part");
    const failing = withPart((): string => {
      throw new Error("of the use");
    });
    await expect(failing).rejects.toThrow("of the use");
    expect(withPart((part) => part)).toBe("part");
  });
});
