// Answers in every form that a strategy's reply has, written in pieces, by a model that breaks off, fails, is cut off, writes what can't be
// read and judges its own work at random; all from a few numbers.

import fc from 'fast-check'
import type { Model, ModelIo } from '../../src/kernel/model.ts'
import { seededRandom } from '../../src/kernel/random.ts'
import { type ModelReply, type ModelRequest, ThinkonError } from '../../src/protocol/index.ts'
import { turns } from '../conformance/async.ts'
import { prover } from '../tot/solve.ts'

export interface AnswerScenario {
  strategy: (typeof STRATEGIES)[number]
  check: 'never' | 'auto' | 'always'
  seed: number
  /** In percent, of each thing that may go wrong. */
  failures: number
  answers: string[]
}

const STRATEGIES = ['minimal', 'fractal', 'cot', 'tot', 'planner', 'dual'] as const

const word = fc.constantFrom(
  'tea',
  '"quoted"',
  '你好',
  '\n',
  '\n\n- ',
  '  ',
  '\\times',
  'C:\\new',
  '\t',
  '😀',
  '{"a":1}',
  '```',
  '<answer>',
  ': |',
  '# one',
  "it's",
  '12.50',
)

export const answerScenario: fc.Arbitrary<AnswerScenario> = fc.record({
  strategy: fc.constantFrom(...STRATEGIES),
  check: fc.constantFrom('never', 'never', 'auto', 'always'),
  seed: fc.nat(1_000_000),
  failures: fc.constantFrom(0, 0, 10, 40),
  answers: fc.array(
    fc
      .array(word, { minLength: 1, maxLength: 12 })
      .map((words) => words.join(' '))
      .filter((text) => /[\p{L}\d]/u.test(text)),
    { minLength: 1, maxLength: 3 },
  ),
})

export function optionsOf({ strategy, check }: AnswerScenario): object {
  const options = {
    minimal: {},
    fractal: { check },
    cot: { check, maxThoughts: 3 },
    tot: { check, task_type: 'math_reasoning', depth: 1, branching: 2 },
    planner: { check },
    dual: { check, memory: false, plan: TASKS },
  }
  return options[strategy]
}

const TASKS = {
  main_task: 'all',
  main_task_goal: 'all of it',
  tasks: [
    { subtask_name: 'a', subtask_goal: 'the first' },
    { subtask_name: 'b', subtask_goal: 'the rest', depends_on: ['a'] },
  ],
}

type Pick = <T>(...of: readonly T[]) => T

/** Says the same for the same place in the run, however often it is asked, unless something goes wrong the first time. */
export function answeringModel({ seed, failures, answers }: AnswerScenario): Model {
  const asked = new Map<string, number>()
  return {
    id: 'answering',
    async call(request, io) {
      const place = `${seed}/${io.path}/${io.n}`
      const times = (asked.get(place) ?? 0) + 1
      asked.set(place, times)
      const random = seededRandom(`${place}/${times}`)
      const pick: Pick = (...of) => of[Math.floor(random() * of.length)] as (typeof of)[number]
      const goesWrong = () => random() * 100 < failures
      const value = { ...(saidTo(request, pick(...answers), pick, goesWrong) as object) }
      const reply = written(value, request.kind, pick, goesWrong)
      if (goesWrong()) {
        await write(reply.text.slice(0, Math.floor(random() * reply.text.length)), random, io)
        if (pick(true, false)) throw new ThinkonError('MODEL_ERROR', 'the line is dead')
        io.onRetry?.({ model: 'answering', message: 'the line broke', attempt: 1, of: 3 })
        io.onDelta('\n')
      }
      const cut = goesWrong() && times === 1
      const text = cut ? reply.text.slice(0, Math.ceil(reply.text.length / 2)) : reply.text
      await write(text, random, io)
      return cut ? { text, cutOff: true, usage: USAGE } : { ...reply, usage: USAGE }
    },
  }
}

