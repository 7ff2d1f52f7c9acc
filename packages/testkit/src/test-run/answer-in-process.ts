/** Before each test file of a project that asks for it: its statements reach their /sql endpoint without a socket. */
import { fetchInProcess } from "../sql-endpoint/in-process.ts";

globalThis.fetch = fetchInProcess;
