/** The sections of the requests of a search: the problem, what a solution must keep to, the path, and what is compared. */
import type { Item, Need, Section } from '../../kernel/brief/section.ts'
import { nonceOf } from '../../kernel/fence.ts'
import { aboveSections, personSection } from '../sections.ts'
import type { FailedThought, ThoughtNode } from './protocol.ts'
import type { TotContext } from './schema.ts'
import type { NamedThought, Surroundings } from './surroundings.ts'

/** The thoughts from the first to this one; none at the root. */
export function thoughtsOf({ depth, content, metadata }: ThoughtNode): string[] {
  if (depth === 0) return []
  return [...((metadata?.path ?? []) as string[]), content]
}

export function stateOf({ metadata }: ThoughtNode): { state?: unknown } {
  return metadata?.state === undefined ? {} : { state: metadata.state }
}

export function problemSections(context: TotContext, problem: string): Section[] {
  return [
    ...aboveSections(context),
    { need: 'whole', title: 'The problem:', items: [{ text: problem }] },
    personSection(context),
  ]
}

export function criteriaSection(goal: string): Section {
  return { need: 'whole', title: 'A solution is known by this:', items: goal === '' ? [] : [{ text: goal }] }
}

export const KEEP = 'It must keep to:'

export function constraintsSection(around: Surroundings | null): Section {
  return listSection(KEEP, around?.constraints ?? [])
}

export function judgedBySection(criteria: readonly string[]): Section {
  return listSection('Thoughts on it are judged by:', criteria)
}

export function verdictSection(around: Surroundings | null): Section {
  const { verdict } = around ?? {}
  if (verdict === undefined) return { need: 'first', items: [] }
  const { answer, is_valid, errors } = verdict
  const about = is_valid
    ? 'A program has verified this answer; give it as it is:'
    : `A program has refuted this answer${errors.length === 0 ? '' : ` (${errors.join('; ')})`}:`
  return { need: 'first', items: [{ about, text: answer, data: 'answer' }] }
}

export function listSection(title: string, lines: readonly string[]): Section {
  return { need: 'whole', title, items: lines.map((line) => ({ text: `- ${line}` })) }
}

export function thoughtsSection(thoughts: readonly string[]): Section {
  const items = thoughts.map((thought, i) => ({ about: `Thought ${i + 1}:`, text: thought, data: 'thought' }))
  return { need: 'whole', title: 'Thoughts so far:', items }
}

export function stateSection({ metadata }: ThoughtNode): Section {
  const { state } = metadata ?? {}
  if (state === undefined) return { need: 'whole', items: [] }
  const shown = typeof state === 'string' ? state : JSON.stringify(state)
  return { need: 'whole', items: [{ text: `Left to work with: ${shown}` }] }
}

/** Why the thought was kept, and what it still lacks: who goes on from it should know. */
export function judgementSection(node: ThoughtNode | undefined, need: Need = 'first'): Section {
  const said = node?.evaluation?.reasoning ?? ''
  const reasoning = said.replace(VOTES, '')
  const items = reasoning === '' ? [] : [{ text: reasoning, data: 'judgement' }]
  const how = reasoning === said ? '' : ', as against others that you do not see'
  return { need, title: `What was said of the last thought when it was judged${how}:`, items }
}

/** As the tally ends the reasoning. */
const VOTES = / \(best in \d+ of \d+ votes\)$/

/** What was wrong stands with what it was wrong with. */
export function failedSection(failed: readonly FailedThought[]): Section {
  const items = failed.map(({ content, errors }) => ({
    about: `Failed: ${errors.join('; ')}`,
    text: content,
    data: 'failed',
  }))
  return {
    need: 'first',
    title: 'This was tried after the thoughts so far, and failed. Go another way, by what was wrong:',
    items,
  }
}

export function knownChildren(
  { path }: TotContext,
  children: readonly NamedThought[],
  failed: readonly FailedThought[],
): Section {
  const shown = new Set(failed.map(({ content }) => content))
  const others = children.filter(({ content }) => !shown.has(content))
  const items = others.map(({ id, content }) => ({ text: content, data: 'proposed', ref: `${path} ${id}` }))
  return { need: 'first', title: 'Proposed already, not to be repeated:', items }
}

export function stepText(depth: number, around: Surroundings | null): string {
  if (around === null) return ''
  const { granularity, steps, maxDepth } = around
  // The last step has to do all that is left.
  const now = depth < maxDepth ? steps.slice(depth - 1, depth) : steps.slice(maxDepth - 1)
  const what = now.length === 0 ? '' : `: ${now.join('; ')}`
  const size = granularity === '' ? '' : ` One thought is: ${granularity}.`
  return `This is step ${depth} of ${maxDepth}${what}.${size}`
}

/** The thoughts that candidates follow on, each once, the same for every ballot; then the candidates in the ballot's order. */
export function candidateSections(
  candidates: readonly ThoughtNode[],
  order: readonly ThoughtNode[],
): Section[] {
  const names = new Map<string, string>()
  const called = ballotNames(candidates)
  const before: Item[] = []
  const items = new Map<ThoughtNode, Item>()
  for (const node of candidates) {
    let after = ''
    for (const [i, thought] of thoughtsOf(node).slice(0, -1).entries()) {
      const key = `${after}\n${thought}`
      const known = names.get(key)
      const name = known ?? `Thought ${i + 1}${letterOf(names.size)}`
      if (known === undefined) {
        names.set(key, name)
        before.push({ about: `${name}${afterText(after)}:`, text: thought, data: 'thought' })
      }
      after = name
    }
    items.set(node, {
      about: `[${called.get(node.id)}]${afterText(after)}:`,
      text: node.content,
      data: 'candidate',
    })
  }
  return [
    { need: 'whole', title: 'What the candidates follow on:', items: before },
    { need: 'whole', title: 'The candidates:', items: order.flatMap((node) => items.get(node) ?? []) },
  ]
}

/** By id, under what judges see candidates: an id tells which was made first. */
export function ballotNames(candidates: readonly ThoughtNode[]): ReadonlyMap<string, string> {
  const names = new Map<string, string>()
  const taken = new Set<string>()
  for (const node of candidates) {
    for (let digits = 3; ; digits++) {
      const name = `c${nonceOf('candidate', [...thoughtsOf(node), digits].join('\n')).slice(0, digits)}`
      if (taken.has(name)) continue
      names.set(node.id, name)
      taken.add(name)
      break
    }
  }
  return names
}

function afterText(name: string): string {
  return name === '' ? '' : `, after ${name}`
}

function letterOf(n: number): string {
  return n < 26 ? String.fromCharCode(97 + n) : `-${n}`
}

/** Of each path what is not shown yet: it shares its beginning with the best path, or with another. */
export function alternativeItems(
  { path: block }: TotContext,
  best: readonly string[],
  others: ReturnType<Surroundings['alternatives']>,
): Item[] {
  const shown = new Set(best)
  return others.flatMap(({ path, score }) => {
    const fresh = path.filter(({ content }) => !shown.has(content))
    for (const { content } of fresh) shown.add(content)
    return fresh.map(({ id, content }): Item => {
      const about = `Thought ${path.findIndex((one) => one.id === id) + 1} of ${path.length} of a path with the score ${score}:`
      return { about, text: content, data: 'path', ref: `${block} ${id}` }
    })
  })
}
