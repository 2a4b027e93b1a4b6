/**
 * What grows with a run: the fold of a long journal against that of a short one, and a large tree of tasks against a small one:
 * time per event and per task, and the size of the state.
 */
import { type Event, foldEvents, NO_USAGE } from '../src/protocol/index.ts'
import { setStatus } from '../src/strategies/dual-engine/tasks/change-tasks.ts'
import { Schedule } from '../src/strategies/dual-engine/tasks/schedule.ts'
import { depthFirst, type PlanTask } from '../src/strategies/dual-engine/tasks/task.ts'
import { buildTree, findTask, type TaskTree } from '../src/strategies/dual-engine/tasks/tree.ts'
import { progressText } from '../src/strategies/dual-engine/views/task-progress.ts'
import type { Figures } from './index.ts'
import { rounded, rounds } from './measure.ts'

export const about =
  'the fold of 100,000 events against that of 1,000, a tree of 10,000 tasks against one of 1,000: time for each; what is kept'

const SHORT = 1_000
const LONG = 100_000
const STEPS_PER_BLOCK = 10
const FEW_TASKS = 1_000
const MANY_TASKS = 10_000
const TASKS_PER_GROUP = 10

export async function run(): Promise<Figures> {
  const short = journal(SHORT)
  const long = journal(LONG)
  await rounds(20, { warmUp: async () => foldEvents(short) })
  const times = await rounds(15, {
    short: async () => {
      for (let i = 0; i < LONG / SHORT; i++) foldEvents(short)
    },
    long: async () => foldEvents(long),
  })
  const usPerEvent = rounded((times.long ?? 0) / LONG, 3)
  const usPerEventShort = rounded((times.short ?? 0) / LONG, 3)
  const ratio = rounded((times.long ?? 0) / (times.short ?? 1))
  // Ten times the history over the same blocks: the state must not grow with it.
  const keptFew = kept(few(LONG / 10))
  const keptMany = kept(few(LONG))
  const stateRatio = rounded(keptMany / keptFew)
  const tasks = await growthOfTasks()
  return {
    figures: { events: LONG, usPerEvent, usPerEventShort, ratio, stateRatio, tasks },
    lines: [
      `${usPerEvent} µs per event at 100,000, ${usPerEventShort} µs at 1,000: ${ratio} ×`,
      `ten times the history over the same blocks: a state of ${stateRatio} × the size`,
      `10,000 tasks against 1,000, per task: ${Object.entries(tasks)
        .map(([what, ratio]) => `${what} ${ratio} ×`)
        .join(', ')}`,
    ],
  }
}

/**
 * Time per task of a large tree against ten small ones, so that both use the same amount of memory and of the processor's
 * caches.
 */
async function growthOfTasks(): Promise<Record<string, number>> {
  const ratios: Record<string, number> = {}
  const total = { small: 0, large: 0 }
  for (const [what, work] of Object.entries(TASK_WORK)) {
    const smalls = Array.from({ length: MANY_TASKS / FEW_TASKS }, () => work(planTasks(FEW_TASKS)))
    const large = work(planTasks(MANY_TASKS))
    const contenders = {
      small: async () => {
        for (const small of smalls) small()
      },
      large: async () => large(),
    }
    await rounds(5, contenders)
    const times = await rounds(25, contenders)
    total.small += times.small ?? 0
    total.large += times.large ?? 0
    ratios[what] = rounded((times.large ?? 0) / (times.small ?? 1))
  }
  return { ...ratios, all: rounded(total.large / total.small) }
}

/** What is prepared once, and what is measured. */
const TASK_WORK: Readonly<Record<string, (tasks: readonly PlanTask[]) => () => unknown>> = {
  build: (tasks) => () => treeOf(tasks),
  lookup(tasks) {
    const tree = treeOf(tasks)
    const refs = depthFirst(tree.root).flatMap(({ id, index }) => [id, index])
    return () => {
      for (const ref of refs) if (findTask(tree, ref) === undefined) throw new Error(`no task ${ref}`)
    }
  },
  progress(tasks) {
    const tree = treeOf(tasks)
    const current = depthFirst(tree.root).at(-1)?.index as string
    return () => progressText(tree.root, { lang: 'en', maxChars: 4_000, current })
  },
  schedule: (tasks) => () => runAll(treeOf(tasks)),
}

function treeOf(tasks: readonly PlanTask[]): TaskTree {
  return buildTree({ main_task: 'all', main_task_goal: 'all of it', tasks })
}

/** Each group waits for the one before, as in people's plans. */
function planTasks(count: number): PlanTask[] {
  return Array.from({ length: count / TASKS_PER_GROUP }, (_, group) => ({
    subtask_name: `group ${group}`,
    subtask_goal: 'its tasks are done',
    ...(group > 0 && { depends_on: [`group ${group - 1}`] }),
    subtasks: Array.from({ length: TASKS_PER_GROUP - 1 }, (_, i) => ({
      subtask_name: `task ${group}.${i}`,
      subtask_goal: 'it is done',
    })),
  }))
}

/** Every leaf from ready to completed, in the order of the schedule. */
function runAll(tree: TaskTree): void {
  const schedule = new Schedule(tree)
  for (let [next] = schedule.ready(1); next !== undefined; [next] = schedule.ready(1)) {
    for (const status of ['queueing', 'processing', 'completed'] as const) setStatus(tree, next.id, status)
    schedule.ended(next.id)
  }
  if (tree.root.status !== 'completed') throw new Error(`the plan ended as ${tree.root.status}`)
}

/** Blocks of a few steps each: state and history grow together. */
function journal(length: number): Event[] {
  return events(length, STEPS_PER_BLOCK)
}

/** The same hundred blocks, however long the history. */
function few(length: number): Event[] {
  return events(length, length / 100)
}

function events(length: number, perBlock: number): Event[] {
  const left = { tokens: 1, calls: 1, timeMs: 1, costUsd: 1 }
  const reserve = { calls: 1, tokens: 100, costUsd: 0 }
  const list: Event[] = []
  const add = (path: string, body: object) => {
    const ts = new Date(1_700_000_000_000 + list.length).toISOString()
    list.push({ seq: list.length + 1, ts, run: 'bench', path, ...body } as Event)
  }
  const limits = { depth: 8, tokens: 1, calls: 1, timeMs: 1, costUsd: 1 }
  const start = { goal: 'bench', strategy: 'bench@1', options: {} }
  add('1', { type: 'run-start', format: 1, ...start, limits, seed: 's', config: { thinkon: '0' } })
  add('1', { type: 'block-start', n: 0, ...start, kept: reserve, left })
  for (let block = 1; list.length < length; block++) {
    const path = `1-${block}`
    add(path, { type: 'block-start', n: block, ...start, kept: reserve, left })
    for (let n = 1; list.length % perBlock < perBlock - 3 && list.length < length; n++) {
      const request = { kind: 'bench/next', version: 1, role: 'plan', messages: [] }
      add(path, { type: 'model-start', n, request, reserve })
      add(path, {
        type: 'model-end',
        n,
        result: { ok: true, value: { text: 'x', usage: NO_USAGE } },
        usage: NO_USAGE,
        left,
      })
    }
    const outcome = { status: 'completed', result: 'done', usage: NO_USAGE }
    add(path, { type: 'block-end', n: block, outcome, left })
    add('1', { type: 'done-add', n: block, from: [path] })
  }
  return list
}

/** The size of the serialised state. */
function kept(list: readonly Event[]): number {
  const state = foldEvents(list)
  return JSON.stringify({ ...state, blocks: [...state.blocks.values()] }).length
}
