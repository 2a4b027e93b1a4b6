/** Runs as Markdown: a chain of thought as a trace, a tree of thoughts and a tree of blocks as nested lists. */
import { type BlockState, goalText, type RunState } from '../../protocol/index.ts'
import { MARKS, NOT_BEGUN } from '../progress.ts'
import { strategyTag } from '../strategy-news.ts'
import { cleanText, oneLine } from '../text-width.ts'
import { type ChainThought, type PlanStep, stepMark, stepsOf, type ThoughtChain } from '../thought-chain.ts'
import { type Lang, wordsOf } from '../words.ts'
import { childrenOf, type Picture, type PictureNode } from './picture.ts'
import { type PictureWords, pictureWords } from './picture-words.ts'

/** Each thought with its number, evaluation, thinking and plan; then the solution. */
export function chainMarkdown({ problem, thoughts, outcome }: ThoughtChain, lang: Lang): string {
  const words = pictureWords(lang)
  const parts = [`# ${heading(problem)}`]
  if (thoughts.length === 0) parts.push(`_${words.empty}_`)
  for (const thought of thoughts) parts.push(...thoughtParts(thought, words))
  const last = thoughts.at(-1)
  const solution = outcome?.result || (last?.next_thought_needed === false ? last.current_thinking : '')
  if (solution !== '') parts.push(`## ${words.solution}`, paragraph(solution))
  if (outcome !== null && outcome.status !== 'completed') parts.push(endLine(outcome, lang))
  return `${parts.join('\n\n')}\n`
}

function thoughtParts(thought: ChainThought, words: PictureWords): string[] {
  const { thought_number, evaluation, current_thinking, planning } = thought
  const parts = [`## ${words.thought} ${thought_number}`]
  if (evaluation) parts.push(`**${words.evaluation}:** ${paragraph(evaluation)}`)
  parts.push(paragraph(current_thinking))
  if (planning.length > 0) parts.push(`**${words.plan}**`, checklist(planning, words).join('\n'))
  return parts
}

function checklist(steps: readonly PlanStep[], words: PictureWords, indent = ''): string[] {
  return steps.flatMap((step) => {
    const result = step.result ? `: ${item(step.result)}` : ''
    const mark = step.mark ? ` (${words.verify}: ${item(step.mark)})` : ''
    const line = `${indent}- ${stepMark(step)} ${item(step.description)}${result}${mark}`
    return [line, ...checklist(stepsOf(step.sub_steps), words, `${indent}  `)]
  })
}

/** The best path in bold, what was pruned struck through. */
export function thoughtsMarkdown({ title, caption, result, nodes }: Picture, lang: Lang): string {
  const words = pictureWords(lang)
  const children = childrenOf(nodes)
  const listed = (node: PictureNode, indent: string): string[] => [
    `${indent}- ${thoughtItem(node)}`,
    ...(children.get(node.id) ?? []).flatMap((child) => listed(child, `${indent}  `)),
  ]
  const root = children.get(null)?.[0]
  const top = root === undefined ? [] : (children.get(root.id) ?? [])
  const parts = [`# ${heading(title)}`, caption]
  parts.push(top.length === 0 ? `_${words.empty}_` : top.flatMap((node) => listed(node, '')).join('\n'))
  if (result !== '') parts.push(`## ${words.solution}`, paragraph(result))
  return `${parts.join('\n\n')}\n`
}

function thoughtItem({ text, badge, look, verified }: PictureNode): string {
  const content = item(text)
  const shown =
    look === 'best' ? `**${content}**` : look === 'pruned' || look === 'merged' ? `~~${content}~~` : content
  const marks = [look === 'merged' ? '≡' : '', badge, verified ? '✓' : ''].filter((mark) => mark !== '')
  return marks.length === 0 ? shown : `${shown} · ${marks.join(' ')}`
}

/** The goal, then every block with its plan and what it came to. */
export function blocksMarkdown(state: RunState, path: string, lang: Lang): string {
  const block = state.blocks.get(path)
  if (block === undefined) return `_${pictureWords(lang).empty}_\n`
  const words = pictureWords(lang)
  const status = wordsOf(lang).status[block.status]
  const parts = [`# ${heading(goalText(block.goal))}`, `${block.strategy} · ${status}`]
  const list = blockItems(block, state, '')
  if (list.length > 0) parts.push(`## ${words.plan}`, list.join('\n'))
  if (block.outcome !== null) {
    if (block.outcome.result !== '') parts.push(`## ${words.result}`, paragraph(block.outcome.result))
    if (block.outcome.status !== 'completed') parts.push(endLine(block.outcome, lang))
  }
  return `${parts.join('\n\n')}\n`
}

function blockItems(block: BlockState, state: RunState, indent: string): string[] {
  const children = block.children.flatMap((path) => state.blocks.get(path) ?? [])
  const goals = new Set(children.map(({ goal }) => titleOf(goal).trim()))
  const items = children.flatMap((child) => {
    const result = child.outcome === null ? '' : oneLine(child.outcome.result, 300)
    const changed = child.strategy === block.strategy ? '' : ` ${strategyTag(child.strategy)}`
    const told = `${item(titleOf(child.goal))}${changed}${result === '' ? '' : `: ${item(result)}`}`
    const line = `${indent}- ${MARKS[child.status].mark} ${told}`
    return [line, ...blockItems(child, state, `${indent}  `)]
  })
  const left = typeof block.todo === 'string' || block.outcome !== null ? [] : block.todo
  const open = left.filter((text) => !goals.has(text.trim()))
  return [...items, ...open.map((text) => `${indent}- ${NOT_BEGUN} ${item(text)}`)]
}

function endLine({ status, reason }: NonNullable<BlockState['outcome']>, lang: Lang): string {
  return `_${wordsOf(lang).status[status]}${reason === undefined ? '' : `: ${item(reason)}`}_`
}

function titleOf(goal: BlockState['goal']): string {
  return typeof goal === 'string' ? goal : goal.intent
}

function heading(text: string): string {
  return item(oneLine(text, 200))
}

/** One line, in which nothing is markup: `<` would begin a tag, and stars and underscores are often arithmetic. */
function item(text: string): string {
  return oneLine(text, 1_000).replace(/[\\`*_[\]<>#|~]/g, '\\$&')
}

/** What a model wrote is Markdown already; only tags are taken off their meaning. */
function paragraph(text: string): string {
  return cleanText(text).trim().replaceAll('<', '&lt;')
}
