/** The statement that records which links tags have (migrations/0018). The caller holds the lock of SUMMARY_SETTINGS. */

export type WantedTags = {
  /** Condition on (workspace_id, tag), for both a link's tag and a membership. */
  readonly isWanted: string;
  /** Condition on `links`, supported by an index, that holds for every link with a wanted tag. */
  readonly hasWanted?: string;
  /** Beginning of the WITH. */
  readonly tables?: string;
};

/** Begins a new generation of each wanted tag whose links changed since its last one. */
export function beginGenerations({ isWanted, hasWanted = "tags <> '{}'", tables = "" }: WantedTags): string {
  return `
  WITH ${tables}present AS MATERIALIZED (
    SELECT DISTINCT workspace_id, tag, links.id AS link_id FROM links CROSS JOIN LATERAL unnest(tags) AS tag
    WHERE ${hasWanted} AND ${isWanted}
  ), change AS MATERIALIZED (
    SELECT workspace_id, tag, link_id, known.link_id IS NULL AS came
    FROM present FULL JOIN (
      SELECT workspace_id, tag, link_id FROM tag_memberships WHERE ${isWanted} AND to_generation IS NULL
    ) AS known USING (workspace_id, tag, link_id)
    WHERE present.link_id IS NULL OR known.link_id IS NULL
  ), begun AS (
    INSERT INTO tag_generations AS last (workspace_id, tag, generation, counted_generation)
    SELECT DISTINCT workspace_id, tag, 1, 0 FROM change
    ON CONFLICT (workspace_id, tag) DO UPDATE SET generation = last.generation + 1
    RETURNING workspace_id, tag, generation
  ), ended AS (
    UPDATE tag_memberships AS membership SET to_generation = begun.generation
    FROM change JOIN begun USING (workspace_id, tag)
    WHERE NOT came AND membership.workspace_id = begun.workspace_id AND membership.tag = begun.tag
      AND membership.link_id = change.link_id AND to_generation IS NULL
  )
  INSERT INTO tag_memberships (workspace_id, tag, link_id, from_generation)
  SELECT workspace_id, tag, link_id, generation FROM change JOIN begun USING (workspace_id, tag) WHERE came`;
}
