/**
 * /api/docs: the reference, drawn in the browser from the OpenAPI document next to it. One file, no request to anyone
 * else; the policy in its header holds it to that.
 */

const STYLE = `
:root { color-scheme: light dark; font: 16px/1.5 system-ui, sans-serif; }
body { max-width: 60rem; margin: 0 auto; padding: 1rem; }
details { border: 1px solid #8886; border-radius: .4rem; margin: .5rem 0; padding: .5rem .8rem; }
summary { cursor: pointer; } summary b { display: inline-block; min-width: 4.5rem; }
pre { overflow: auto; background: #8882; padding: .6rem; border-radius: .4rem; }
table { border-collapse: collapse; } th, td { text-align: left; vertical-align: top; padding: .2rem .8rem .2rem 0; }
`;

const SCRIPT = `
const element = (name, ...children) => {
  const made = document.createElement(name);
  made.append(...children.filter((child) => child !== null && child !== undefined));
  return made;
};
const block = (value) => element("pre", JSON.stringify(value, null, 2));
const named = (title, child) => (child ? [element("h4", title), child] : []);
const parametersOf = (list) => list && element("table", ...list.map((one) =>
  element("tr", element("th", one.name), element("td", one.in + (one.required ? ", required" : "")),
    element("td", one.description ?? ""))));
const answersOf = (responses) => element("table", ...Object.entries(responses).map(([status, one]) =>
  element("tr", element("th", status), element("td", one.description ?? ""))));
const operationOf = (path, method, operation) => {
  const made = element("details",
    element("summary", element("b", method.toUpperCase()), element("code", path), " " + (operation.summary ?? "")),
    operation.description ? element("p", operation.description) : null,
    element("p", operation.security ? "Scope: " + operation.security.flatMap((one) => Object.values(one).flat()).join(", ") : "No key"),
    ...named("Parameters", parametersOf(operation.parameters)),
    ...named("Body", operation.requestBody && block(Object.values(operation.requestBody.content)[0].example ?? {})),
    ...named("Answers", answersOf(operation.responses)));
  made.id = operation.operationId ?? "";
  return made;
};
const draw = (api) => {
  const groups = new Map();
  for (const [path, methods] of Object.entries(api.paths)) {
    for (const [method, operation] of Object.entries(methods)) {
      const tag = operation.tags?.[0] ?? "More";
      groups.set(tag, [...(groups.get(tag) ?? []), operationOf(path, method, operation)]);
    }
  }
  document.querySelector("main").replaceChildren(
    element("p", api.info.description),
    ...[...groups].flatMap(([tag, operations]) => [element("h2", tag), ...operations]),
    element("h2", "Schemas"),
    ...Object.entries(api.components?.schemas ?? {}).map(([name, schema]) =>
      element("details", element("summary", name), block(schema))));
};
fetch("openapi.json").then((response) => response.json()).then(draw, () => {
  document.querySelector("main").textContent = "The document could not be loaded: /api/openapi.json";
});
`;

const PAGE = `<!doctype html><html lang="en"><head><meta charset="utf-8">
<meta name="viewport" content="width=device-width"><title>Hopline API</title><style>${STYLE}</style></head>
<body><h1>Hopline API</h1><p>As a document for machines: <a href="openapi.json">openapi.json</a></p>
<main>Loading</main><script>${SCRIPT}</script></body></html>`;

const POLICY =
  "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; connect-src 'self'; base-uri 'none'; frame-ancestors 'none'";

export function toReferencePage(): Response {
  return new Response(PAGE, {
    headers: {
      "content-type": "text/html; charset=utf-8",
      "content-security-policy": POLICY,
      "cache-control": "public, max-age=300",
    },
  });
}
