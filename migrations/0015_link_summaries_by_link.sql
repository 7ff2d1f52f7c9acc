-- The summaries of chosen links (by their ids, or by tags) are read link by link: here each link's periods lie side by
-- side, with everything that is asked of them, so that 250 links of 90 days are 250 short reads and not 22,000 rows from
-- all over the table.
CREATE INDEX IF NOT EXISTS link_summaries_by_link ON link_summaries (workspace_id, link_id, period_start)
  INCLUDE (class, domain_id, clicks, quarters, quarter_clicks);
