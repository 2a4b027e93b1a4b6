/** The hypotheses of a block that probes: what each has come to, and by what evidence. */
import { isObject } from '../../protocol/index.ts'
import { itemsOf } from './context-json.ts'
import { PROBE_VERDICTS } from './notes.ts'
import { itemKey } from './rules/repetition.ts'
import type { Hypothesis, PlannerContext, Verdict } from './schema.ts'
import { unlabelled, wordsFor } from './sections.ts'

export interface Probing {
  /** All that the plan has had, in their order. */
  hypotheses(): readonly Hypothesis[]
  /** Without a success signal all are tested before Reflect is asked. */
  mustGoOn(): boolean
  /** Takes Reflect's verdicts; one that is tested and has none is undecided. What is judged is not in the plan any more. */
  judge(verdicts: readonly Verdict[]): void
  /** The result of the block begins with the verdicts. */
  told(result: string): string
}

/** Null for a block without hypotheses. */
export function createProbing(context: PlannerContext): Probing | null {
  const { start } = context.options
  if (start?.plan_type !== 'PLAN_PROBES') return null
  const { plan: first, success_signal: signal = '' } = start
  const known = [...first]
  const verdicts = new Map<string, Verdict>()
  const keysOf = (items: readonly string[]) => new Set(items.map(itemKey))

  function hypotheses(): readonly Hypothesis[] {
    const plan = itemsOf(context.block.todo)
    const isKnown = keysOf(known)
    known.push(...plan.filter((item) => !isKnown.has(itemKey(item))))
    const isOpen = keysOf(plan)
    // What a plan takes up again is to be judged again.
    for (const key of isOpen) verdicts.delete(key)
    return known.map((text) => {
      const { verdict, evidence = '' } = verdicts.get(itemKey(text)) ?? {}
      return { text, evidence, state: verdict ?? (isOpen.has(itemKey(text)) ? 'open' : 'tested') }
    })
  }

  return {
    hypotheses,
    mustGoOn: () => signal.trim() === '' && itemsOf(context.block.todo).length > 0,
    judge(given) {
      const judged = new Map(given.map((one) => [itemKey(one.hypothesis), one]))
      for (const { text: hypothesis, state } of hypotheses()) {
        const undecided: Verdict = { hypothesis, verdict: 'undecided', evidence: '' }
        const found = judged.get(itemKey(hypothesis)) ?? (state === 'tested' ? undecided : undefined)
        if (found === undefined) continue
        verdicts.set(itemKey(hypothesis), found)
        context.emit('planner/probe-judged', found)
      }
      const plan = itemsOf(context.block.todo)
      const left = plan.filter((item) => !verdicts.has(itemKey(item)))
      if (left.length < plan.length) context.plan(left)
    },
    told(result) {
      const words = wordsFor(context.block.goal)
      const lines = hypotheses().flatMap(({ text, state, evidence }) => {
        const verdict = state === 'tested' ? 'undecided' : state
        if (verdict === 'open') return []
        const why = evidence === '' ? '' : `\n${words.evidence}: ${evidence}`
        return [`**${words.probe[verdict]}** ${unlabelled(text)}${why}`]
      })
      return [lines.join('\n'), result].filter((part) => part !== '').join('\n\n')
    },
  }
}

/** The verdicts in a reply, on hypotheses by their number; null where one can't be read. */
export function verdictsIn(value: unknown, hypotheses: readonly Hypothesis[]): readonly Verdict[] | null {
  if (value === undefined || value === null) return []
  if (!Array.isArray(value)) return null
  const verdicts = value.map((one: unknown) => verdictIn(one, hypotheses))
  return verdicts.every((one) => one !== null) ? verdicts : null
}

function verdictIn(value: unknown, hypotheses: readonly Hypothesis[]): Verdict | null {
  if (!isObject(value)) return null
  const { hypothesis: named, evidence } = value
  const said = typeof value.verdict === 'string' ? value.verdict.trim().toLowerCase() : ''
  const verdict = PROBE_VERDICTS.find((one) => one === said)
  const found = hypotheses.find(({ text }, i) => isNumbered(named, i + 1) || isNamed(named, text))
  if (verdict === undefined || found === undefined) return null
  return { hypothesis: found.text, verdict, evidence: typeof evidence === 'string' ? evidence : '' }
}

/** Models may write the number as a text. */
function isNumbered(named: unknown, number: number): boolean {
  return named === number || (typeof named === 'string' && named.trim() === String(number))
}

/** Models may copy the hypothesis instead of its number. */
function isNamed(named: unknown, text: string): boolean {
  return typeof named === 'string' && itemKey(unlabelled(named)) === itemKey(unlabelled(text))
}
