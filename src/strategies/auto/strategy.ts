/** Auto: one cheap look at the goal decides who solves it, and why is in the journal. Rules first, a model when they don't decide. */
import type { Answer, Context, Strategy } from '../../kernel/strategy.ts'
import {
  goalText,
  type ModelReply,
  type ModelRequest,
  type Outcome,
  type Result,
  type StrategyOptions,
  shorten,
  strategyOptionProblems,
  ThinkonError,
} from '../../protocol/index.ts'
import { twoMessages } from '../prompt-text.ts'
import { type OptionRule, readOptions } from '../read-options.ts'
import { tryValue } from '../read-value.ts'
import {
  byClassification,
  byRule,
  CHOICES,
  type Choice,
  type Classification,
  factsOf,
  SIZES,
  TASK_KINDS,
} from './rules.ts'

export interface AutoOptions {
  /** Options for whichever strategy is chosen, by its name. */
  options: StrategyOptions
}

const RULES: Readonly<Record<keyof AutoOptions, OptionRule>> = {
  options: { type: 'own', check: optionsByName, fallback: {} },
}

/** Who is chosen when nothing can be found out about a goal. */
const STANDARD = 'fractal'

export const auto: Strategy<AutoOptions> = {
  name: 'auto',
  version: 1,
  options: (given) => readOptions('auto', RULES, given),
  async solve(context) {
    const choice = await choose(context)
    context.emit('auto/strategy-chosen', choice)
    const options = { ...choice.options, ...context.options.options[choice.strategy] }
    const child = await context.one(context.call(context.block.goal, { strategy: choice.strategy, options }))
    return answerOf(child)
  },
}

function optionsByName(value: unknown): unknown {
  const [wrong] = strategyOptionProblems('options', value, CHOICES)
  if (wrong === undefined) return value
  throw new ThinkonError('BAD_INPUT', wrong.message)
}

async function choose(context: Context<AutoOptions>): Promise<Choice & { by: 'rule' | 'model' | 'default' }> {
  const { block, tools, hiddenTools } = context
  const hasTools = tools.length > 0 || hiddenTools.some(({ executor }) => executor !== undefined)
  const facts = factsOf(block.goal, hasTools)
  const ruled = byRule(facts)
  if (ruled !== null) return { by: 'rule', ...ruled }
  const [reply] = (await context.all([context.model(classifyPrompt(context, hasTools))])) as [
    Result<ModelReply>,
  ]
  const found = reply.ok ? classificationIn(reply.value) : null
  if (found !== null) return { by: 'model', ...byClassification(found, hasTools) }
  const why = reply.ok ? 'the classification can not be read' : reply.error.message
  return { by: 'default', strategy: STANDARD, reason: shorten(why, 200) }
}

const CLASSIFY_RULES = `You look at a goal for a moment and say what it is like, so that the right way to work on it can be chosen. You do not work on it. Answer with one JSON object:
{"kind":"question"|"puzzle"|"writing"|"alternatives"|"investigation"|"work","needs_tools":true|false,"checkable":true|false,"size":"small"|"medium"|"large"}
question: an answer is to be thought out. puzzle: something that either fits or does not. writing: a text. alternatives: the best of several ideas. investigation: a cause or fact to be found
out. work: something to be made or changed. needs_tools: files, commands, the network. checkable: a program could tell whether an answer is right. size: small is one step, large many.
`

function classifyPrompt({ block }: Context, hasTools: boolean): ModelRequest {
  const goal = goalText(block.goal)
  return {
    kind: 'auto/classify',
    version: 1,
    role: 'judge',
    input: { goal, hasTools },
    messages: twoMessages(
      CLASSIFY_RULES,
      `Tools are ${hasTools ? '' : 'not '}available.\nGoal: ${shorten(goal, 4_000)}\n`,
    ),
    schema: {
      type: 'object',
      properties: {
        kind: { enum: TASK_KINDS },
        needs_tools: { type: 'boolean' },
        checkable: { type: 'boolean' },
        size: { enum: SIZES },
      },
      required: ['kind', 'needs_tools', 'checkable', 'size'],
    },
    settings: { temperature: 0, maxOutputTokens: 200 },
  }
}

function classificationIn(reply: ModelReply): Classification | null {
  const value = (tryValue(reply) ?? {}) as Classification
  const { kind, needs_tools, checkable, size } = value
  const fits = TASK_KINDS.includes(kind) && SIZES.includes(size)
  return fits && typeof needs_tools === 'boolean' && typeof checkable === 'boolean' ? value : null
}

/** The child's end is the block's; what was ended from outside is partial here. */
function answerOf({ usage: _, status, ...child }: Outcome): Answer {
  return { ...child, status: status === 'skipped' || status === 'cancelled' ? 'partial' : status }
}
