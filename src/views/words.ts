/** The words of the views, in English and Chinese. */
import {
  changeText,
  type Goal,
  goalText,
  LANGUAGES,
  type Language,
  languageOf,
  namedBlocks,
  type ResumeChange,
  type RetryNote,
  type Status,
} from '../protocol/index.ts'
import { cleanLine } from './text-width.ts'

export const LANGS = LANGUAGES
export type Lang = Language

export interface Words {
  status: Record<Status | 'running' | 'waiting' | 'stopped', string>
  calls(n: number): string
  /** Of the calls, those of tools. */
  ofTools(n: number): string
  cached(tokens: string): string
  /** Reserved by calls that a kill ended. */
  lost(tokens: string): string
  /** Reserved by calls under way, or for closing. */
  held(tokens: string): string
  blocks(n: number): string
  more(n: number): string
  /** Lines of a long question that are left out. */
  moreLines(n: number): string
  /** Beside the choices of a question that takes other answers, too. */
  otherAnswer: string
  page(n: number, of: number): string
  /** Refuses `always` before the whole question was shown. */
  seeAll: string
  attempt(n: number): string
  loops(n: number): string
  plan: string
  asks: string
  answered: string
  noAnswer: string
  took: string
  forkOf: string
  resumed: string
  stopKey: string
  waitsForModel: string
  modelCall: string
  /** Its text is shown elsewhere. */
  writing: string
  toolCall: string
  /** Of the time a run took. */
  active(time: string): string
  /** A run was resumed with other prompts or models than before. */
  changed(changes: readonly ResumeChange[]): string
  /** "429, attempt 2 of 5, again in 4 s". */
  retry(note: RetryNote): string
}

const en: Words = {
  status: {
    running: 'running',
    waiting: 'waiting',
    stopped: 'stopped',
    completed: 'completed',
    partial: 'partial',
    failed: 'failed',
    skipped: 'skipped',
    cancelled: 'cancelled',
  },
  calls: (n) => `${n} ${n === 1 ? 'call' : 'calls'}`,
  ofTools: (n) => `${n} of tools`,
  cached: (tokens) => `${tokens} cached`,
  lost: (tokens) => `${tokens} lost in a kill`,
  held: (tokens) => `${tokens} held`,
  blocks: (n) => `${n} ${n === 1 ? 'block' : 'blocks'}`,
  more: (n) => `${n} more`,
  moreLines: (n) => `${n} more lines, see thinkon show`,
  otherAnswer: 'or type another answer',
  page: (n, of) => `page ${n} of ${of}: Enter shows the next`,
  seeAll: 'see all pages before you answer `always`: Enter shows the next',
  attempt: (n) => `attempt ${n}`,
  loops: (n) => (n === 1 ? 'repeats itself' : `repeats itself ×${n}`),
  plan: 'plan',
  asks: 'asks',
  answered: 'answered',
  noAnswer: 'no answer',
  took: 'taken',
  forkOf: 'fork of',
  resumed: 'resumed',
  stopKey: 'Ctrl-C stops, resume continues',
  waitsForModel: 'waits for the model',
  modelCall: 'model call',
  writing: 'writing …',
  toolCall: 'tool call',
  active: (time) => `${time} active`,
  changed: (changes) => `changed: ${changes.map(changeText).join('; ')}`,
  retry: ({ attempt, of, waitMs = 0, ...why }) =>
    `${failureText(why)}, attempt ${attempt} of ${of}, again in ${seconds(waitMs)} s`,
}

const zh: Words = {
  status: {
    running: '执行中',
    waiting: '等待中',
    stopped: '已停止',
    completed: '已完成',
    partial: '部分完成',
    failed: '失败',
    skipped: '已跳过',
    cancelled: '已取消',
  },
  calls: (n) => `${n} 次`,
  ofTools: (n) => `工具 ${n} 次`,
  cached: (tokens) => `缓存 ${tokens}`,
  lost: (tokens) => `中断损失 ${tokens}`,
  held: (tokens) => `预留 ${tokens}`,
  blocks: (n) => `${n} 块`,
  more: (n) => `还有 ${n} 个`,
  otherAnswer: '或输入其他回答',
  moreLines: (n) => `还有 ${n} 行，见 thinkon show`,
  page: (n, of) => `第 ${n} / ${of} 页：按回车显示下一页`,
  seeAll: '回答“总是”之前请先看完所有页：按回车显示下一页',
  attempt: (n) => `第 ${n} 次`,
  loops: (n) => (n === 1 ? '重复' : `重复 ×${n}`),
  plan: '计划',
  asks: '提问',
  answered: '回答',
  noAnswer: '没有回答',
  took: '收到',
  forkOf: '分叉自',
  resumed: '继续过',
  stopKey: 'Ctrl-C 停止，resume 继续',
  waitsForModel: '等待模型',
  modelCall: '模型调用',
  writing: '正在写……',
  toolCall: '工具调用',
  active: (time) => `活动 ${time}`,
  changed: (changes) => `有变化：${changes.map(changeZh).join('；')}`,
  retry: ({ attempt, of, waitMs = 0, ...why }) =>
    `${failureText(why)}，第 ${attempt}/${of} 次，${seconds(waitMs)} 秒后重试`,
}

/** The status of the response says enough; without one, the message does. */
function failureText({ status, message }: Pick<RetryNote, 'status' | 'message'>): string {
  return status === undefined ? cleanLine(message, 120) : String(status)
}

function seconds(ms: number): number {
  return ms < 9_950 ? Math.round(ms / 100) / 10 : Math.round(ms / 1_000)
}

function changeZh(change: ResumeChange): string {
  const { named, more } = namedBlocks(change.blocks)
  const blocks = `块 ${named.join('、')}${more === 0 ? '' : ` 等 ${named.length + more} 块`}`
  if (change.what === 'prompt') return `${blocks} 的提示词 ${change.kind}`
  const role = change.role === undefined ? '' : `（${change.role}）`
  return `${blocks} 的模型${role}由 ${change.was} 换成 ${change.is}`
}

const WORDS: Record<Lang, Words> = { en, zh }

export function wordsOf(lang: Lang): Words {
  return WORDS[lang]
}

/** The language a goal is written in. */
export function langOf(goal: Goal): Lang {
  return languageOf(goalText(goal).slice(0, 1_000))
}
