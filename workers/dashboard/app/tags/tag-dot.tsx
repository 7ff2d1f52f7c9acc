/** A tag's colour as a dot beside its name: the name stays readable, whatever the colour. */
export function TagDot({ color }: { readonly color: string | null | undefined }) {
  return color === null || color === undefined ? null : (
    <span className="tag-dot" style={{ background: color }} aria-hidden />
  );
}
