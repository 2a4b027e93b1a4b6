/** What a person is told who skips or redoes a task, in English and Chinese. */
import type { Outcome } from '../../../protocol/index.ts'
import { type Lang, wordsOf } from '../../../views/words.ts'
import type { Task } from '../notes.ts'

type Act = 'skip' | 'redo'

const en = {
  next: {
    skip: 'it ends, and the plan continues',
    redo: 'it is done again, with your message, and then what depends on it',
  } satisfies Record<Act, string>,
  notAgain: 'it is not done again; if it was completed before, that stands',
  willNotBegin: 'it will not be begun',
  task: (index: string, name: string) => `task ${index} "${name}"`,
  sent: (act: Act, task: string, next: string) => `${act} sent for ${task}: ${next}`,
  needsMessage: 'a redo of a task needs a message that says what to do better: --message "…"',
  endedAlready: (task: string, status: Task['status'], again: string) =>
    `${task} is ${status} already; to have it done again: ${again}`,
  notBegun: (task: string) => `${task} has not begun yet: there is nothing to do again`,
  runEnded: (run: string, status: Outcome['status']) => `run ${run} has ended (${status}): `,
  noMore: (index: string) => `task ${index} can't be steered any more`,
  noPlan: 'it has no plan',
  byFork: (block: string, command: string) => `; its block ${block} can be done again by a fork: ${command}`,
  noTask: (path: string, index: string, meant: string | undefined, list: string) =>
    `the plan of block ${path} has no task "${index}"${meant === undefined ? '' : `; did you mean ${meant}?`} It has: ${list}`,
  performs: (path: string, task: string, above: string, command: string) =>
    `block ${path} carries out task ${task} of block ${above} and has no plan of its own: ${command}`,
  noTasks: (path: string, run: string) =>
    `block ${path} of run ${run} has no plan of tasks: --task is for blocks of the strategy dual`,
  noPlanYet: (path: string, run: string) =>
    `block ${path} of run ${run} has no plan yet: try again when it has one`,
}

export type SteerWords = typeof en

const ACTS: Record<Act, string> = { skip: '跳过', redo: '重做' }
const STATES: Readonly<Partial<Record<Task['status'], string>>> = {
  completed: '已完成',
  aborted: '已中止',
  skipped: '已跳过',
}

const zh: SteerWords = {
  next: { skip: '它就此结束，计划继续', redo: '它将按您的消息重做，依赖它的任务随后也重做' },
  notAgain: '不再重做；如果以前完成过，则保留那次的结果',
  willNotBegin: '它不会开始',
  task: (index, name) => `任务 ${index} "${name}"`,
  sent: (act, task, next) => `已要求${ACTS[act]}${task}：${next}`,
  needsMessage: '重做任务需要说明哪里要改进：--message "…"',
  endedAlready: (task, status, again) => `${task} ${STATES[status] ?? status}；要重做：${again}`,
  notBegun: (task) => `${task} 还没有开始：没有可重做的`,
  runEnded: (run, status) => `运行 ${run} 已结束（${wordsOf('zh').status[status]}）：`,
  noMore: (index) => `任务 ${index} 不能再干预`,
  noPlan: '它没有计划',
  byFork: (block, command) => `；可以用分叉重做它的块 ${block}：${command}`,
  noTask: (path, index, meant, list) =>
    `块 ${path} 的计划中没有任务 "${index}"${meant === undefined ? '' : `；是否指 ${meant}？`} 它有：${list}`,
  performs: (path, task, above, command) =>
    `块 ${path} 执行的是块 ${above} 的任务 ${task}，自己没有计划：${command}`,
  noTasks: (path, run) => `运行 ${run} 的块 ${path} 没有任务计划：--task 只用于策略 dual 的块`,
  noPlanYet: (path, run) => `运行 ${run} 的块 ${path} 还没有计划：等它有了再试`,
}

export const STEER_WORDS: Readonly<Record<Lang, SteerWords>> = { en, zh }
