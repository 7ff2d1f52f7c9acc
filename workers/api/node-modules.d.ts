/** What the Worker uses of Node, which the runtime has (nodejs_compat); Node's own types would bring all of its globals. */
declare module "node:async_hooks" {
  export class AsyncLocalStorage<Store> {
    run<Result>(store: Store, callback: () => Result): Result;
    getStore(): Store | undefined;
  }
}
declare module "node:buffer" {
  export const Buffer: {
    from(bytes: Uint8Array): { toString(encoding: "base64" | "hex"): string };
    from(text: string, encoding: "hex"): Uint8Array<ArrayBuffer>;
  };
}
declare module "node:zlib" {
  export function crc32(bytes: Uint8Array): number;
  export function deflateSync(
    bytes: Uint8Array,
    options: { readonly level: number },
  ): Uint8Array<ArrayBuffer>;
  /** Throws when there is more. */
  export function inflateSync(
    bytes: Uint8Array,
    options: { readonly maxOutputLength: number },
  ): Uint8Array<ArrayBuffer>;
}
