/** What a request of either form asks for, and how its common fields are read. */
import type { SaidTurn } from '../../engine/dialogue/conversation.ts'
import type { CallerTool } from '../../engine/tools/caller-tools.ts'
import { isObject } from '../../protocol/index.ts'
import type { JsonSchema } from '../../schema/check-schema.ts'
import { LIMITS, RUN_ID, type StartRequest } from '../start-request.ts'
import { badRequest } from './errors.ts'

export interface AskedRequest {
  /** As the client wrote it. */
  readonly model: string
  readonly turns: readonly SaidTurn[]
  readonly tools: readonly CallerTool[]
  readonly start: Pick<StartRequest, 'output' | 'seed' | 'options' | 'budget' | 'id'>
  readonly stream: boolean
  /** False: one call is given at a time. */
  readonly parallelCalls: boolean
}

/** Of both forms. Fields that are not here are let pass: clients send many. */
export const COMMON = {
  model: { type: 'string', minLength: 1, maxLength: 1_200 },
  stream: { type: ['boolean', 'null'] },
  parallel_tool_calls: { type: ['boolean', 'null'] },
  tools: {
    type: ['array', 'null'],
    maxItems: 128,
    items: { type: 'object', properties: { type: { type: 'string' } }, required: ['type'] },
  },
  tool_choice: { type: ['string', 'object', 'null'] },
  thinkon: {
    type: ['object', 'null'],
    description: "The strategy's options, the run's budget and its id.",
    properties: { options: { type: 'object' }, budget: LIMITS, id: RUN_ID },
    additionalProperties: false,
  },
} as const satisfies Readonly<Record<string, JsonSchema>>

export const FUNCTION = {
  name: { type: 'string', pattern: '^[a-zA-Z0-9_-]{1,64}$' },
  description: { type: ['string', 'null'] },
  parameters: { type: ['object', 'null'] },
} as const satisfies Readonly<Record<string, JsonSchema>>

export interface GivenFunction {
  readonly name: string
  readonly description?: string | null
  readonly parameters?: object | null
}

export function callerTool({ name, description, parameters }: GivenFunction, timeoutMs: number): CallerTool {
  const input = (parameters ?? { type: 'object', properties: {} }) as NonNullable<CallerTool['input']>
  return { name, description: description ?? name, input, timeoutMs }
}

/** Whether the tools may be called: that they must be can't be promised. */
export function mayCallTools(choice: unknown): boolean {
  if (choice === 'none') return false
  if (choice === undefined || choice === null || choice === 'auto') return true
  throw badRequest(
    'tool_choice must be "auto" or "none": the strategy decides which tool is called',
    'tool_choice',
  )
}

/** A field that can't be granted, and would change what the client gets. */
export type Refusals = Readonly<Record<string, { when(value: unknown): boolean; readonly why: string }>>

export const isGiven = (value: unknown): boolean => value !== undefined && value !== null && value !== false

export function refuse(body: Readonly<Record<string, unknown>>, refusals: Refusals): void {
  for (const [name, { when, why }] of Object.entries(refusals))
    if (when(body[name])) throw badRequest(`${name}: ${why}`, name)
}

/** The JSON Schema of a format: of `response_format`, or of `text.format`. */
export function outputOf(format: unknown, schema: unknown, param: string): object | undefined {
  const type = isObject(format) ? format.type : undefined
  if (type === undefined || type === null || type === 'text') return undefined
  if (type === 'json_object') return { type: 'object' }
  if (type === 'json_schema' && isObject(schema)) return schema
  if (type === 'json_schema') throw badRequest(`${param} has no schema`, param)
  throw badRequest(`${param}.type must be text, json_object or json_schema`, param)
}

/** The texts of a content; anything but text is refused. */
export function contentText(content: unknown, param: string): string {
  if (content === null || content === undefined) return ''
  if (typeof content === 'string') return content
  const parts = (content as readonly { type?: unknown; text?: unknown; refusal?: unknown }[]).map((part) => {
    if (typeof part.text === 'string') return part.text
    if (part.type === 'refusal') return String(part.refusal ?? '')
    const kind = String(part.type).replace(/^input_|_url$/g, '')
    throw badRequest(
      `${param} has a part of the type "${String(part.type)}": a goal is a text, and no ${kind} can be read`,
      param,
    )
  })
  return parts.join('\n')
}

export const CONTENT = {
  anyOf: [
    { type: 'null' },
    { type: 'string' },
    {
      type: 'array',
      items: { type: 'object', properties: { type: { type: 'string' } }, required: ['type'] },
    },
  ],
} as const satisfies JsonSchema

export function startOf(
  body: Readonly<Record<string, unknown>>,
  output: object | undefined,
): AskedRequest['start'] {
  const { seed } = body
  return {
    ...(isObject(body.thinkon) && body.thinkon),
    ...(output !== undefined && { output }),
    ...(isGiven(seed) && { seed: String(seed) }),
  }
}

/** The arguments of a call that the client gives back; what is not JSON stays a text. */
export function argumentsOf(text: unknown): unknown {
  try {
    return JSON.parse(String(text))
  } catch {
    return text
  }
}
