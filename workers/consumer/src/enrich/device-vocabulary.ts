/**
 * What is stored of a device, in the words that rules route by too: one vocabulary, owned by the core, so that what a
 * rule sends somewhere is what the chart shows. What is not in a list is `null`, never "unknown".
 */
import type { BrowserName, DeviceClass, OsName } from "@hopline/core/rules/device-names";

/** What a user agent says about itself. `null` is "not said", or said in words the vocabulary lacks. */
export type Device = {
  readonly browser: BrowserName | null;
  readonly os: OsName | null;
  readonly device: DeviceClass | null;
};
