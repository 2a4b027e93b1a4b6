/**
 * Which strategy suits a goal. First what it needs: a goal that needs files, commands or the network never goes to a strategy without
 * tools. Then the first rule that fits decides, and its reason is in the journal. A goal that no rule fits is classified by one model
 * call; where the model's choice contradicts what the goal needs, the need wins.
 */
import { parseGoal, type Task } from '../../arithmetic/parse-goal.ts'
import { type Goal, goalText } from '../../protocol/index.ts'
import {
  ALTERNATIVES,
  CHANGES,
  DIAGNOSIS,
  INVESTIGATION,
  LARGE_WORK,
  LONG_TEXT,
  PUZZLE,
  QUESTION,
  REASONING,
  SAVES,
  SHORT_TEXT,
} from './goal-words.ts'
import { instructionOf, isTrouble, matches, needsOf } from './needs.ts'
import type { Need } from './notes.ts'
import type { CHOICES, Classification } from './schema.ts'

export interface Choice {
  readonly strategy: (typeof CHOICES)[number]
  readonly options?: Readonly<Record<string, unknown>>
  readonly reason: string
  readonly needs?: readonly Need[]
  /** What it needs and the run has no tools for. */
  readonly lacks?: readonly Need[]
}

export interface Facts {
  readonly goal: Goal
  /** What it says, without what is pasted into it. */
  readonly words: string
  /** Arithmetic that a program understands. */
  readonly task: Task | null
  readonly isSmall: boolean
  readonly needs: readonly Need[]
  /** There are tools or executors to act with. */
  readonly canAct: boolean
}

interface Rule extends Pick<Choice, 'strategy' | 'options' | 'reason'> {
  readonly name: string
  fits(facts: Facts): boolean
}

/** What one call answers is not longer than this. */
const MAX_SMALL = 200

const RULES: readonly Rule[] = [
  {
    name: 'core4',
    fits: ({ goal }) => typeof goal !== 'string',
    strategy: 'planner',
    reason: 'a goal with deliverable, metric and constraint, which the planner checks',
  },
  {
    name: 'written',
    fits: ({ task }) => task !== null && task.file !== null,
    strategy: 'fractal',
    reason: 'something to compute and to write down with a tool',
  },
  {
    name: 'puzzle',
    fits: ({ task }) => task?.type === 'reach',
    strategy: 'tot',
    options: { task_type: 'math_reasoning' },
    reason: 'an arithmetic puzzle: many ways to try, and a program can check the answer',
  },
  {
    name: 'expression',
    fits: ({ task }) => task?.type === 'compute',
    strategy: 'cot',
    reason: 'something to compute, step by step',
  },
  {
    name: 'no-tools',
    fits: ({ needs, canAct }) => needs.length > 0 && !canAct,
    strategy: 'fractal',
    reason: 'it needs what no tool of this run gives: the answer has to say so',
  },
  {
    name: 'investigation',
    fits: ({ words, needs }) => needs.length > 0 && (isTrouble(words) || INVESTIGATION.test(words)),
    strategy: 'planner',
    reason: 'a cause to be found: hypotheses, tested with executors',
  },
  {
    name: 'large-work',
    fits: ({ words, needs }) => needs.length > 0 && matches(LARGE_WORK, words),
    strategy: 'dual',
    reason: 'large work with tools: a plan of tasks',
  },
  {
    name: 'change',
    fits: ({ words, needs, isSmall }) => needs.length > 0 && isSmall && matches(CHANGES, words),
    strategy: 'planner',
    reason: 'something to change with tools, and to check',
  },
  {
    name: 'save',
    fits: ({ words, needs, isSmall }) => needs.length > 0 && isSmall && SAVES.test(words),
    strategy: 'fractal',
    reason: 'something to write down with a tool',
  },
  {
    name: 'look',
    fits: ({ needs, isSmall }) => needs.length > 0 && isSmall,
    strategy: 'fractal',
    reason: 'something to look up with tools and to answer',
  },
  {
    name: 'search',
    fits: ({ words, needs }) => needs.length === 0 && PUZZLE.test(words),
    strategy: 'tot',
    reason: 'a puzzle: many ways to try',
  },
  {
    name: 'alternatives',
    fits: ({ words, needs }) => needs.length === 0 && ALTERNATIVES.test(words),
    strategy: 'tot',
    options: { task_type: 'creative_writing' },
    reason: 'the best of several alternatives is wanted',
  },
  {
    name: 'long-text',
    fits: ({ words, needs }) => needs.length === 0 && LONG_TEXT.test(words),
    strategy: 'fractal',
    reason: 'a long text: planned in words, written part by part',
  },
  {
    name: 'short-text',
    fits: ({ words, needs }) => needs.length === 0 && SHORT_TEXT.test(words),
    strategy: 'fractal',
    reason: 'a short text, which takes one call',
  },
  {
    name: 'reasoning',
    fits: ({ words, needs }) => needs.length === 0 && (REASONING.test(words) || isWordProblem(words)),
    strategy: 'cot',
    reason: 'several steps of reasoning',
  },
  {
    name: 'diagnosis',
    fits: ({ words, needs }) => needs.length === 0 && DIAGNOSIS.test(words),
    strategy: 'tot',
    options: { task_type: 'debugging' },
    reason: 'a cause to be found by thinking alone: a search among hypotheses',
  },
  {
    name: 'question',
    fits: ({ words, needs, isSmall }) => needs.length === 0 && isSmall && QUESTION.test(words),
    strategy: 'fractal',
    reason: 'a small question, which takes one call',
  },
]

