/** What several isolates of one stack know, and when. */
import "./isolates/smart-isolates.ts";
import "./isolates/changed-owners.ts";
// The last: a domain's default status reaches 250 links at once, and this imports more.
import "./isolates/coherence.ts";
