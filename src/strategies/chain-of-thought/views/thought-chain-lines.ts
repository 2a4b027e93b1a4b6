/** A chain of thought in a few lines of a terminal: the last thoughts, and the plan as a nested checklist. */

import { type Line, type Segment, segment, type Tone } from '../../../views/line.ts'
import type { Detail, DetailOptions } from '../../../views/strategy-view.ts'
import { fitText, oneLine, textWidth } from '../../../views/text-width.ts'
import type { Lang } from '../../../views/words.ts'
import {
  type ChainThought,
  countSteps,
  emptyChain,
  foldChain,
  type PlanStep,
  type ReopenedStep,
  reopenedOf,
  stepMark,
  stepsOf,
  type ThoughtChain,
  thoughtOf,
} from './thought-chain.ts'

export function chainDetail(path: string, problem: string): Detail {
  const chain = emptyChain(path, problem)
  return {
    follow: (event) => foldChain(chain, event),
    lines: (options) => chainLines(chain, options),
    news(event, lang) {
      const thought = thoughtOf(event)
      if (thought !== null) return thoughtNews(thought, lang)
      const steps = reopenedOf(event)
      return steps.length === 0 ? null : reopenedNews(steps, lang)
    },
  }
}

/** Thoughts on the screen; the plan tells the rest. */
const LAST_THOUGHTS = 3

interface ChainWords {
  thought(n: number): string
  evaluation: string
  reopened: string
  verify: string
  more(n: number): string
  counts(done: number, all: number, verify: number): string
}

const WORDS: Record<Lang, ChainWords> = {
  en: {
    thought: (n) => `thought ${n}`,
    evaluation: 'evaluation',
    reopened: 'open again',
    verify: 'verify',
    more: (n) => `${n} more steps`,
    counts: (done, all, verify) =>
      `${done} of ${all} steps done${verify === 0 ? '' : `, ${verify} to verify`}`,
  },
  zh: {
    thought: (n) => `思考 ${n}`,
    evaluation: '评估',
    reopened: '重新打开',
    verify: '待验证',
    more: (n) => `还有 ${n} 步`,
    counts: (done, all, verify) => `已完成 ${done}/${all} 步${verify === 0 ? '' : `, 待验证 ${verify} 步`}`,
  },
}

const TONES: Readonly<Record<string, Tone>> = { Done: 'good', 'Verification Needed': 'ask' }

export function chainLines({ thoughts }: ThoughtChain, { width, maxLines, lang }: DetailOptions): Line[] {
  const words = WORDS[lang]
  const last = thoughts.at(-1)
  if (last === undefined) return []
  const plan = planLines(last.planning, words, width)
  // The last thought always has its line; its evaluation, then earlier ones, only where the plan leaves room.
  const room = maxLines - plan.length
  const judged = room > 1 ? evaluationLines(last, words, width) : []
  const told = Math.max(1, Math.min(LAST_THOUGHTS, room - judged.length))
  const earlier = thoughts.slice(-told, -1).map((thought) => thoughtLine(thought, false, words, width))
  const lines = [...earlier, ...judged, thoughtLine(last, true, words, width)]
  return [...lines, ...foldPlan(plan, maxLines - lines.length, words, width)].slice(0, maxLines)
}

function thoughtLine(thought: ChainThought, isLast: boolean, words: ChainWords, width: number): Line {
  const text = firstSentence(thought.current_thinking)
  return headedLine(words.thought(thought.thought_number), text, isLast ? 'plain' : 'dim', width)
}

/** What the last thought found of the one before. */
function evaluationLines({ evaluation = '' }: ChainThought, words: ChainWords, width: number): Line[] {
  const text = oneLine(evaluation, 1_000)
  return text === '' ? [] : [headedLine(words.evaluation, text, 'dim', width)]
}

function headedLine(name: string, text: string, tone: Tone, width: number): Line {
  const head = fitText(`${name}: `, width)
  return [segment(head, 'dim'), segment(fitText(text, Math.max(0, width - textWidth(head))), tone)]
}

interface PlanLine {
  line: Line
  done: boolean
}

function planLines(steps: readonly PlanStep[], words: ChainWords, width: number, level = 0): PlanLine[] {
  return steps.flatMap((step) => {
    const done = step.status === 'Done'
    const head = `${'   '.repeat(level)}${stepMark(step)} `
    const result = step.result ? `: ${oneLine(step.result)}` : ''
    const mark = step.mark ? ` (${words.verify}: ${oneLine(step.mark)})` : ''
    const text = fitText(`${oneLine(step.description)}${result}${mark}`, Math.max(0, width - head.length))
    const line = [segment(head, TONES[step.status] ?? 'dim'), segment(text, done ? 'dim' : 'plain')]
    return [{ line, done }, ...planLines(stepsOf(step.sub_steps), words, width, level + 1)]
  })
}

/** What is done goes first, from the top. */
function foldPlan(plan: readonly PlanLine[], room: number, words: ChainWords, width: number): Line[] {
  if (plan.length <= room) return plan.map(({ line }) => line)
  if (room < 1) return []
  let tooMany = plan.length - room + 1
  const kept = plan.filter(({ done }) => !done || tooMany-- <= 0).slice(0, room - 1)
  const more = fitText(`… ${words.more(plan.length - kept.length)}`, width)
  return [[segment(more, 'dim')], ...kept.map(({ line }) => line)]
}

function thoughtNews(thought: ChainThought, lang: Lang): readonly Segment[] {
  const words = WORDS[lang]
  const { done, all, verify } = countSteps(thought.planning)
  const counts = all === 0 ? '' : ` (${words.counts(done, all, verify)})`
  const text = `${words.thought(thought.thought_number)}: ${firstSentence(thought.current_thinking, 160)}`
  return [segment(text), segment(counts, 'dim')]
}

function reopenedNews(steps: readonly ReopenedStep[], lang: Lang): readonly Segment[] {
  const words = WORDS[lang]
  const told = steps.map(({ step, description, mark }) => {
    const why = mark ? ` (${words.verify}: ${oneLine(mark, 160)})` : ''
    return `${step}. ${oneLine(description, 160)}${why}`
  })
  return [segment(`${words.reopened}: ${told.join('; ')}`, 'warn')]
}

/** Up to the first full stop that ends a sentence, not a number. */
export function firstSentence(text: string, most = 240): string {
  const line = oneLine(text, 1_000)
  const [sentence] = /^.*?(?:[.!?](?=\s|$)|[。！？])/u.exec(line) ?? [line]
  return fitText(sentence, most)
}