/** A question about amounts, with several of them; years and dates are none. */
function isWordProblem(text: string): boolean {
  const amounts = text.match(AMOUNT) ?? []
  return amounts.length >= 3 ? /[?？]/.test(text) : amounts.length === 2 && HOW_MUCH.test(text)
}

const MONTH = 'jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec'
const AMOUNT = new RegExp(
  `(?<![\\d.:-])(?!(?:1\\d|20)\\d\\d(?![\\d.,]))\\d+(?:[.,:]\\d+)?(?!\\d|\\s*(?:${MONTH}|年|月|日))`,
  'gi',
)
const HOW_MUCH =
  /\bhow (?:many|much|old|long|far|fast|likely)\b|多少|几(?:个|只|天|年|元|人|次|分|小时|岁|倍)|百分之/i

/** The rule that decides, with its name; null when none does. */
export function byRule(facts: Facts): (Choice & { rule: string }) | null {
  const rule = RULES.find(({ fits }) => fits(facts))
  if (rule === undefined) return null
  const { name, strategy, options, reason } = rule
  return { rule: name, strategy, reason, ...(options && { options }), ...needed(facts.needs, facts.canAct) }
}

/** What the model chose; another strategy where that one could not do what the goal needs. */
export function byClassification(
  { strategy, needs: said, reason }: Classification,
  { needs: seen, canAct }: Facts,
): Choice & { overruled?: string } {
  const needs = [...new Set([...seen, ...said])]
  const chosen = { reason, ...needed(needs, canAct) }
  const unfit = canAct ? needs.length > 0 && !ACTS.has(strategy) : needs.length > 0 || ACTS_ONLY.has(strategy)
  if (!unfit || strategy === 'fractal') return { strategy, ...chosen }
  return { strategy: 'fractal', overruled: strategy, ...chosen }
}

/** Those that use tools. */
const ACTS: ReadonlySet<string> = new Set(['fractal', 'planner', 'dual'])
/** Those that have nothing to do without. */
const ACTS_ONLY: ReadonlySet<string> = new Set(['planner', 'dual'])

function needed(needs: readonly Need[], canAct: boolean): Pick<Choice, 'needs' | 'lacks'> {
  return needs.length === 0 ? {} : { needs, ...(!canAct && { lacks: needs }) }
}

export function factsOf(goal: Goal, canAct: boolean): Facts {
  const text = goalText(goal)
  const task = typeof goal === 'string' ? parseGoal(text) : null
  const needs = task === null ? needsOf(text) : task.file === null ? [] : (['files'] as const)
  return { goal, words: instructionOf(text), task, isSmall: text.length <= MAX_SMALL, needs, canAct }
}
