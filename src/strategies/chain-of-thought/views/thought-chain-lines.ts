/** A chain of thought in a few lines of a terminal: the last thoughts, and the plan as a nested checklist. */
import { type Line, type Segment, segment, type Tone } from '../../../views/line.ts'
import type { Detail, DetailOptions } from '../../../views/strategy-view.ts'
import { cleanLine, fitText, textWidth } from '../../../views/text-width.ts'
import type { Lang } from '../../../views/words.ts'
import type { Plan, ReopenedStep, Thought } from '../notes.ts'
import {
  CHAIN_WORDS,
  type ChainWords,
  countSteps,
  emptyChain,
  foldChain,
  reopenedIn,
  stepMark,
  type ThoughtChain,
  thoughtIn,
  thoughtName,
} from './thought-chain.ts'

export function chainDetail(): Detail {
  const chain = emptyChain()
  return {
    follow: (event) => foldChain(chain, event),
    lines: (options) => chainLines(chain, options),
    news(event, lang) {
      const thought = thoughtIn(event)
      if (thought !== null) return thoughtNews(thought, lang)
      const steps = reopenedIn(event)
      return steps.length === 0 ? null : reopenedNews(steps, lang)
    },
    planNews(event, lang) {
      const { planning } = thoughtIn(event) ?? {}
      if (planning === undefined) return []
      const words = CHAIN_WORDS[lang]
      return foldPlan(planLines(planning, words, NEWS_WIDTH), NEWS_LINES, words, NEWS_WIDTH)
    },
  }
}

/** Thoughts that are shown; the plan has the results of the others. */
const LAST_THOUGHTS = 3

/** Of the plan in a pipe. */
const NEWS_LINES = 12
const NEWS_WIDTH = 96

const TONES: Readonly<Record<string, Tone>> = { Done: 'good', 'Verification Needed': 'ask' }

function chainLines({ thoughts }: ThoughtChain, { width, maxLines, lang }: DetailOptions): Line[] {
  const words = CHAIN_WORDS[lang]
  const last = thoughts.at(-1)
  if (last === undefined) return []
  const plan = planLines(last.planning, words, width)
  // The last thought always has its line; its evaluation, then earlier ones, only where the plan leaves room.
  const room = maxLines - plan.length
  const evaluation = room > 1 ? evaluationLines(last, words, width) : []
  const free = Math.max(1, room - evaluation.length)
  const isAll = thoughts.length <= Math.min(LAST_THOUGHTS, free)
  // A line says how many are left out.
  const shown = isAll ? thoughts.length : Math.max(1, Math.min(LAST_THOUGHTS, free - 1))
  const left = thoughts.length - shown
  const more = left > 0 && free > 1 ? [moreLine(words.earlier(left), width)] : []
  const earlier = thoughts.slice(-shown, -1).map((thought) => thoughtLine(thought, false, words, width))
  const lines = [...more, ...earlier, ...evaluation, thoughtLine(last, true, words, width)]
  return [...lines, ...foldPlan(plan, maxLines - lines.length, words, width)].slice(0, maxLines)
}

function thoughtLine(thought: Thought, isLast: boolean, words: ChainWords, width: number): Line {
  const text = firstSentence(thought.current_thinking)
  return headedLine(`${words.thought} ${thought.thought_number}`, text, isLast ? 'plain' : 'dim', width)
}

/** What the last thought says about the one before. */
function evaluationLines({ evaluation = '' }: Thought, words: ChainWords, width: number): Line[] {
  const text = cleanLine(evaluation, 1_000)
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

function planLines(steps: Plan, words: ChainWords, width: number, level = 0): PlanLine[] {
  return steps.flatMap((step) => {
    const done = step.status === 'Done'
    const head = `${'   '.repeat(level)}${stepMark(step)} `
    const result = step.result ? `: ${cleanLine(step.result)}` : ''
    const mark = step.mark ? ` (${words.verify}: ${cleanLine(step.mark)})` : ''
    const text = fitText(`${cleanLine(step.description)}${result}${mark}`, Math.max(0, width - head.length))
    const line = [segment(head, TONES[step.status] ?? 'dim'), segment(text, done ? 'dim' : 'plain')]
    return [{ line, done }, ...planLines(step.sub_steps ?? [], words, width, level + 1)]
  })
}

/** Steps that are Done are left out first, from the top. */
function foldPlan(plan: readonly PlanLine[], room: number, words: ChainWords, width: number): Line[] {
  if (plan.length <= room) return plan.map(({ line }) => line)
  if (room < 1) return []
  let tooMany = plan.length - room + 1
  const kept = plan.filter(({ done }) => !done || tooMany-- <= 0).slice(0, room - 1)
  return [moreLine(words.more(plan.length - kept.length), width), ...kept.map(({ line }) => line)]
}

function moreLine(text: string, width: number): Line {
  return [segment(fitText(`… ${text}`, width), 'dim')]
}

function thoughtNews(thought: Thought, lang: Lang): readonly Segment[] {
  const words = CHAIN_WORDS[lang]
  const { done, all, verify } = countSteps(thought.planning)
  const counts = all === 0 ? '' : ` (${words.counts(done, all, verify)})`
  const text = `${thoughtName(thought, words)}: ${firstSentence(thought.current_thinking, 160)}`
  return [segment(text), segment(counts, 'dim')]
}

function reopenedNews(steps: readonly ReopenedStep[], lang: Lang): readonly Segment[] {
  const words = CHAIN_WORDS[lang]
  const texts = steps.map(({ step, description, mark }) => {
    const why = mark ? ` (${words.verify}: ${cleanLine(mark, 160)})` : ''
    return `${step}. ${cleanLine(description, 160)}${why}`
  })
  return [segment(`${words.reopened}: ${texts.join('; ')}`, 'warn')]
}

/** Up to the first full stop that ends a sentence, not a number. */
export function firstSentence(text: string, maxWidth = 240): string {
  const line = cleanLine(text, 1_000)
  const [sentence] = /^.*?(?:[.!?](?=\s|$)|[。！？])/u.exec(line) ?? [line]
  return fitText(sentence, maxWidth)
}
