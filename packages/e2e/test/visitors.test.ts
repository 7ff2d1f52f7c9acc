/** What visitors and API clients do, on one stack: one part after the other. The dashboard has a stack of its own. */
import "./visitors/click-counted.ts";
// After clicks that nobody wanted: its consumer does not know of it.
import "./visitors/webhooks.ts";
import "./visitors/smart-links.ts";
import "./visitors/live.ts";
import "./visitors/gauges.ts";
import "./visitors/spilled-segment.ts";
import "./visitors/imported-links.ts";
import "./visitors/api-tour.ts";
import "./visitors/dashboard-session.ts";
import "./visitors/mcp.ts";
import "./visitors/operators.ts";
import "./visitors/examples.ts";
import "./visitors/crowd.ts";
import "./visitors/export-aborted.ts";
import "./visitors/made-up-keys.ts";
// The last: its unknown links use up the look-ups of one network.
import "./visitors/visitor-hangs-up.ts";
