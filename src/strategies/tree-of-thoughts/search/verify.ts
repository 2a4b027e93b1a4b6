/** Answers checked by program: the result is a fact, and becomes the thought's value. */
import { isObject } from '../../../protocol/index.ts'
import { unwrap } from '../agents/agent.ts'
import { endsSearch } from '../agents/exchange.ts'
import type { AnswerCheck } from '../domains/domain.ts'
import { noteEvaluations } from './evaluate.ts'
import { isVerifying, type PathAnswer, type Search, type Verifier } from './search.ts'
import { pathTo, type Thought } from './tree.ts'

/** The first that is right is the solution. Without a verifier nothing is said about any. */
export async function verifyThoughts(search: Search, thoughts: readonly Thought[]): Promise<void> {
  const { verifier, context, words } = search
  if (verifier === null || thoughts.length === 0) return
  const answers = thoughts.map((thought) => answerOf(search, thought))
  const checks = await verifier(search, answers)
  for (const [i, thought] of thoughts.entries()) {
    const check = checks[i] as AnswerCheck
    const { is_valid, errors } = check
    thought.check = check
    thought.evaluation = is_valid
      ? { score: 10, confidence: 1, reasoning: words.verified }
      : { score: 0, confidence: 1, reasoning: words.refuted(errors) }
    if (is_valid) search.solution ??= thought
    const { answer } = answers[i] as PathAnswer
    context.emit('tot/solution-verified', { node_id: thought.id, answer, is_valid, errors })
  }
  noteEvaluations(search, thoughts, [])
}

/** The end of a path is the solution, unless a program can say that it is not. */
export async function settleOn(search: Search, end: Thought): Promise<void> {
  if (!isVerifying(search)) search.solution = end
  else if (end.check === null) await verifyThoughts(search, [end])
}

/** The answer of the path to this thought: composed by program where that is possible, otherwise the thought's own words. */
export function answerOf({ domain }: Pick<Search, 'domain'>, thought: Thought): PathAnswer {
  const thoughts = pathTo(thought)
    .slice(1)
    .map(({ content }) => content)
  return { answer: domain?.answerOf(thoughts) ?? thought.content, thoughts }
}

/** The program that came with the problem's kind. */
export const domainVerifier: Verifier = async ({ domain }, answers) =>
  answers.map(({ answer }) => domain?.verify(answer) ?? { is_valid: false, errors: [] })

/** A function of the caller's, as steps. */
export function programVerifier(program: string): Verifier {
  return async ({ context, problem }, answers) => {
    const results = await context.all(
      answers.map((answer) => context.ownTool(program, { problem, ...answer })),
    )
    return results.map((result) => {
      if (endsSearch(result)) unwrap(result)
      return result.ok ? readCheck(result.value) : { is_valid: false, errors: [result.error.message] }
    })
  }
}

/** A caller may just say yes or no. */
function readCheck(value: unknown): AnswerCheck {
  const { is_valid, errors } = isObject(value) ? value : { is_valid: value, errors: [] }
  return { is_valid: is_valid === true, errors: Array.isArray(errors) ? errors.map(String) : [] }
}
