/** The statuses with which a link may redirect, the usual one first. */
export const REDIRECTS = [
  { value: 302, label: "302, temporary" },
  { value: 301, label: "301, permanent: browsers keep it" },
  { value: 307, label: "307, temporary, keeps the method" },
  { value: 308, label: "308, permanent, keeps the method" },
] as const;
