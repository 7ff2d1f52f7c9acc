/** A GET that changes something: it may connect an account, of which an email tells. As CALLBACK_PATH. */
export function isProviderCallback(path: string): boolean {
  return /^\/api\/auth\/provider\/[^/]+\/callback$/.test(path);
}
