/** Answers checked by program: what it says is a fact, and the thought's value. */
import { took } from '../agents/agent.ts'
import { endsSearch } from '../agents/exchange.ts'
import type { AnswerCheck } from '../domains/domain.ts'
import { tell } from './evaluate.ts'
import type { Answer, Search, Verifier } from './search.ts'
import { pathTo, type Thought } from './tree.ts'

/** The first that is right is the solution. Without a verifier nothing is said of any. */
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
    context.emit('tot/solution-verified', {
      node_id: thought.id,
      answer: answers[i]?.answer,
      is_valid,
      errors,
    })
  }
  tell(search, thoughts, [])
}

/** What the thoughts on the way to this one come to: composed by program where that can be, otherwise its own words. */
export function answerOf({ domain }: Pick<Search, 'domain'>, thought: Thought): Answer {
  const thoughts = pathTo(thought)
    .slice(1)
    .map(({ content }) => content)
  return { answer: domain?.answerOf(thoughts) ?? thought.content, thoughts }
}

/** The program that came with the problem's kind. */
export const domainVerifier: Verifier = async ({ domain }, answers) =>
  answers.map(({ answer }) => domain?.verify(answer) ?? { is_valid: false, errors: [] })

/** A caller's own, as steps. */
export function programVerifier(name: string): Verifier {
  return async ({ context, problem }, answers) => {
    const results = await context.all(answers.map((answer) => context.tool(name, { problem, ...answer })))
    return results.map((result) => {
      if (endsSearch(result)) took(result)
      return result.ok ? readCheck(result.value) : { is_valid: false, errors: [result.error.message] }
    })
  }
}

/** A caller may just say yes or no. */
export function readCheck(value: unknown): AnswerCheck {
  const { is_valid, errors = [] } = (
    typeof value === 'object' && value !== null ? value : { is_valid: value }
  ) as {
    is_valid?: unknown
    errors?: unknown
  }
  return { is_valid: is_valid === true, errors: Array.isArray(errors) ? errors.map(String) : [] }
}
