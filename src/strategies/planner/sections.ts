/** The four sections of a result, in the goal's language: written by Reflect, or by code after an execution. */
import { type Core4, type Goal, goalText, languageOf } from '../../protocol/index.ts'
import { type BrokenRule, broken } from './rules/refusals.ts'
import type { Status } from './schema.ts'

/** Completion, deliverables, metrics, constraints: in this order. */
type Four = readonly [string, string, string, string]

const en = {
  /** The words that plans are told to be without: those of the rules that are met most. */
  notInProbes: 'first, then, next',
  notInSteps: 'maybe, possibly, cause, hypothesis',
  headings: ['Completion', 'Deliverables', 'Metrics', 'Constraints'] as Four,
  /** The first words of the first section. */
  status: { completed: 'Completed', partial: 'Partly completed', failed: 'Not completed' } satisfies Readonly<
    Record<Status, string>
  >,
  executed: 'executed',
  interrupted: 'it was interrupted, and may or may not have happened',
  notExecuted: 'could not be executed',
  denied: 'it is not allowed',
  exitCode: (code: number | null) => (code === null ? 'ended by a signal' : `exit code ${code}`),
  nothingSaid: 'no output',
  nothingExpected: 'nothing was expected in particular',
  notChecked: 'not checked, because it did not run',
  noSuchTool: 'could not be executed: there is no such tool',
  notFound: 'the command was not found',
  notRunnable: 'the command is not executable',
  written: 'written',
  toBeJudged: 'to be judged by reading',
  expected: 'Expected',
  verdicts: { met: 'met', unmet: 'not met', unknown: 'could not be decided' },
  timedOut: 'ended because its time was up',
  outputCut: 'its output was too long and is cut',
  kept: "within the executor's limits",
  notKept: "beyond the executor's limits",
  probe: { confirmed: 'Confirmed', refuted: 'Refuted', undecided: 'Undecided' },
  evidence: 'evidence',
  probeGoal: (hypothesis: string): Core4 => ({
    intent: `Test the hypothesis: ${unlabelled(hypothesis)}`,
    deliverable: 'a verdict (confirmed, refuted or undecided) with its evidence',
    metric: 'the verdict rests on evidence that can be checked',
    constraint: 'gather evidence only; repair and change nothing',
  }),
}

export type SectionWords = typeof en

const zh: SectionWords = {
  notInProbes: '先、再、然后、第一步、接下来',
  notInSteps: '可能、也许、原因、假设',
  headings: ['完成情况', '提交物', '指标情况', '约束符合性'],
  status: { completed: '已完成', partial: '部分完成', failed: '未完成' },
  executed: '已执行',
  interrupted: '执行被中断，可能已经生效，也可能没有',
  notExecuted: '未能执行',
  denied: '不允许执行',
  exitCode: (code) => (code === null ? '被信号终止' : `退出码 ${code}`),
  nothingSaid: '没有输出',
  nothingExpected: '没有约定预期观测',
  notChecked: '未执行，无法核对',
  noSuchTool: '未能执行：没有这个工具',
  notFound: '找不到该命令',
  notRunnable: '该命令不可执行',
  written: '已写成',
  toBeJudged: '待阅读判定',
  expected: '预期',
  verdicts: { met: '通过', unmet: '未通过', unknown: '无法判定' },
  timedOut: '超时被终止',
  outputCut: '输出过长，已截断',
  kept: '在执行器的限制之内',
  notKept: '超出执行器的限制',
  probe: { confirmed: '证实', refuted: '证伪', undecided: '未决' },
  evidence: '证据',
  probeGoal: (hypothesis) => ({
    intent: `检验假设：${unlabelled(hypothesis)}`,
    deliverable: '结论（证实、证伪或未决）与证据',
    metric: '结论由可复核的证据支持',
    constraint: '只收集证据，不做修复或改动',
  }),
}

/** "假设：…" has a label already. */
export function unlabelled(hypothesis: string): string {
  return hypothesis.replace(/^\s*(?:假设|hypothesis)\s*(?:\d+\s*)?[:：]\s*/i, '')
}

export function wordsFor(goal: Goal): SectionWords {
  return languageOf(goalText(goal)) === 'zh' ? zh : en
}

export function fourSections(words: SectionWords, texts: Four): string {
  return words.headings.map((heading, i) => `### ${heading}\n${texts[i]}`).join('\n\n')
}

/** The rules that a result of Reflect breaks, each with a sentence for the model. */
export function sectionProblems(result: string, words: SectionWords): BrokenRule[] {
  const missing = missingHeadings(result, words)
  if (missing.length > 0) {
    const all = words.headings.join(', ')
    return missing.map((heading) =>
      broken('RETURN_WITHOUT_SECTION', `"### ${heading}" is missing; the sections are ${all}`),
    )
  }
  if (statusOf(result, words) !== null) return []
  const statuses = Object.values(words.status).map((word) => `"${word}"`)
  const message = `the section "${words.headings[0]}" must begin with one of ${statuses.join(', ')}`
  return [broken('RETURN_STATUS_UNCLEAR', message)]
}

/**
 * What the section of deliverables says; null where the text has no such section, or nothing in it. A deliverable may have headings
 * of its own, so the sections after it are found from the end.
 */
export function deliverableIn(result: string): string | null {
  const found = deliverablesAt(result, en) ?? deliverablesAt(result, zh)
  const text = found === null ? '' : unfenced(result.slice(found.from, found.to).trim())
  return /[\p{L}\p{N}]/u.test(text) && !NOTHING.test(text) ? text : null
}

const NOTHING = /^[-*\s]*(?:none|nothing|n\/a|no output|无|没有|没有输出)[.。]?$/i

/** The result with this text as its deliverables. */
export function withDeliverable(result: string, text: string, words: SectionWords): string {
  const found = deliverablesAt(result, words)
  return found === null ? result : `${result.slice(0, found.from)}\n${text}\n\n${result.slice(found.to)}`
}

function deliverablesAt(result: string, { headings }: SectionWords): { from: number; to: number } | null {
  const [, deliverables, metrics, constraints] = headings
  const heading = `### ${deliverables}`
  const at = result.indexOf(heading)
  const to = result.lastIndexOf(`### ${metrics}`, result.lastIndexOf(`### ${constraints}`))
  const from = at + heading.length
  return at === -1 || to < from ? null : { from, to }
}

/** The output of an executor, without its fence. */
function unfenced(text: string): string {
  const [, , inner] = /^<(data-\w+) [^>]*>\n([\s\S]*)\n<\/\1>$/.exec(text) ?? []
  return inner?.trim() ?? text
}

/** What the section of completion says. */
export function completionIn(result: string, { headings }: SectionWords): string {
  const [, text = ''] = result.split(`### ${headings[0]}`)
  return (text.split(`### ${headings[1]}`)[0] ?? '').trim()
}

/** Headings that are not there, or not in their order. */
function missingHeadings(result: string, { headings }: SectionWords): string[] {
  let from = 0
  return headings.filter((heading) => {
    const at = result.indexOf(`### ${heading}`, from)
    if (at !== -1) from = at + heading.length
    return at === -1
  })
}

/** The status as the first section says it. */
export function statusOf(result: string, { headings, status }: SectionWords): Status | null {
  const [, first = ''] = result.split(`### ${headings[0]}`)
  const text = first.trimStart().replace(/^[*_\-\s]+/, '')
  // Longest first: one may be the beginning of another.
  const names = (Object.keys(status) as Status[]).sort((a, b) => status[b].length - status[a].length)
  return names.find((name) => text.toLowerCase().startsWith(status[name].toLowerCase())) ?? null
}
