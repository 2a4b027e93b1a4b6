/** The OpenAPI document as a page to read: one file, nothing from elsewhere, no script. */
import type { JsonSchema } from '../../schema/check-schema.ts'
import type { OpenApi, Operation } from './openapi.ts'
import { PAGE_STYLE } from './page-style.ts'
import { escaped, prose, schemaHtml, typeHtml } from './schema-html.ts'

interface Placed {
  readonly path: string
  readonly method: string
  readonly operation: Operation
}

export function openApiPage({ info, paths, components }: OpenApi, base: string): Response {
  const operations = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ path, method, operation })),
  )
  const schemas = Object.entries(components.schemas)
  const html = `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>${escaped(info.title)} API</title><style>${PAGE_STYLE}</style></head><body>
<nav><a class="name" href="#top">${escaped(info.title)} API</a>
${SCOPE_TITLES.map(([scope, title]) => contents(title, ofScope(operations, scope))).join('\n')}
<h2>Schemas</h2><ul>${schemas.map(([name]) => `<li><a href="#schema-${escaped(name)}">${escaped(name)}</a></li>`).join('')}</ul></nav>
<main id="top"><h1>${escaped(info.title)} API <small>${escaped(info.version)}</small></h1>
<p>${escaped(info.description)}</p>
<p>Send a token: <code>Authorization: Bearer &lt;token&gt;</code>. It is good for the scopes that its operator has given it.
The same as data: <a href="${escaped(base)}/openapi.json">openapi.json</a> (OpenAPI 3.1).</p>
${SCOPE_TITLES.map(([scope, title, about]) => group(title, about, ofScope(operations, scope), base)).join('\n')}
<h2 class="group">Schemas</h2>
${schemas.map(([name, schema]) => `<section id="schema-${escaped(name)}"><h3>${escaped(name)}</h3>${schemaHtml(schema)}</section>`).join('\n')}
</main></body></html>
`
  return new Response(html, {
    headers: { 'content-type': 'text/html; charset=utf-8', 'content-security-policy': POLICY },
  })
}

const POLICY =
  "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

const SCOPE_TITLES = [
  ['start', 'Start', 'Makes and deletes runs.'],
  ['read', 'Look', 'Changes nothing.'],
  ['steer', 'Steer', 'Changes runs that are there.'],
] as const

function ofScope(operations: readonly Placed[], scope: string): Placed[] {
  return operations.filter(({ operation }) => operation['x-scope'].split(' ')[0] === scope)
}

function contents(title: string, operations: readonly Placed[]): string {
  const items = operations.map(
    ({ path, method, operation }) =>
      `<li><a href="#${escaped(operation.operationId)}" title="${escaped(operation.summary)}">${badge(method)}<code>${escaped(path)}</code></a></li>`,
  )
  return `<h2>${title}</h2><ul>${items.join('')}</ul>`
}

function group(title: string, about: string, operations: readonly Placed[], base: string): string {
  const scope = operations[0]?.operation['x-scope'] ?? ''
  return `<h2 class="group">${title} <small>${escaped(about)} Scope: <code>${escaped(scope)}</code></small></h2>
${operations.map((one) => section(one, base)).join('\n')}`
}

function section({ path, method, operation }: Placed, base: string): string {
  const { operationId, summary, description, parameters, requestBody, responses } = operation
  const rows = parameters.map(
    ({ name, in: place, description: about = '', schema }) =>
      `<tr><td><code>${escaped(name)}</code></td><td>${place}</td><td>${typeHtml(schema)}</td><td>${prose(about)}</td></tr>`,
  )
  // Every answer may be a problem, which is said once, at the top.
  const answers = Object.entries(responses).filter(([status]) => status !== 'default')
  return `<section id="${escaped(operationId)}"><h3>${badge(method)}<code>${escaped(base + path)}</code></h3>
<p><strong>${escaped(summary)}.</strong> ${prose(description ?? '')}</p>
${rows.length === 0 ? '' : `<table>${rows.join('')}</table>`}
${requestBody === undefined ? '' : `<h4>Body</h4>${bodies(requestBody.content)}`}
${answers.map(([status, one]) => `<h4><span class="status">${escaped(status)}</span> ${prose(one.description)}</h4>${bodies(one.content)}`).join('\n')}</section>`
}

function bodies(content: Readonly<Record<string, { schema: JsonSchema }>> = {}): string {
  return Object.entries(content)
    .map(([type, { schema }]) =>
      type === 'application/json' ? schemaHtml(schema) : `<p><code>${escaped(type)}</code></p>`,
    )
    .join('')
}

function badge(method: string): string {
  return `<span class="method ${method}">${method === 'delete' ? 'DEL' : method.toUpperCase()}</span>`
}
