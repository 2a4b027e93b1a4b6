/**
 * A judging model. It sees the answers of all settings to one task together, in shuffled order and without their names: it can't prefer a
 * setting, and what stands first is another one each time. A judgement is a run like any other.
 */
import type { Engine } from '../../engine.ts'
import { fence } from '../../kernel/fence.ts'
import { seededRandom } from '../../kernel/random.ts'
import { isObject, type Limits, NO_USAGE, ThinkonError, type Usage } from '../../protocol/index.ts'
import { shuffled } from '../chance.ts'
import type { Verdict } from './check-answer.ts'

export interface Judging {
  readonly engine: Engine
  readonly seed: string
  readonly limits: Partial<Limits>
}

/** More would not be read with the same care. */
const MOST_AT_ONCE = 8

interface Judged {
  /** In the order of the answers. */
  readonly verdicts: readonly Verdict[]
  readonly usage: Usage
}

export async function judgeAnswers(
  goal: string,
  criteria: string,
  answers: readonly string[],
  judging: Judging,
): Promise<Judged> {
  const order = shuffled(
    seededRandom(`judge/${judging.seed}`),
    answers.map((_, i) => i),
  )
  const verdicts: Verdict[] = []
  const usage = { ...NO_USAGE }
  for (let at = 0; at < order.length; at += MOST_AT_ONCE) {
    const some = order.slice(at, at + MOST_AT_ONCE)
    const shown = some.map((i) => answers[i] as string)
    const judged = await judgeSome(goal, criteria, shown, { ...judging, seed: `${judging.seed}/${at}` })
    for (const [k, verdict] of judged.verdicts.entries()) verdicts[some[k] as number] = verdict
    usage.calls += judged.usage.calls
    usage.inputTokens += judged.usage.inputTokens
    usage.outputTokens += judged.usage.outputTokens
    usage.costUsd = (usage.costUsd ?? 0) + (judged.usage.costUsd ?? 0)
  }
  return { verdicts, usage }
}

async function judgeSome(
  goal: string,
  criteria: string,
  answers: readonly string[],
  { engine, seed, limits }: Judging,
): Promise<Judged> {
  const run = await engine
    .start(judgeGoal(goal, criteria, answers), {
      strategy: 'best-of',
      options: { samples: 1, verify: false },
      output: outputSchema(answers.length),
      budget: limits,
      seed,
    })
    .catch(cantJudge)
  const { status, value, reason, usage } = await run.outcome
  if (status !== 'completed')
    throw new ThinkonError('STRATEGY_ERROR', `the judge has not judged: ${reason ?? status}`)
  return { verdicts: readVerdicts(value, answers.length), usage }
}

/** The model refuses the goal that it is asked to judge by: a small one, which knows something else. */
function cantJudge(thrown: unknown): never {
  if (!ThinkonError.isInstance(thrown) || thrown.code !== 'NO_MODEL') throw thrown
  const message =
    "some tasks are checked by a model that judges, and this one can't: --judge <spec> names another"
  throw new ThinkonError('NO_MODEL', message, { cause: thrown })
}

export function judgeGoal(goal: string, criteria: string, answers: readonly string[]): string {
  return [
    'Answers to the same task were given independently of each other. Judge each of them by itself: is it right?',
    `The task:\n${fence('task', goal)}`,
    `An answer is right if this holds of it:\n${criteria}`,
    ...answers.map((text, i) => `Answer ${i + 1} of ${answers.length}:\n${fence(`answer ${i + 1}`, text)}`),
    'Work it out yourself first. Length, style and order count for nothing. Give a verdict on each answer, in their order: ' +
      '{"verdicts":[{"answer":1,"reason":"…","right":true or false,"score":how good it is, from 0 to 1}, …]}',
  ].join('\n\n')
}

function outputSchema(count: number) {
  return {
    type: 'object',
    properties: {
      verdicts: {
        type: 'array',
        minItems: count,
        maxItems: count,
        items: {
          type: 'object',
          properties: {
            answer: { type: 'integer', minimum: 1, maximum: count },
            reason: { type: 'string' },
            right: { type: 'boolean' },
            score: { type: 'number', minimum: 0, maximum: 1 },
          },
          required: ['answer', 'right'],
        },
      },
    },
    required: ['verdicts'],
  } as const
}

/** Throws if an answer has none: it must not count as wrong for that. */
function readVerdicts(value: unknown, count: number): Verdict[] {
  const given = isObject(value) && Array.isArray(value.verdicts) ? value.verdicts.filter(isObject) : []
  return Array.from({ length: count }, (_, i) => {
    const verdict = given.find(({ answer }) => answer === i + 1)
    if (verdict === undefined)
      throw new ThinkonError('INVALID_FORMAT', `the judge has no verdict on answer ${i + 1} of ${count}`)
    const { right, score, reason } = verdict
    return {
      solved: right === true,
      score: typeof score === 'number' ? score : Number(right === true),
      ...(typeof reason === 'string' && reason !== '' && { why: reason }),
    }
  })
}
