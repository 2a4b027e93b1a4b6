/** The strategies whose blocks are long loops: chain of thought and the dual engine; and the search of Tree of Thoughts. */
import { type Asked, Calling, type Program } from './prompts-programs.ts'
import { prose } from './prompts-texts.ts'

export const COT: Readonly<Record<string, Program>> = {
  'cot/think'({ times, texts, sizes }) {
    const isLast = times >= sizes.thoughts
    const planning = Array.from({ length: sizes.thoughts - 1 }, (_, i) => ({
      description: prose(`step ${i}`, 80),
      status: i < times ? 'Done' : 'Pending',
      ...(i < times && { result: prose(`result ${i}`, 120) }),
    }))
    return JSON.stringify({
      ...(times > 1 && { evaluation: prose(`evaluation ${times}`, 300) }),
      current_thinking: texts.plant(`thought ${times}`, sizes.goal / 2),
      planning,
      next_thought_needed: !isLast,
    })
  },
}

/** As long a loop as the first task of the dual engine, with nothing around it. */
export const MINIMAL: Readonly<Record<string, Program>> = {
  'minimal/next'({ times, texts, sizes }) {
    if (times < sizes.iterations) return new Calling(prose(`next ${times}`, 200), [times])
    return { do: 'return', result: texts.plant('result of all', sizes.goal) }
  },
}

const TASKS = 3

export const DUAL: Readonly<Record<string, Program>> = {
  'dual/plan'({ times, texts, sizes }) {
    if (times <= 2) return new Calling(prose(`look ${times}`, 200), [times])
    return {
      action: 'plan',
      main_task: prose('main task', 300),
      main_task_goal: prose('main task goal', 300),
      tasks: Array.from({ length: TASKS }, (_, i) => ({
        subtask_name: `write part ${i + 1}`,
        subtask_goal: texts.plant(`task ${i + 1}`, sizes.goal / 3),
        ...(i > 0 && { depends_on: [`write part ${i}`] }),
      })),
    }
  },
  'dual/decide'(asked) {
    const { io, times, texts, sizes } = asked
    const task = taskOf(asked)
    const most = task === 1 ? sizes.iterations - 1 : 4
    if (times <= most) return new Calling(prose(`decide ${io.path} ${times}`, 200), [100 * task + times])
    return {
      action: 'finish',
      human_readable_thought: prose(`finish ${task}`, 120),
      result: texts.plant(`result of task ${task}`, sizes.goal),
    }
  },
  'dual/reflect': ({ io, times }) => ({ advice: prose(`advice ${io.path} ${times}`, 250), spinning: false }),
  'dual/compact': ({ io, times }) => ({ summary: prose(`summary ${io.path} ${times}`, 1_000) }),
  'dual/summarize': ({ texts, sizes }) => ({ result: texts.plant('result of all', sizes.goal) }),
  'dual/summary': ({ texts, sizes }) => ({ result: texts.plant('result of all', sizes.goal) }),
}

/** By the goal in the input; tasks are done in order. */
function taskOf({ input, io }: Asked): number {
  const found = /\(task (\d+) ends\)/.exec(JSON.stringify(input.goal ?? ''))
  return Number(found?.[1] ?? io.path.split('-').at(-1))
}

export const TOT: Readonly<Record<string, Program>> = {
  'tot/decompose': ({ sizes }) => ({
    thought_granularity: 'component',
    intermediate_steps: Array.from({ length: sizes.depth }, (_, i) => prose(`step ${i}`, 120)),
    depth_estimate: sizes.depth,
    constraints: [prose('constraint one', 250), prose('constraint two', 250)],
    success_criteria: prose('criteria', 500),
  }),
  'tot/generate'({ input, texts, sizes }) {
    const count = Number(input.num_candidates ?? 1)
    return {
      candidates: Array.from({ length: count }, () => ({
        content: texts.plant(`thought ${texts.planted.length}`, sizes.goal / 3),
        action_type: 'component',
      })),
    }
  },
  'tot/evaluate': ({ texts }) => ({
    score: 7 + (texts.planted.length % 3),
    confidence: 0.8,
    reasoning: prose(`reasoning ${texts.planted.length}`, 250),
  }),
  'tot/vote'({ input }) {
    const candidates = (input.candidates ?? []) as readonly { readonly node_id: string }[]
    return {
      evaluations: candidates.map(({ node_id }, i) => ({
        node_id,
        score: 9 - (i % 4) / 2,
        confidence: 0.8,
        reasoning: prose(`vote ${node_id}`, 150),
      })),
      best: candidates[0]?.node_id,
    }
  },
  'tot/synthesize': ({ texts, sizes }) => ({
    answer: texts.plant('answer', sizes.goal),
    reasoning_trace: [prose('trace', 200)],
    confidence: 0.9,
    verification: { is_valid: true, validation_errors: [] },
    alternative_solutions: [],
  }),
}
