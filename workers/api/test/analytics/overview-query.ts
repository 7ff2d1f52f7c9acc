/** GET /api/v1/analytics/overview with the filters of a test, as a call. */
type Filters = Readonly<
  Record<string, { readonly is?: readonly (string | null)[]; readonly isNot?: readonly (string | null)[] }>
>;

type Asked = { readonly filters?: Filters } & Readonly<Record<string, unknown>>;

/** Lists are repeated; unknown (`null`) is an empty value. */
export function overviewOf({ filters = {}, ...parameters }: Asked): string {
  const given = [
    ...Object.entries(parameters),
    ...Object.entries(filters).flatMap(([name, { is, isNot }]) => [
      [name, is ?? []] as const,
      [`${name}.not`, isNot ?? []] as const,
    ]),
  ];
  const query = new URLSearchParams(
    given.flatMap(([name, value]) => [value].flat().map((one) => [name, String(one ?? "")])),
  );
  return `GET /api/v1/analytics/overview?${query.toString()}`;
}
