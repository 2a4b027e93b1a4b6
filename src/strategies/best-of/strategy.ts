/**
 * Best of n. Samples are drawn in waves, each no larger than it takes to decide: where a program can verify, one, then as
 * many as were drawn before, until one is right; where samples vote, as few as could settle the vote. A wave is awaited whole, so that
 * what is chosen does not depend on which sample is the fastest.
 */
import type { Op } from '../../kernel/durable.ts'
import { degradedEndingOf, endsEarly } from '../../kernel/ending.ts'
import type { Answer, Solver } from '../../kernel/strategy.ts'
import { type ModelReply, type Outcome, type Result, ThinkonError } from '../../protocol/index.ts'
import { readValue, tryReply } from '../read-value.ts'
import type { BestOfNotes, Chosen, Sampled } from './notes.ts'
import { answerBrief, chooseBrief } from './prompts.ts'
import {
  answerSchema,
  type BestOfContext,
  type BestOfOptions,
  checkOptions,
  choiceSchema,
  OPTIONS_SCHEMA,
} from './schema.ts'
import { neededToDecide, tally } from './tally.ts'
import { type Verifier, verifierOf } from './verify.ts'

export const bestOf: Solver<BestOfOptions, BestOfNotes> = {
  options: checkOptions,
  optionsSchema: OPTIONS_SCHEMA,
  // Samples that come to the same answer agree: that is no loop.
  maxRepeats: ({ samples }) => samples + 1,
  calls: ({ strategy }) => (strategy === undefined ? [] : [strategy]),
  async solve(context) {
    const drawn: Drawn = { samples: [], failures: [] }
    const verifier = verifierFor(context)
    try {
      await draw(context, verifier, drawn)
    } catch (thrown) {
      return endEarly(drawn, thrown)
    }
    return choose(context, verifier, drawn)
  },
}

interface Drawn {
  readonly samples: Sampled[]
  /** What samples failed with. */
  readonly failures: unknown[]
}

function verifierFor({ block, options }: BestOfContext): Verifier {
  return options.verify ? verifierOf(block.goal) : { decides: false, problems: () => [] }
}

async function draw(context: BestOfContext, verifier: Verifier, drawn: Drawn): Promise<void> {
  const { samples, failures } = drawn
  for (;;) {
    const size = nextWave(context.options, verifier, samples)
    if (size === 0) return
    const ops = Array.from({ length: size }, (_, i) => begin(context, samples.length + i + 1))
    for (const result of await context.all(ops)) {
      const sampled = read(result, samples.length + 1, verifier, failures)
      samples.push(sampled)
      context.emit('best-of/sampled', sampled)
    }
    const ended = failures.find(isFinal)
    if (ended !== undefined && !samples.some(isVerified)) throw ended
  }
}

/** How many samples are drawn next; 0 where another could change nothing. */
function nextWave(
  { samples: most, concurrency }: BestOfOptions,
  { decides }: Verifier,
  samples: Sampled[],
): number {
  const left = most - samples.length
  if (samples.some(isVerified)) return 0
  // One that is right may be the first: a wave is as large as all before it, so that a good model is asked once, a poor one in parallel.
  const doubled = Math.min(left, Math.max(1, samples.length))
  const needed = decides ? doubled : neededToDecide(tally(voting(samples), answerOf), left)
  return Math.min(needed, concurrency)
}

function begin(context: BestOfContext, sample: number): Op<ModelReply> | Op<Outcome> {
  const { strategy } = context.options
  if (strategy !== undefined) return context.call(context.block.goal, { strategy })
  return context.model(answerBrief(context, { sample, seed: Math.floor(context.random() * 2 ** 31) }))
}

