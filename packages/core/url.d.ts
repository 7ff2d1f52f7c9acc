/** The little of the WHATWG URL that write-time checks need; every runtime of ours has it, no ES library declares it. */
declare class URL {
  constructor(url: string);
  static canParse(url: string): boolean;
  readonly href: string;
  readonly origin: string;
  readonly protocol: string;
  readonly username: string;
  readonly password: string;
  readonly host: string;
  readonly hostname: string;
}
