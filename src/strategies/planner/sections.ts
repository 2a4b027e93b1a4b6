/** The four sections of a result, in the goal's language: written by Reflect, or by code for what was executed. */
import { type Goal, goalText, languageOf } from '../../protocol/index.ts'
import type { PlanReturn } from './schema.ts'

export type Status = PlanReturn['status']

export interface SectionWords {
  /** Completion, deliverables, metrics, constraints: in this order. */
  readonly headings: readonly [string, string, string, string]
  /** What the first section begins with. */
  readonly status: Readonly<Record<Status, string>>
  readonly executed: string
  readonly interrupted: string
  readonly notExecuted: string
  readonly denied: string
  readonly exitCode: (code: number | null) => string
  readonly nothingSaid: string
  readonly nothingExpected: string
  readonly expected: string
  readonly verdicts: Readonly<Record<'met' | 'unmet' | 'unknown', string>>
  readonly timedOut: string
  readonly outputCut: string
  readonly kept: string
  readonly notKept: string
  readonly probe: Readonly<Record<'confirmed' | 'refuted' | 'undecided', string>>
  readonly evidence: string
  readonly probeGoal: (hypothesis: string) => {
    intent: string
    deliverable: string
    metric: string
    constraint: string
  }
}

const zh: SectionWords = {
  headings: ['完成情况', '提交物', '指标情况', '约束符合性'],
  status: { completed: '已完成', partial: '部分完成', failed: '未完成' },
  executed: '已执行',
  interrupted: '执行被中断，可能已经生效，也可能没有',
  notExecuted: '未能执行',
  denied: '不允许执行',
  exitCode: (code) => (code === null ? '被信号终止' : `退出码 ${code}`),
  nothingSaid: '没有输出',
  nothingExpected: '没有约定预期观测',
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

const en: SectionWords = {
  headings: ['Completion', 'Deliverables', 'Metrics', 'Constraints'],
  status: { completed: 'Completed', partial: 'Partly completed', failed: 'Not completed' },
  executed: 'executed',
  interrupted: 'it was interrupted, and may or may not have happened',
  notExecuted: 'could not be executed',
  denied: 'it is not allowed',
  exitCode: (code) => (code === null ? 'ended by a signal' : `exit code ${code}`),
  nothingSaid: 'no output',
  nothingExpected: 'nothing was expected in particular',
  expected: 'Expected',
  verdicts: { met: 'met', unmet: 'not met', unknown: 'could not be decided' },
  timedOut: 'ended because its time was up',
  outputCut: 'its output was too long and is cut',
  kept: "within the executor's limits",
  notKept: "beyond the executor's limits",
  probe: { confirmed: 'Confirmed', refuted: 'Refuted', undecided: 'Undecided' },
  evidence: 'evidence',
  probeGoal: (hypothesis) => ({
    intent: `Test the hypothesis: ${unlabelled(hypothesis)}`,
    deliverable: 'a verdict (confirmed, refuted or undecided) with its evidence',
    metric: 'the verdict rests on evidence that can be checked',
    constraint: 'gather evidence only; repair and change nothing',
  }),
}

/** "假设：…" needs no second label. */
function unlabelled(hypothesis: string): string {
  return hypothesis.replace(/^\s*(?:假设|hypothesis)\s*\d*\s*[:：]\s*/i, '')
}

export function wordsFor(goal: Goal): SectionWords {
  return languageOf(goalText(goal)) === 'zh' ? zh : en
}

export function fourSections(words: SectionWords, texts: readonly [string, string, string, string]): string {
  return words.headings.map((heading, i) => `### ${heading}\n${texts[i]}`).join('\n\n')
}

/** What is wrong with a result that Reflect wrote, as names and sentences for the model; none when it can be used. */
export function sectionProblems(result: string, words: SectionWords): string[] {
  const problems: string[] = []
  let from = 0
  for (const heading of words.headings) {
    const at = result.indexOf(`### ${heading}`, from)
    if (at === -1)
      problems.push(
        `RETURN_WITHOUT_SECTION: "### ${heading}" is missing; the sections are ${words.headings.join(', ')}`,
      )
    else from = at + heading.length
  }
  if (problems.length === 0 && statusOf(result, words) === null) {
    const begins = Object.values(words.status)
      .map((word) => `"${word}"`)
      .join(', ')
    problems.push(
      `RETURN_STATUS_UNCLEAR: the section "${words.headings[0]}" must begin with one of ${begins}`,
    )
  }
  return problems
}

/** The status as the first section says it. */
export function statusOf(result: string, { headings, status }: SectionWords): Status | null {
  const [, first = ''] = result.split(`### ${headings[0]}`)
  const text = first.trimStart().replace(/^[*_\-\s]+/, '')
  // The longer words first: one begins with another.
  const names = (Object.keys(status) as Status[]).sort((a, b) => status[b].length - status[a].length)
  return names.find((name) => text.toLowerCase().startsWith(status[name].toLowerCase())) ?? null
}
