/** The OpenAPI 3.1 document of the routes. */
import { isObject } from '../../protocol/index.ts'
import type { JsonSchema } from '../../schema/check-schema.ts'
import { VERSION } from '../../version.ts'
import { needsOf } from '../scopes.ts'
import { PROBLEM, PROBLEM_TYPE } from './problem.ts'
import type { Answer, Route } from './route.ts'

export interface OpenApi {
  readonly openapi: '3.1.0'
  readonly info: { readonly title: string; readonly version: string; readonly description: string }
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>
  readonly components: {
    readonly schemas: Readonly<Record<string, JsonSchema>>
    readonly securitySchemes: object
  }
  readonly security: readonly object[]
}

export interface Operation {
  readonly operationId: string
  readonly summary: string
  readonly description?: string
  readonly parameters: readonly Parameter[]
  readonly requestBody?: { readonly required: boolean; readonly content: Content }
  readonly responses: Readonly<Record<string, { readonly description: string; readonly content?: Content }>>
  /** What a token must be good for. */
  readonly 'x-scope': string
}

interface Parameter {
  readonly name: string
  readonly in: 'path' | 'query' | 'header'
  readonly required: boolean
  readonly description?: string
  readonly schema: JsonSchema
  /** Of a list: its items are separated by commas. */
  readonly style?: 'form'
  readonly explode?: false
}

type Content = Readonly<Record<string, { readonly schema: JsonSchema }>>

export function openApi(routes: readonly Route[]): OpenApi {
  const schemas: Record<string, JsonSchema> = {}
  const named = (schema: JsonSchema) => byName(schema, schemas) as JsonSchema
  const paths: Record<string, Record<string, Operation>> = {}
  for (const route of routes) {
    const operations = paths[route.path] ?? {}
    operations[route.method] = operationOf(route, named)
    paths[route.path] = operations
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Thinkon',
      version: VERSION,
      description:
        'Runs of reasoning: start them, follow them, steer them. Errors are problem JSON (RFC 9457).',
    },
    paths,
    components: {
      schemas,
      securitySchemes: { token: { type: 'http', scheme: 'bearer' } },
    },
    security: [{ token: [] }],
  }
}

function operationOf(route: Route, named: (schema: JsonSchema) => JsonSchema): Operation {
  const { name, summary, description, does, body, upload } = route
  const content = upload ? { [upload.type]: { schema: { type: 'string' } } } : body && json(named(body))
  return {
    operationId: name,
    summary,
    ...(description !== undefined && { description }),
    parameters: [
      ...parametersOf('path', route.params),
      ...parametersOf('query', route.query),
      ...parametersOf('header', route.headers),
    ],
    ...(content && {
      requestBody: { required: upload !== undefined || Array.isArray(body?.required), content },
    }),
    responses: {
      ...Object.fromEntries(
        Object.entries(route.answers).map(([status, one]) => [status, responseOf(one, named)]),
      ),
      default: { description: 'A problem.', content: { [PROBLEM_TYPE]: { schema: named(PROBLEM) } } },
    },
    'x-scope': needsOf(does).join(' '),
  }
}

function parametersOf(place: Parameter['in'], schemas: Route['query'] = {}): Parameter[] {
  return Object.entries(schemas).map(([name, { description, ...schema }]) => ({
    name,
    in: place,
    required: place === 'path',
    ...(typeof description === 'string' && { description }),
    schema,
    ...(place === 'query' && schema.type === 'array' && ({ style: 'form', explode: false } as const)),
  }))
}

function responseOf({ description, schema, types = {} }: Answer, named: (schema: JsonSchema) => JsonSchema) {
  const others = Object.fromEntries(Object.entries(types).map(([type, one]) => [type, { schema: one }]))
  const content = { ...(schema && json(named(schema))), ...others }
  return { description, ...(Object.keys(content).length > 0 && { content }) }
}

function json(schema: JsonSchema): Content {
  return { 'application/json': { schema } }
}

/** Schemas with a title stand once, and are referred to. */
function byName(value: unknown, schemas: Record<string, JsonSchema>): unknown {
  if (Array.isArray(value)) return value.map((item) => byName(item, schemas))
  if (!isObject(value)) return value
  const parts = Object.fromEntries(Object.entries(value).map(([key, part]) => [key, byName(part, schemas)]))
  if (typeof value.title !== 'string') return parts
  schemas[value.title] = parts
  return { $ref: `#/components/schemas/${value.title}` }
}