const USAGE = { inputTokens: 10, outputTokens: 10 }

async function write(text: string, random: () => number, io: ModelIo): Promise<void> {
  for (let at = 0; at < text.length; ) {
    const size = 1 + Math.floor(random() * 9)
    io.onDelta(text.slice(at, at + size))
    at += size
    if (random() < 0.2) await turns(1)
  }
}

/** In some form, with its value, unless it can't be read; a thought is read by its strategy. */
function written(
  value: object,
  kind: string,
  pick: Pick,
  goesWrong: () => boolean,
): Omit<ModelReply, 'usage'> {
  const text = JSON.stringify(value, null, pick(0, 0, 2))
  if (goesWrong())
    return {
      text: pick(text.slice(0, -2), text.replaceAll('"', "'"), `${text}\nNo, that is wrong.`, 'Sorry.'),
    }
  if (kind === 'cot/think') return { text: pick(text, `\`\`\`yaml\n${yamlOf(value)}\`\`\`\n`, yamlOf(value)) }
  // The adapter of a model has read it.
  return {
    text: pick(text, `\`\`\`json\n${text}\n\`\`\``, `Here it is:\n\n\`\`\`json\n${text}\n\`\`\``),
    value,
  }
}

function yamlOf(value: object): string {
  const lines = Object.entries(value).map(([key, field]) =>
    typeof field === 'string'
      ? `${key}: |\n${field.replace(/^/gm, '  ')}\n`
      : `${key}: ${JSON.stringify(field)}\n`,
  )
  return lines.join('')
}

function saidTo(request: ModelRequest, answer: string, pick: Pick, goesWrong: () => boolean): unknown {
  switch (request.kind) {
    case 'check/result':
      return pick({ problems: [], fits: true }, { problems: ['it is too short'], fits: false })
    case 'cot/think':
      return thoughtOf(answer, pick)
    case 'tot/synthesize':
      return {
        answer,
        reasoning_trace: [],
        confidence: 0.5,
        verification: goesWrong() ? { is_valid: false, validation_errors: ['no'] } : { is_valid: true },
      }
    case 'planner/plan':
      return {
        type: 'plan-next',
        plan_type: 'EXECUTE',
        new_block: { goal: `a page ${answer.length}`, plan: [], done: [] },
        executor_call: { command: 'text', inputs: { text: answer }, expected_observations: [] },
      }
    case 'planner/reflect':
    case 'planner/close':
      return returnOf(answer, pick, goesWrong)
    case 'dual/decide':
      return goesWrong()
        ? { action: 'finish', result: answer, status: pick('partial', 'failed') }
        : pick({ action: 'finish', result: answer }, { action: 'directly_answer', answer })
    case 'dual/summarize':
    case 'dual/close':
      return { result: answer }
    default:
      if (request.kind.startsWith('tot/')) return prover()(request)
      return { do: 'return', type: 'RETURN', result: answer, description: answer }
  }
}

function thoughtOf(answer: string, pick: Pick): object {
  const step = { description: 'work', status: 'Pending' }
  return pick(
    { current_thinking: answer, planning: [], next_thought_needed: false },
    { evaluation: 'It is fine.', current_thinking: answer, planning: [step], next_thought_needed: true },
    { next_thought_needed: false, current_thinking: answer, planning: [step] },
  )
}

function returnOf(answer: string, pick: Pick, goesWrong: () => boolean): object {
  const result =
    '### Completion\nCompleted: all\n\n### Deliverables\na page\n\n### Metrics\nmet\n\n### Constraints\nkept'
  const returned = {
    type: 'plan-return',
    status: 'completed',
    deliverable: pick<unknown>(answer, answer, { result: 1 }),
  }
  if (goesWrong())
    return pick<object>({ ...returned, result: 'It is done.' }, { type: 'go-on', reason: 'more' })
  return pick<object>({ ...returned, result }, { result, ...returned })
}
