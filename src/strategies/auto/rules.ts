/**
 * Which strategy suits a goal: the first rule that fits decides, and its reason is in the journal. A goal that no rule fits is
 * classified by one model call, and the classification decides.
 */
import { parseGoal } from '../../arithmetic/parse-goal.ts'
import { type Goal, goalText } from '../../protocol/index.ts'
import type { CHOICES, Classification } from './schema.ts'

export interface Choice {
  readonly strategy: (typeof CHOICES)[number]
  readonly options?: Readonly<Record<string, unknown>>
  readonly reason: string
}

export interface Facts {
  readonly goal: Goal
  readonly text: string
  /** There are tools or executors to act with. */
  readonly hasTools: boolean
}

interface Rule extends Choice {
  readonly name: string
  fits(facts: Facts): boolean
}

const MAX_QUESTION = 200

const RULES: readonly Rule[] = [
  {
    name: 'core4',
    fits: ({ goal }) => typeof goal !== 'string',
    strategy: 'planner',
    reason: 'a goal with deliverable, metric and constraint, which the planner checks',
  },
  {
    name: 'written',
    fits: ({ text }) => (parseGoal(text)?.file ?? null) !== null,
    strategy: 'fractal',
    reason: 'something to compute and to write down with a tool',
  },
  {
    name: 'puzzle',
    fits: ({ text }) => parseGoal(text)?.type === 'reach',
    strategy: 'tot',
    options: { task_type: 'math_reasoning' },
    reason: 'an arithmetic puzzle: many ways to try, and a program can check the answer',
  },
  {
    name: 'expression',
    fits: ({ text }) => parseGoal(text)?.type === 'compute',
    strategy: 'cot',
    reason: 'something to compute, step by step',
  },
  {
    name: 'investigation',
    fits: ({ text, hasTools }) => hasTools && INVESTIGATION.test(text),
    strategy: 'planner',
    reason: 'a cause to be found: hypotheses, tested with executors',
  },
  {
    name: 'diagnosis',
    fits: ({ text }) => INVESTIGATION.test(text),
    strategy: 'tot',
    options: { task_type: 'debugging' },
    reason: 'a cause to be found by thinking alone: a search among hypotheses',
  },
  {
    name: 'alternatives',
    fits: ({ text }) => ALTERNATIVES.test(text) && !WORK.test(text),
    strategy: 'tot',
    options: { task_type: 'creative_writing' },
    reason: 'the best of several alternatives is wanted',
  },
  {
    name: 'long-text',
    fits: ({ text }) => LONG_TEXT.test(text),
    strategy: 'fractal',
    reason: 'a long text: planned in words, written part by part',
  },
  {
    name: 'question',
    fits: ({ text }) => text.length <= MAX_QUESTION && QUESTION.test(text) && !WORK.test(text),
    strategy: 'cot',
    reason: 'a question to be thought through',
  },
]

// Strong signs only: anything less is left to the classification.
const INVESTIGATION =
  /\b(root cause|find (out )?(the cause|why)|why (does|is|did|do) .{0,60}(fail|crash|error|slow|break|hang)|diagnose|debug)\b|查明|根因|排查|定位.{0,12}(原因|问题|报错|故障)/i
const ALTERNATIVES =
  /\b(slogan|headline|tagline|brainstorm|(best|several|different|five|ten|three) (of )?(ideas|options|alternatives|names|titles))\b|口号|起名|头脑风暴|(几个|多个|最好的)(方案|标题|名字|点子)/i
const LONG_TEXT =
  /\b(write|draft|compose)\b.{0,60}\b(essay|article|blog post|story|novel|chapter|white ?paper)\b|^(an? )?(\w+ )?(essay|article|blog post|story|novel)\b|(写|撰写|创作).{0,30}(文章|论文|小说|故事|长文|作文)/i
const QUESTION =
  /^(what|who|when|where|which|how (many|much|likely)|is|are|does|do|can|prove|show that|solve)\b|[?？]\s*$|^(求|证明|计算|什么|为何|是否)/i
const WORK =
  /\b(file|files|folder|repository|repo|code ?base|install|deploy|commit)\b|文件|目录|仓库|代码库|安装|部署/i

/** The rule that decides, with its name; null when none does. */
export function byRule(facts: Facts): (Choice & { rule: string }) | null {
  const rule = RULES.find(({ fits }) => fits(facts))
  if (rule === undefined) return null
  const { name, strategy, options, reason } = rule
  return { rule: name, strategy, reason, ...(options && { options }) }
}

export function byClassification(
  { kind, needs_tools, checkable, size }: Classification,
  hasTools: boolean,
): Choice {
  const reason = `${kind}, ${size}, ${needs_tools ? 'needs tools' : 'no tools'}, ${checkable ? 'checkable' : 'not checkable'}`
  const acts = needs_tools && hasTools
  if (kind === 'question') return { strategy: 'cot', reason }
  if (kind === 'puzzle') return { strategy: checkable ? 'tot' : 'cot', reason }
  if (kind === 'alternatives') return { strategy: 'tot', reason }
  if (kind === 'investigation')
    return acts
      ? { strategy: 'planner', reason }
      : { strategy: 'tot', options: { task_type: 'debugging' }, reason }
  if (kind === 'work' && acts) return { strategy: size === 'large' ? 'dual' : 'planner', reason }
  return { strategy: 'fractal', reason }
}

export function factsOf(goal: Goal, hasTools: boolean): Facts {
  return { goal, text: typeof goal === 'string' ? goal : goalText(goal), hasTools }
}
