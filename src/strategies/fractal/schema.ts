/** The two outputs of Think and of Eval, and the strategy's options. The shapes are the document's. */
import type { Schema } from '../../kernel/schema.ts'
import type { Limits, Role } from '../../protocol/index.ts'
import type { StrategyName } from '../../protocol/strategy-registry.ts'
import { CHECK_RULE, type CheckOptions } from '../closing/option.ts'
import {
  NAMES_SCHEMA,
  nameList,
  type OptionRules,
  optionsSchema,
  ROLES,
  readOptions,
} from '../read-options.ts'
import { asObject, invalidReply } from '../read-value.ts'

/** What Think returns: the result of this level, or a plan in plain words. */
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

/** What Eval returns: the next sub-goal, or the result of this level. */
export interface Decision {
  readonly type: 'RETURN' | 'CALL'
  readonly description: string
  /** With CALL: the sub-goal is a better plan, and its result becomes this block's `todo`. */
  readonly adopt?: 'todo'
  /** With CALL: who solves the sub-goal, where it is not this strategy. */
  readonly strategy?: string
}

export interface FractalOptions extends CheckOptions {
  /** When a sub-goal has come so many times without new content Eval is warned; once more is refused. Default: 3. */
  maxRepeats: number
  /** Tool calls in one Think; after that it is asked once more, without tools. Default: 20. */
  maxToolCalls: number
  /** Which model thinks. Default: `plan`. */
  thinkRole: Role
  /** Which model evaluates. Default: `judge`. */
  evalRole: Role
  /** Strategies that Eval may have a sub-goal solved with. Default: `cot`, `tot`. */
  strategies: readonly StrategyName[]
  /** The deepest level there may be; the root is level 0. Within what the budget allows, which is the default. */
  maxDepth?: number
  /** Active time of one block below the root, with everything below it. Default: no limit of its own. */
  maxBlockTimeMs?: number
  /** Tokens of the whole tree. Default: the run's limit. */
  maxTokens?: number
  /** Active time of the whole tree. Default: the run's limit. */
  maxTimeMs?: number
}

const RULES: OptionRules<FractalOptions> = {
  maxRepeats: {
    type: 'whole',
    least: 1,
    fallback: 3,
    about:
      'how often the same sub-goal may repeat without new content before the model is warned; once more is refused',
  },
  maxToolCalls: {
    type: 'whole',
    least: 0,
    fallback: 20,
    about: 'in one Think; after that it is asked once more, without tools',
  },
  thinkRole: { type: 'choice', choices: ROLES, fallback: 'plan', about: 'which model thinks' },
  evalRole: { type: 'choice', choices: ROLES, fallback: 'judge', about: 'which model evaluates' },
  strategies: {
    type: 'own',
    check: nameList('strategies'),
    json: NAMES_SCHEMA,
    fallback: ['cot', 'tot'],
    about: 'strategies that a sub-goal may be solved with',
  },
  maxDepth: {
    type: 'whole',
    least: 0,
    about: 'the deepest level; the root is level 0; by the run’s limit unless given',
  },
  maxBlockTimeMs: {
    type: 'whole',
    least: 1,
    about: 'active time of a block below the root, with everything below it',
  },
  maxTokens: { type: 'whole', least: 1, about: 'tokens of the whole tree; the run’s limit unless given' },
  maxTimeMs: {
    type: 'whole',
    least: 1,
    about: 'active time of the whole tree; the run’s limit unless given',
  },
  check: CHECK_RULE,
}

export const OPTIONS_SCHEMA = optionsSchema(RULES)

export function checkOptions(given: Readonly<Record<string, unknown>>): FractalOptions {
  return readOptions('fractal', RULES, given)
}

/** What the options say about the run as a whole. `maxBlockTimeMs` is for the blocks below: the run has `maxTimeMs`. */
export function limitsOf({ maxDepth, maxTokens, maxTimeMs }: FractalOptions): Partial<Limits> {
  return {
    ...(maxDepth === undefined ? {} : { depth: maxDepth }),
    ...(maxTokens === undefined ? {} : { tokens: maxTokens }),
    ...(maxTimeMs === undefined ? {} : { timeMs: maxTimeMs }),
  }
}

const DESCRIPTION = { type: 'string', minLength: 1 }

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

/** A field that is null is one that is left out. */
export function decisionSchema({ strategies }: Pick<FractalOptions, 'strategies'>): Schema<Decision> {
  return {
    json: {
      type: 'object',
      properties: {
        type: { enum: ['RETURN', 'CALL'] },
        description: DESCRIPTION,
        adopt: { enum: ['todo', null] },
        strategy: { enum: [...strategies, OWN_NAME, null] },
      },
      required: ['type', 'description'],
    },
    check(value) {
      const { adopt, strategy, ...decision } = described(asObject(value), ['RETURN', 'CALL'])
      if (isGiven(adopt) && adopt !== 'todo') throw invalidReply('"adopt" can only be "todo"', value)
      if (isGiven(strategy) && ![...strategies, OWN_NAME].includes(strategy as string)) {
        const known = strategies.length === 0 ? 'none can be named' : `there are: ${strategies.join(', ')}`
        throw invalidReply(`there is no strategy ${JSON.stringify(strategy)}; ${known}`, value)
      }
      return {
        ...decision,
        ...(isGiven(adopt) && { adopt }),
        ...(isGiven(strategy) && { strategy }),
      } as unknown as Decision
    },
  }
}

/** What a sub-goal is solved with that names no other. */
const OWN_NAME = 'fractal'

function isGiven(value: unknown): boolean {
  return value !== undefined && value !== null
}

/** A missing or unknown `type` is an error, never a default; and so is a description without a word. */
function described(value: Record<string, unknown>, types: readonly string[]): Record<string, unknown> {
  const { type, description } = value
  if (!types.includes(type as string)) throw invalidReply(`"type" must be ${types.join(' or ')}`, value)
  if (typeof description !== 'string') throw invalidReply('"description" must be a text', value)
  if (description.trim() === '') throw invalidReply(`${type} needs ${NEEDS[type as string]}`, value)
  return value
}

const NEEDS: Readonly<Record<string, string>> = {
  RETURN: 'a result',
  TODO: 'a plan',
  CALL: 'a sub-goal',
}
