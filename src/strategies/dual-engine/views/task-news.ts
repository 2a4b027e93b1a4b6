/** What the notes of a coordinator and of its tasks say to somebody who waits for the run. */
import type { EventOf } from '../../../protocol/index.ts'
import { type Segment, segment, type Tone } from '../../../views/line.ts'
import { problemInWords, reasonInWords } from '../../../views/reason-words.ts'
import { cleanLine, fitText } from '../../../views/text-width.ts'
import type { Lang } from '../../../views/words.ts'
import { type DualNote, type DualNotes, noteIn, type RedoReach, type Task } from '../notes.ts'
import type { TaskPlan } from './task-plan.ts'

/** Null for a note that is no news. `plan` includes the note already. */
export function newsOf(plan: TaskPlan, event: EventOf<'note'>, lang: Lang): readonly Segment[] | null {
  const note = noteIn(event)
  if (note === null) return null
  const news = NEWS[note.name] as News<DualNote['data']> | undefined
  return news?.(note.data, { ...WORDS[lang], lang }, plan) ?? null
}

type News<Data> = (data: Data, words: NewsWords, plan: TaskPlan) => Segment[] | null

const NEWS: { readonly [Name in keyof DualNotes]?: News<DualNotes[Name]> } = {
  // The other phases are not news: what they lead to is.
  'dual/phase-begun': ({ phase }, words) =>
    phase === 'plan-generation' || phase === 'execution' ? [segment(words.phase[phase], 'dim')] : null,
  'dual/task-changed'({ id, index, to, reason, attempt }, words, plan) {
    const task = plan.byId.get(id)
    const isParent = task !== undefined && task !== plan.root && task.subtasks.length > 0
    // How a leaf and the whole begin and are completed is said by the lines of their blocks.
    const isSaid = !isParent && attempt === undefined && (to === 'processing' || to === 'completed')
    if (to === 'queueing' || isSaid) return null
    const why = reason === undefined ? '' : `: ${line(reasonInWords(reason, words.lang))}`
    return [
      segment(`${words.task} ${index} `, 'dim'),
      segment(fitText(`"${cleanLine(task?.name ?? '')}"`, 80)),
      segment(` ${words.states[to]}${why}`, TONES[to] ?? 'plain'),
    ]
  },
  'dual/action-begun'({ action, thought }, words) {
    const why = line(thought)
    // What tools are called with and what they give are lines of their own.
    if (action === 'require_tool') return why === '' ? null : [segment(why)]
    return [segment(words.actions[action] ?? action, 'active'), ...(why === '' ? [] : [segment(`: ${why}`)])]
  },
  'dual/plan-reviewed': (review, words) =>
    review.choice === 'continue' ? null : [segment(`${words.reviewed}: ${reviewText(review)}`, 'ask')],
  'dual/task-reviewed': (review, words) => [
    segment(`${words.reviewed} ${review.index}: ${reviewText(review)}`, 'ask'),
  ],
  'dual/risk-judged': ({ risk, reason }, words) => [
    segment(`${words.risk} ${risk}: ${line(reasonInWords(reason, words.lang))}`, 'dim'),
  ],
  'dual/plan-mending': ({ index, mends, of }, words) => [
    segment(`${words.mends} (${words.task} ${index}; ${mends}/${of})`, 'warn'),
  ],
  'dual/mend-failed': ({ problem }, words) => [
    segment(`${words.unmended}: ${line(problemInWords(problem, words.lang))}`, 'warn'),
  ],
  'dual/plan-refused': ({ problems }, words) => refused(problems.join(' '), words),
  'dual/action-refused': ({ problem }, words) => refused(problem, words),
  'dual/edit-refused': ({ problem }, words) => refused(problem, words),
  'dual/subtask-signalled'({ do: what, subtask_index, problem, ...reach }, words) {
    if (problem !== undefined)
      return [
        segment(
          `${what} ${subtask_index} ${words.signalled}: ${line(problemInWords(problem, words.lang))}`,
          'warn',
        ),
      ]
    const also = reachText(reach, words)
    return also === '' ? null : [segment(`${what} ${subtask_index}: ${also}`, 'dim')]
  },
  'dual/loop-reflected'({ advice, spinning }, words) {
    const spins = spinning ? ` (${words.spins})` : ''
    const text = line(advice)
    return text + spins === '' ? null : [segment(`${words.lookedBack}${spins}: ${text}`, 'dim')]
  },
  'dual/blueprint-marked': ({ mark, about }) => [segment(`${mark} ${line(about)}`, 'dim')],
  'dual/memory-late': (_, words) => [segment(words.late, 'dim')],
}

