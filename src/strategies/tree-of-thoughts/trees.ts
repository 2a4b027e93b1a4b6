/** Several independent trees: each is a block of its own, and their answers are put to a vote. */
import type { Answer } from '../../kernel/strategy.ts'
import { goalText, languageOf, type Outcome } from '../../protocol/index.ts'
import { unwrap } from './agents/agent.ts'
import { castBallots } from './agents/model-agents.ts'
import { domainOf } from './domains/domain-of.ts'
import type { TotContext } from './schema.ts'
import type { Setup } from './setup.ts'
import { SEARCH_WORDS } from './words.ts'

/**
 * The first tree goes by the best scores, the others draw by them, so that they differ also where the agents are programs. All are
 * begun at once; with `concurrency` some at a time, until an answer is verified: then no further tree can say better.
 */
export async function solveByTrees(context: TotContext, name: string, setup: Setup): Promise<Answer> {
  const { options, block } = context
  const { trees, concurrency = trees } = options
  const isVerified = isVerifiedBy(setup, goalText(block.goal), options.verify)
  const ended: Outcome[] = []
  while (ended.length < trees && !(isVerified && ended.some(isCompleted))) {
    const next = Array.from({ length: Math.min(concurrency, trees - ended.length) }, (_, i) => {
      const selection = ended.length + i === 0 ? options.selection : 'sampled'
      return context.call(block.goal, { strategy: name, options: { ...options, selection, trees: 1 } })
    })
    const results = await context.all(next)
    ended.push(...results.flatMap((result) => (result.ok ? [result.value] : [])))
    if (results.every(({ ok }) => !ok)) unwrap(results[0])
  }
  return elect(context, ended, isVerified || setup.withoutModel)
}

function isVerifiedBy({ verifier }: Setup, problem: string, verify: unknown): boolean {
  return verify !== false && (verifier !== null || domainOf(problem) !== null)
}

function isCompleted({ status }: Outcome): boolean {
  return status === 'completed'
}

/** The answer that most trees came to. Only what completed is up for election, unless nothing did. */
async function elect(context: TotContext, ended: readonly Outcome[], byCount: boolean): Promise<Answer> {
  const completed = ended.filter(isCompleted)
  const standing = completed.length > 0 ? completed : ended
  const groups = [...Map.groupBy(standing, ({ result }) => normalised(result)).values()]
  const most = Math.max(...groups.map(({ length }) => length))
  const leading = groups.filter(({ length }) => length === most).map(([first]) => first as Outcome)
  const isTie = leading.length > 1 && completed.length > 0 && !byCount
  const elected = isTie ? await byBallots(context, leading) : (leading[0] as Outcome)
  const words = SEARCH_WORDS[languageOf(goalText(context.block.goal))]
  context.emit('tot/trees-voted', {
    answers: ended.map(({ status, result }) => ({ status, answer: result })),
    elected: ended.indexOf(elected),
  })
  const { usage: _, status, details = '', ...answer } = elected
  const agreed = words.treesAgree(most, ended.length)
  return {
    ...answer,
    status: status === 'completed' || status === 'failed' ? status : 'partial',
    details: details === '' ? agreed : `${details}\n${agreed}`,
  }
}

/** Answers of which no two are the same are compared by the Evaluator; where that fails the first stands. */
async function byBallots(context: TotContext, leading: readonly Outcome[]): Promise<Outcome> {
  const answers = leading.map(({ result }) => result)
  return leading[await castBallots(context, goalText(context.block.goal), answers)] as Outcome
}

function normalised(answer: string): string {
  return answer.normalize('NFKC').toLowerCase().replace(/\s+/g, ' ').trim()
}
