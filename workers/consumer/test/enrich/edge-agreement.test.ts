import { readEdgeDevice } from "@hopline/core/rules/evaluate/edge-device";
import { describe, expect, it } from "vitest";
import corpus from "../golden/user-agents.json" with { type: "json" };

describe("what rules route by and what charts show", () => {
  // The edge looks for tokens, the consumer parses. They may differ on rare programs, but not on what people use.
  it.each(["browser", "os", "device"] as const)("agrees on the %s of 97 in 100 real user agents", (field) => {
    const same = corpus.filter((entry) => readEdgeDevice(entry.userAgent)[field] === entry[field]);
    expect(same.length / corpus.length).toBeGreaterThan(0.97);
  });

  it("agrees on 97 in 100 whether it is a program or a person", () => {
    const same = corpus.filter(
      (entry) => readEdgeDevice(entry.userAgent).isBot === (entry.class !== "human"),
    );
    expect(same.length / corpus.length).toBeGreaterThan(0.97);
  });
});