function read(
  result: Result<ModelReply | Outcome>,
  sample: number,
  { decides, problems }: Verifier,
  failures: unknown[],
): Sampled {
  try {
    const answer = textOf(result)
    const wrong = problems(answer)
    const verdict = wrong.length > 0 ? 'refuted' : decides ? 'verified' : 'open'
    return { sample, answer, verdict, problems: wrong }
  } catch (thrown) {
    failures.push(thrown)
    const why = thrown instanceof Error ? thrown.message : String(thrown)
    return { sample, answer: '', verdict: 'failed', problems: [why] }
  }
}

function textOf(result: Result<ModelReply | Outcome>): string {
  if (!result.ok) throw ThinkonError.fromJSON(result.error)
  const { value } = result
  if (!('status' in value)) return answerSchema.check(readValue(value)).answer
  if (value.status === 'completed') return value.result
  const { reason = `the sample is ${value.status}`, code = 'STRATEGY_ERROR', limit } = value
  throw new ThinkonError(code, reason, { data: { partial: value.result, ...(limit && { limit }) } })
}

/** Nothing that another sample could do would help. */
function isFinal(thrown: unknown): boolean {
  return endsEarly(thrown) || (ThinkonError.isInstance(thrown) && thrown.code === 'NO_MODEL')
}

function isVerified({ verdict }: Sampled): boolean {
  return verdict === 'verified'
}

function answerOf({ answer }: Sampled): string {
  return answer
}

/** What a program refuted is not up for election, unless it refuted all. */
function voting(samples: readonly Sampled[]): readonly Sampled[] {
  const answered = samples.filter(({ verdict }) => verdict !== 'failed')
  const standing = answered.filter(({ verdict }) => verdict !== 'refuted')
  return standing.length > 0 ? standing : answered
}

async function choose(context: BestOfContext, { decides }: Verifier, drawn: Drawn): Promise<Answer> {
  const { samples, failures } = drawn
  const chosen = samples.find(isVerified)
  if (chosen !== undefined) return conclude(context, chosen, { by: 'program', votes: 1, of: samples.length })
  const voters = voting(samples)
  const { groups } = tally(voters, answerOf)
  const [best = []] = groups
  const [first] = best
  if (first === undefined) throw failures[0]
  const of = voters.length
  if (decides) {
    conclude(context, first, { by: 'votes', votes: best.length, of })
    const reason = `none of ${samples.length} samples is right: ${first.problems.join('; ')}`
    return { status: 'partial', result: first.answer, reason }
  }
  if (best.length > 1 || of === 1) return conclude(context, first, { by: 'votes', votes: best.length, of })
  const judged = await judge(context, voters)
  return conclude(context, judged ?? first, { by: judged === null ? 'order' : 'judge', votes: 1, of })
}

/** Of answers of which no two are the same a judge names one; null where that fails: the first then stands. */
async function judge(context: BestOfContext, answers: readonly Sampled[]): Promise<Sampled | null> {
  const left = [...answers]
  const order = answers.map(() => left.splice(Math.floor(context.random() * left.length), 1)[0] as Sampled)
  const brief = chooseBrief(context, order.map(answerOf))
  const [reply] = await context.all([context.model(brief, { closing: true })])
  const choice = reply?.ok ? tryReply(choiceSchema(order.length), reply.value) : null
  return choice === null ? null : (order[choice.best - 1] ?? null)
}

function conclude(
  context: BestOfContext,
  { sample, answer, problems }: Sampled,
  how: Omit<Chosen, 'sample'>,
): Answer {
  context.emit('best-of/chosen', { sample, ...how })
  const details = problems.length > 0 ? { details: problems.join('\n') } : {}
  return { status: 'completed', result: answer, ...details }
}

/** At a limit the answer that leads is what there is. */
function endEarly({ samples }: Drawn, thrown: unknown): Answer {
  if (!isFinal(thrown)) throw thrown
  const [[first] = []] = tally(voting(samples), answerOf).groups
  const partial = ThinkonError.isInstance(thrown) ? thrown.data?.partial : undefined
  return degradedEndingOf(thrown, first?.answer ?? (typeof partial === 'string' ? partial : ''))
}
