/** The two outputs of Think and of Eval, and the strategy's options. The shapes are the document's. */
import type { Schema } from '../../kernel/strategy.ts'
import { type Limits, type Role, ThinkonError } from '../../protocol/index.ts'

/** What Think comes to: the result of this level, or a plan in plain words. */
export interface Thought {
  readonly type: 'RETURN' | 'TODO'
  readonly description: string
}

/** Not an output of Think, but a turn of its loop: a model without native tool calls asks for a tool like this. */
export interface ToolTurn {
  readonly type: 'TOOL'
  readonly name: string
  readonly input: unknown
}

/** What Eval comes to: the next sub-goal, or the result of this level. */
export interface Verdict {
  readonly type: 'RETURN' | 'CALL'
  readonly description: string
  /** With CALL: the sub-goal is a better plan, and its result becomes this block's `todo`. */
  readonly adopt?: 'todo'
}

export interface FractalOptions {
  /** The same sub-goal without new content so many times is told, once more is refused. */
  maxRepeats: number
  /** Tool calls in one Think. */
  maxToolCalls: number
  thinkRole: Role
  evalRole: Role
  /** The deepest level there may be; the root is level 0. Within what the budget allows. */
  maxDepth?: number
  /** Active time of one block below the root, with everything below it. */
  maxBlockTimeMs?: number
  /** For the whole tree, as limits of the run. */
  maxTokens?: number
  maxTimeMs?: number
}

const NUMBERS: Record<string, { least: number; fallback?: number }> = {
  maxRepeats: { least: 1, fallback: 3 },
  maxToolCalls: { least: 0, fallback: 20 },
  maxDepth: { least: 0 },
  maxBlockTimeMs: { least: 1 },
  maxTokens: { least: 1 },
  maxTimeMs: { least: 1 },
}
const ROLES: readonly Role[] = ['plan', 'act', 'judge', 'compact', 'synthesize']
const ROLE_DEFAULTS: Record<string, Role> = { thinkRole: 'plan', evalRole: 'judge' }

export function checkOptions(given: Readonly<Record<string, unknown>>): FractalOptions {
  const options: Record<string, unknown> = { ...ROLE_DEFAULTS }
  for (const [name, { fallback }] of Object.entries(NUMBERS))
    if (fallback !== undefined) options[name] = fallback
  for (const [name, value] of Object.entries(given)) {
    const number = NUMBERS[name]
    if (number === undefined && !(name in ROLE_DEFAULTS)) {
      const names = [...Object.keys(NUMBERS), ...Object.keys(ROLE_DEFAULTS)].join(', ')
      throw new ThinkonError('BAD_INPUT', `fractal has no option "${name}"; it has: ${names}`)
    }
    if (number !== undefined && (!Number.isInteger(value) || (value as number) < number.least)) {
      throw new ThinkonError(
        'BAD_INPUT',
        `${name} must be a whole number of ${number.least} or more, not ${value}`,
      )
    }
    if (number === undefined && !ROLES.includes(value as Role)) {
      throw new ThinkonError('BAD_INPUT', `${name} must be one of ${ROLES.join(', ')}, not ${value}`)
    }
    options[name] = value
  }
  return options as unknown as FractalOptions
}

/** What the options say about the run as a whole. `maxBlockTimeMs` is for the blocks below: the run has `maxTimeMs`. */
export function limitsOf({ maxDepth, maxTokens, maxTimeMs }: FractalOptions): Partial<Limits> {
  return {
    ...(maxDepth === undefined ? {} : { depth: maxDepth }),
    ...(maxTokens === undefined ? {} : { tokens: maxTokens }),
    ...(maxTimeMs === undefined ? {} : { timeMs: maxTimeMs }),
  }
}

const DESCRIPTION = { type: 'string' }

export const thoughtSchema: Schema<Thought | ToolTurn> = {
  json: {
    anyOf: [
      {
        type: 'object',
        properties: { type: { enum: ['RETURN', 'TODO'] }, description: DESCRIPTION },
        required: ['type', 'description'],
      },
      {
        type: 'object',
        properties: { type: { const: 'TOOL' }, name: { type: 'string' }, input: {} },
        required: ['type', 'name'],
      },
    ],
  },
  check(value) {
    const thought = asObject(value)
    if (thought.type === 'TOOL' && typeof thought.name === 'string') return thought as unknown as ToolTurn
    return described(thought, ['RETURN', 'TODO']) as unknown as Thought
  },
}

export const verdictSchema: Schema<Verdict> = {
  json: {
    type: 'object',
    properties: { type: { enum: ['RETURN', 'CALL'] }, description: DESCRIPTION, adopt: { const: 'todo' } },
    required: ['type', 'description'],
  },
  check(value) {
    const verdict = described(asObject(value), ['RETURN', 'CALL'])
    if (verdict.adopt !== undefined && verdict.adopt !== 'todo')
      throw invalid('"adopt" can only be "todo"', value)
    if (verdict.type === 'CALL' && (verdict.description as string).trim() === '')
      throw invalid('CALL needs a sub-goal', value)
    return verdict as unknown as Verdict
  },
}

/** A missing or unknown `type` is an error, never a default. */
function described(value: Record<string, unknown>, types: readonly string[]): Record<string, unknown> {
  if (!types.includes(value.type as string)) throw invalid(`"type" must be ${types.join(' or ')}`, value)
  if (typeof value.description !== 'string') throw invalid('"description" must be a text', value)
  return value
}

function asObject(value: unknown): Record<string, unknown> {
  if (typeof value === 'object' && value !== null && !Array.isArray(value))
    return value as Record<string, unknown>
  throw invalid('it must be one JSON object', value)
}

function invalid(what: string, value: unknown): ThinkonError {
  return new ThinkonError('INVALID_FORMAT', `the reply can't be used: ${what}`, {
    data: { text: JSON.stringify(value)?.slice(0, 500) },
  })
}
