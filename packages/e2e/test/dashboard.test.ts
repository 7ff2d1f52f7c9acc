/** What people do in the dashboard, on a stack of its own: a file beside the visitors', so that both cores have work. */
import "./visitors/dashboard.ts";
