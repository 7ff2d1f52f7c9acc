/** Who asks, as far as we want to know. */
import { truncateAddress } from "@hopline/core/click/truncate-address";

/** The visitor's truncated network, `null` where the platform does not say. */
export function readNetwork(headers: Headers): string | null {
  const address = headers.get("cf-connecting-ip");
  return address === null ? null : truncateAddress(address);
}
