// An agent that surveys a valley: 60 tasks in a plan and three plans within it. On the way a tool crashes, a person says
// something, skips a task and wants another done again, and a task goes round in circles.

import type { Run } from '../../src/engine.ts'
import type { Tool } from '../../src/kernel/tool.ts'
import type { ScriptedModel } from '../../src/testing/index.ts'
import { until } from '../conformance/async.ts'
import {
  finish,
  nested,
  type PlanPart,
  plan,
  type TaskInput,
  type TaskReply,
  taskModel,
  tool,
  use,
} from '../dual/scripted-tasks.ts'

export const GOAL = 'survey the valley'

/** Paths of the three coordinators below. */
export const CAVES = '1-6-1'
export const BIRDS = '1-20-1'
export const RIVER = '1-30-1'

export const tools: readonly Tool[] = [
  tool('look', async (input) => ({ seen: input })),
  tool('drill', async () => {
    throw new Error('the drill is stuck')
  }),
]

function region(n: number): PlanPart {
  return { name: `region ${n}`, parts: [1, 2, 3, 4, 5].map((spot) => `spot ${n}.${spot}`) }
}

const REGIONS = [1, 2, 3, 4, 5, 6].map(region)
const CAVE_TASKS: PlanPart[] = ['upper', 'lower'].map((where) => ({
  name: `${where} caves`,
  parts: [1, 2, 3].map((n) => `${where} cave ${n}`),
}))
const BIRD_TASKS: PlanPart[] = ['owl', 'heron', 'wren', 'kite', 'crow', 'swift', 'snipe', 'dove'].map(
  (bird, i, all) => ({ name: `count ${bird}`, ...(i > 0 && { after: [`count ${all[i - 1]}`] }) }),
)
const RIVER_TASKS: PlanPart[] = [1, 2, 3, 4, 5, 6, 7, 8].map((mile) => `mile ${mile}`)

/** The model, and the person, who acts while tasks wait for the model. */
export function survey(run: Promise<Run>, isTaken: (signals: number) => boolean): ScriptedModel {
  let signals = 0
  /** What a person says while this reply is made: it counts from a known place on. */
  const meanwhile =
    (signal: { do: string; subtask_index: string; [more: string]: string }): TaskReply =>
    async ({ name }) => {
      await (await run).signal('1', 'subtask', signal)
      const taken = ++signals
      await until(() => isTaken(taken), 'the coordinator took it')
      return finish(`${name} is mapped`)
    }
  const belowThenFinish = (payload: string): TaskReply[] => [
    () => nested(payload),
    ({ history }) => finish(`with plan: ${history.at(-1)?.text}`),
  ]
  return taskModel({
    [`plan ${GOAL}`]: [plan(...REGIONS)],
    'act spot 1.2': [
      use('drill', { depth: 3 }),
      ({ history }: TaskInput) => finish(`not drilled: ${history.at(-1)?.text}`),
    ],
    'reflect spot 1.2': [{ advice: 'look instead of drilling', spinning: false }],
    'act spot 1.4': [
      async () => {
        await (await run).signal('1-4', 'message', 'mind the marsh')
        return use('look', { at: 'marsh' })
      },
    ],
    'act spot 2.1': belowThenFinish('map the caves'),
    'plan map the caves': [use('look', { at: 'entrance' }), plan(...CAVE_TASKS)],
    'act spot 3.2': [meanwhile({ do: 'skip', subtask_index: '1-3-3', reason: 'it is private land' })],
    'act spot 4.3': [meanwhile({ do: 'redo', subtask_index: '1-4-2', user_message: 'with the heights' })],
    'act spot 4.2': ({ redo }) => finish(redo === undefined ? 'spot 4.2 is mapped' : `spot 4.2, ${redo}`),
    'act spot 4.5': belowThenFinish('count the birds'),
    'plan count the birds': [plan(...BIRD_TASKS)],
    // The last one builds on all others: its result is that of the plan.
    'act count dove': [finish('count the birds: 8 mapped')],
    'act spot 6.5': belowThenFinish('follow the river'),
    'reflect spot 6.5': [{ advice: 'the mouth can be left out', spinning: false }],
    'plan follow the river': [plan(...RIVER_TASKS)],
    'act mile 8': () => use('look', { at: 'the same bend' }),
    'reflect mile 8': [{ advice: 'it is the same bend each time', spinning: true }],
    'close mile 8': [{ result: 'the bend was seen, the mouth was not' }],
    act: ({ name }) => finish(`${name} is mapped`),
    sum: ({ request, done }) => ({ result: `${request}: ${summary(done)}` }),
  })
}

/** How many came to something, and what did not. */
function summary(done: readonly string[]): string {
  const open = done.filter((text) => text.startsWith('['))
  const good = done.length - open.length
  const special = done.filter((text) => !text.endsWith(' is mapped') && !text.startsWith('['))
  return [`${good} mapped`, ...special.map((text) => text.replaceAll('\n', ' ')), ...open].join(' | ')
}
