/** Auto: a look at the goal decides who solves it; the journal says why. Rules first, a model where they don't decide. */
import type { Answer, Context, Solver } from '../../kernel/strategy.ts'
import { type Outcome, shorten } from '../../protocol/index.ts'
import type { AutoNotes, StrategyChosen } from './notes.ts'
import { classifyPrompt } from './prompts.ts'
import { byClassification, byRule, factsOf } from './rules.ts'
import { type AutoOptions, checkOptions, readClassification } from './schema.ts'

/** Who is chosen when nothing can be found out about a goal. */
const DEFAULT = 'fractal'

export const auto: Solver<AutoOptions, AutoNotes> = {
  options: checkOptions,
  async solve(context) {
    const chosen = await choose(context)
    context.emit('auto/strategy-chosen', chosen)
    const options = { ...chosen.options, ...context.options.options[chosen.strategy] }
    const child = await context.one(context.call(context.block.goal, { strategy: chosen.strategy, options }))
    return answerOf(child)
  },
}

async function choose(context: Context<AutoOptions, AutoNotes>): Promise<StrategyChosen> {
  const { block, tools, hiddenTools } = context
  const hasTools = tools.length > 0 || hiddenTools.some(({ executor }) => executor !== undefined)
  const ruled = byRule(factsOf(block.goal, hasTools))
  if (ruled !== null) return { by: 'rule', ...ruled }
  const [reply] = await context.all([context.model(classifyPrompt(context, hasTools))])
  const classification = reply?.ok ? readClassification(reply.value) : null
  if (classification !== null) return { by: 'model', ...byClassification(classification, hasTools) }
  const reason = reply?.ok === false ? reply.error.message : 'the classification can not be read'
  return { by: 'default', strategy: DEFAULT, reason: shorten(reason, 200) }
}

/** The child's end is the block's; what was ended from outside is partial here. */
function answerOf({ usage: _, status, ...child }: Outcome): Answer {
  return { ...child, status: status === 'skipped' || status === 'cancelled' ? 'partial' : status }
}