/** What a redo reaches, in words; empty where it is only the task itself. */
function reachText({ reopened = [], stands = [] }: RedoReach, words: NewsWords): string {
  const parts = [
    reopened.length === 0 ? '' : `${words.reopened}: ${listed(reopened)}`,
    stands.length === 0 ? '' : `${words.stands}: ${listed(stands)}`,
  ]
  return parts.filter((part) => part !== '').join('; ')
}

function listed(indices: readonly string[]): string {
  return `${indices.slice(0, MAX_LISTED).join(', ')}${indices.length > MAX_LISTED ? ', …' : ''}`
}

const MAX_LISTED = 12

function refused(problem: string, words: NewsWords): Segment[] {
  return [segment(`${words.refused}: ${line(problemInWords(problem, words.lang))}`, 'warn')]
}

function reviewText(review: { readonly choice: string; readonly words?: string }): string {
  return review.words ? `${review.choice} — ${line(review.words)}` : review.choice
}

const MAX_NEWS = 200

function line(text: string): string {
  return fitText(cleanLine(text), MAX_NEWS)
}

const TONES: Partial<Record<Task['status'], Tone>> = {
  processing: 'active',
  completed: 'good',
  aborted: 'bad',
  skipped: 'dim',
  created: 'warn',
}

const WORDS = {
  en: {
    phase: { 'plan-generation': 'plans', execution: 'carries out the plan' },
    task: 'task',
    states: {
      created: 'is to be done again',
      queueing: 'waits',
      processing: 'begun',
      completed: 'completed',
      aborted: 'aborted',
      skipped: 'skipped',
    },
    actions: {} as Readonly<Record<string, string>>,
    refused: "can't be used",
    reviewed: 'review',
    risk: 'risk',
    lookedBack: 'looks back',
    spins: 'goes round in circles',
    late: 'memory was late: continues without it',
    signalled: 'not done',
    reopened: 'done again too, as they build on it',
    stands: 'stand as they are',
    mends: 'mends the plan',
    unmended: 'the plan stays as it is',
  },
  zh: {
    phase: { 'plan-generation': '制定计划', execution: '执行计划' },
    task: '任务',
    states: {
      created: '将重做',
      queueing: '排队',
      processing: '开始',
      completed: '已完成',
      aborted: '已中止',
      skipped: '已跳过',
    },
    actions: {
      finish: '完成',
      directly_answer: '直接回答',
      request_plan_and_execution: '请求进一步规划',
      solve_with_strategy: '交给其他策略',
      require_ai_blueprint: '使用蓝图',
      ask_for_clarification: '请求澄清',
      knowledge_enhance: '补充知识',
    } as Readonly<Record<string, string>>,
    refused: '无法使用',
    reviewed: '审查',
    risk: '风险',
    lookedBack: '反思',
    spins: '在原地打转',
    late: '记忆装载超时：继续执行',
    signalled: '未执行',
    reopened: '依赖它的任务也将重做',
    stands: '保持不变',
    mends: '修补计划',
    unmended: '计划保持不变',
  },
}

type NewsWords = (typeof WORDS)[Lang] & { readonly lang: Lang }
