-- Which caps are used up, so that the planner knows how few they are: it takes a comparison of two columns for a third of all
-- rows, and read through every link of a workspace to list those that had used up their cap. Statistics of an expression are
-- used where it is asked IS TRUE.
DROP INDEX IF EXISTS link_caps_used_up;
CREATE INDEX IF NOT EXISTS link_caps_ended ON link_caps (link_id) WHERE (used >= max_clicks) IS TRUE;
CREATE STATISTICS IF NOT EXISTS link_caps_ended_share ON ((used >= max_clicks)) FROM link_caps;
