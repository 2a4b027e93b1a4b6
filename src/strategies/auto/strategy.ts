/** Auto: a look at the goal decides who solves it; the journal says why. Rules first, a model where they don't decide. */
import type { Answer, Context, Solver } from '../../kernel/strategy.ts'
import {
  type Goal,
  goalText,
  languageOf,
  type Outcome,
  type StrategyOptions,
  shorten,
} from '../../protocol/index.ts'
import { canAct } from './needs.ts'
import type { AutoNotes, Need, StrategyChosen } from './notes.ts'
import { classifyBrief } from './prompts.ts'
import { byClassification, byRule, factsOf } from './rules.ts'
import { type AutoOptions, checkOptions, OPTIONS_SCHEMA, readClassification } from './schema.ts'
import { WORDS } from './views/words.ts'

/** Who is chosen when nothing can be found out about a goal: it has tools, and may answer in one call. */
const DEFAULT = 'fractal'

export const auto: Solver<AutoOptions, AutoNotes> = {
  options: checkOptions,
  optionsSchema: OPTIONS_SCHEMA,
  async solve(context) {
    const chosen = await choose(context)
    context.emit('auto/strategy-chosen', chosen)
    const { check, options: byName } = context.options
    const options = {
      ...(check !== undefined && { check }),
      ...chosen.options,
      ...(byName as StrategyOptions)[chosen.strategy],
    }
    const { goal } = context.block
    const child = await context.one(context.call(goal, { strategy: chosen.strategy, options }))
    return answerOf(child, goal, chosen.lacks ?? [])
  },
}

async function choose(context: Context<AutoOptions, AutoNotes>): Promise<StrategyChosen> {
  const { block, tools, hiddenTools } = context
  const facts = factsOf(block.goal, canAct(tools, hiddenTools))
  const ruled = byRule(facts)
  if (ruled !== null) return { by: 'rule', ...ruled }
  const [reply] = await context.all([context.model(classifyBrief(context))])
  const classification = reply?.ok ? readClassification(reply.value) : null
  if (classification !== null) return { by: 'model', ...byClassification(classification, facts) }
  const reason = reply?.ok === false ? reply.error.message : 'the classification can not be read'
  const { needs } = facts
  return {
    by: 'default',
    strategy: DEFAULT,
    reason: shorten(reason, 200),
    ...(needs.length > 0 && { needs }),
  }
}

/**
 * The child's end is the block's; what was ended from outside is partial here. So is an answer to a goal that needs what the run has no
 * tools for: nobody has looked.
 */
function answerOf({ usage: _, status, ...child }: Outcome, goal: Goal, lacks: readonly Need[]): Answer {
  if (status === 'skipped' || status === 'cancelled') return { ...child, status: 'partial' }
  if (status !== 'completed' || lacks.length === 0) return { ...child, status }
  return { ...child, status: 'partial', reason: WORDS[languageOf(goalText(goal))].notLooked(lacks) }
}
