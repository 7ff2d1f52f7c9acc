/** Text of random characters of an alphabet, all equally likely: bytes that would favour some characters are discarded. */
export function randomText(
  alphabet: string,
  length: number,
  randomBytes: (count: number) => Uint8Array,
): string {
  const largestFairByte = 256 - (256 % alphabet.length);
  let text = "";
  while (text.length < length) {
    for (const byte of randomBytes(length)) {
      if (byte < largestFairByte && text.length < length) {
        text += alphabet.charAt(byte % alphabet.length);
      }
    }
  }
  return text;
}
