/** The OpenAPI document as a page to read: one file, nothing from elsewhere, no script. */
import type { JsonSchema } from '../../schema/check-schema.ts'
import type { OpenApi, Operation } from './openapi.ts'

export function openApiPage({ info, paths, components }: OpenApi, base: string): Response {
  const operations = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ path, method, operation })),
  )
  const html = `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>${escaped(info.title)} API</title><style>${STYLE}</style></head><body><main>
<h1>${escaped(info.title)} API <small>${escaped(info.version)}</small></h1>
<p>${escaped(info.description)} Send a token as <code>Authorization: Bearer &lt;token&gt;</code>.
The same as data: <a href="${escaped(base)}/openapi.json">openapi.json</a> (OpenAPI 3.1).</p>
<nav><ul>${operations.map(({ path, method, operation }) => `<li><a href="#${escaped(operation.operationId)}"><code>${method.toUpperCase()} ${escaped(path)}</code></a> ${escaped(operation.summary)}</li>`).join('')}</ul></nav>
${operations.map(({ path, method, operation }) => section(base + path, method, operation)).join('\n')}
<h2>Schemas</h2>
${Object.entries(components.schemas)
  .map(
    ([name, schema]) =>
      `<section id="schema-${escaped(name)}"><h3>${escaped(name)}</h3>${code(schema)}</section>`,
  )
  .join('\n')}
</main></body></html>
`
  return new Response(html, {
    headers: { 'content-type': 'text/html; charset=utf-8', 'content-security-policy': POLICY },
  })
}

const POLICY =
  "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

function section(path: string, method: string, operation: Operation): string {
  const { operationId, summary, description, parameters, requestBody, responses } = operation
  const rows = parameters.map(
    ({ name, in: place, description: about = '', schema }) =>
      `<tr><td><code>${escaped(name)}</code></td><td>${place}</td><td><code>${escaped(JSON.stringify(schema))}</code></td><td>${escaped(about)}</td></tr>`,
  )
  const contents = (content: Record<string, { schema: JsonSchema }> = {}) =>
    Object.entries(content)
      .map(([type, { schema }]) => `<p><code>${escaped(type)}</code></p>${code(schema)}`)
      .join('')
  const answers = Object.entries(responses).map(
    ([status, one]) => `<h4>${escaped(status)}: ${escaped(one.description)}</h4>${contents(one.content)}`,
  )
  return `<section id="${escaped(operationId)}"><h2><code>${method.toUpperCase()} ${escaped(path)}</code></h2>
<p><strong>${escaped(summary)}.</strong> ${escaped(description ?? '')} Needs the scope <code>${escaped(operation['x-scope'])}</code>.</p>
${rows.length === 0 ? '' : `<table>${rows.join('')}</table>`}
${requestBody === undefined ? '' : `<h4>Body</h4>${contents(requestBody.content)}`}
${answers.join('\n')}</section>`
}

function code(schema: JsonSchema): string {
  const text = escaped(JSON.stringify(schema, null, 2))
  const linked = text.replaceAll(
    /&quot;#\/components\/schemas\/(\w+)&quot;/g,
    '<a href="#schema-$1">&quot;#/components/schemas/$1&quot;</a>',
  )
  return `<pre>${linked}</pre>`
}

function escaped(text: string): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
}

const STYLE = `:root{color-scheme:light dark}body{font:15px/1.5 system-ui,sans-serif;margin:0}main{max-width:60rem;margin:auto;padding:1rem}
code,pre{font:13px/1.45 ui-monospace,monospace}pre{padding:.6rem;overflow:auto;border:1px solid #8884;border-radius:6px}
table{border-collapse:collapse}td{border:1px solid #8884;padding:.2rem .5rem;vertical-align:top}section{border-top:1px solid #8884}
nav ul{list-style:none;padding:0}small{font-weight:normal;opacity:.6}`
