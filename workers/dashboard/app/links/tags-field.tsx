/** Tags as chips, with those of the workspace as suggestions. Enter and comma add, Backspace in the empty field removes. */
import { useQuery } from "@tanstack/react-query";
import { tagsQuery } from "../queries.ts";
import { useTagColors } from "../tags/tag-colors.ts";
import { TagDot } from "../tags/tag-dot.tsx";
import { TokensField } from "../ui/tokens-field.tsx";
import { shared } from "../words.ts";

type TagsFieldProps = {
  readonly tags: readonly string[];
  readonly onChange: (tags: readonly string[]) => void;
  readonly path?: string;
};

export function TagsField({ tags, onChange, path }: TagsFieldProps) {
  const { data = [] } = useQuery(tagsQuery);
  const colors = useTagColors();
  return (
    <TokensField
      label={shared.tags}
      tokens={tags}
      onChange={onChange}
      choices={data.map(({ name }) => ({ value: name, label: name }))}
      isOpen
      markOf={(tag) => <TagDot color={colors.get(tag)} />}
      path={path}
    />
  );
}
