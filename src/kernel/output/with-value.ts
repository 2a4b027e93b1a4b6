/**
 * The value of a run that was started with an `output`: what its result says, as JSON that fits.
 *
 * 1. A result that is such a value, or has exactly one in it, gives it without a further call. Otherwise a last request writes the
 *    result down as the value, and is made again with what was wrong, at most MAX_ASKS times in all.
 * 2. A run ends as completed only with a value that fits. Without one it is partial, with the strategy's result as it is.
 *    With one, the result is the strategy's text, too, except if that was a value in JSON and was refused: then it is the value in JSON.
 *    The two never contradict each other.
 * 3. Every step is recorded: a run that is executed again goes the same way and asks nobody.
 */
import { type ModelReply, parseJson, ThinkonError } from '../../protocol/index.ts'
import type { JsonSchema } from '../../schema/check-schema.ts'
import { askUntilValid, type Checked } from '../ask-until-valid.ts'
import { estimateTokens } from '../budget.ts'
import type { BlockAnswer, Op } from '../durable.ts'
import { type EarlyEnding, endingOf } from '../ending.ts'
import { DEFAULT_OUTPUT_TOKENS } from '../model-effect.ts'
import type { Context } from '../strategy.ts'
import type { Candidate } from './candidate.ts'
import { mayHaveNoValueField, refusedText, valueBrief, valueConversation, whyNoValue } from './prompts.ts'

/** The context of a block that answers its run. */
export interface AnsweringContext extends Context {
  /** Starts the step that checks what may be the value. */
  checkValue(candidate: Candidate): Op<Checked<unknown>>
}

const MAX_ASKS = 3

export async function withValue(
  context: AnsweringContext,
  answer: BlockAnswer,
  schema: JsonSchema,
): Promise<BlockAnswer> {
  if (answer.status === 'failed') return answer
  try {
    // A child may have settled it.
    const { result, value: made } = answer
    const found = await context.one(
      context.checkValue(made === undefined ? { text: result } : { value: made }),
    )
    if (found.ok) return { ...answer, value: found.value }
    const value = await writtenValue(context, answer, schema, found.problems)
    return { ...answer, ...(isJson(answer.result) && { result: JSON.stringify(value) }), value }
  } catch (thrown) {
    return withoutValue(answer, endingOf(thrown, answer.result))
  }
}

const MAX_INDENT = 100

/** Whether the whole text is meant as JSON, in a fence or not, well-formed or not. */
function isJson(text: string): boolean {
  const trimmed = text.trim()
  const isFenced = /^```\w*\s*\n/.test(trimmed) && /\n\s*```$/.test(trimmed.slice(-MAX_INDENT))
  const inner = isFenced ? trimmed.slice(trimmed.indexOf('\n') + 1, -3).trim() : trimmed
  return parseJson(inner) !== undefined || (/^[[{]/.test(inner) && /[\]}]$/.test(inner))
}

async function writtenValue(
  context: AnsweringContext,
  answer: BlockAnswer,
  schema: JsonSchema,
  wrong: readonly string[],
): Promise<unknown> {
  const conversation = valueConversation(context, answer, wrong)
  return askUntilValid<unknown>({
    maxAsks: MAX_ASKS,
    async ask(problems) {
      if (problems.length > 0) conversation.say(refusedText(problems))
      const brief = valueBrief(context, conversation, answer, schema)
      const reply = await context.one(context.model(brief, { closing: isShort(context, answer) }))
      conversation.reply(reply)
      const checked = await context.one(context.checkValue(candidateIn(reply)))
      const none = checked.ok && mayHaveNoValueField(schema) ? null : whyNoValue(reply)
      if (none !== null) throw new ThinkonError('INVALID_FORMAT', none)
      return checked
    },
    giveUp(problems) {
      throw new ThinkonError('INVALID_FORMAT', problems.join('; '), { data: { violations: problems } })
    },
  })
}

function candidateIn({ text, value }: ModelReply): Candidate {
  return value === undefined ? { text } : { value }
}

/** What is left is not enough for a usual call: it is then paid from what the block kept back for closing, and short. */
function isShort(context: Context, { result, details = '' }: BlockAnswer): boolean {
  const { calls, tokens } = context.budget()
  const size = estimateTokens(result) + estimateTokens(details)
  return calls < 2 || tokens < 2 * (size + DEFAULT_OUTPUT_TOKENS)
}

/** What a strategy said itself about why it is partial is the reason. */
function withoutValue(answer: BlockAnswer, { reason: why, ...ending }: EarlyEnding): BlockAnswer {
  if (answer.status !== 'completed') return answer
  const reason = `the result could not be given as a value that fits the output schema: ${why}`
  return { ...answer, ...ending, status: 'partial', reason }
}
