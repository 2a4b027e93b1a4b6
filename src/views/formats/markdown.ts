/** A run as Markdown: its tree of blocks as a nested list. */
import { type BlockState, goalIntent, goalText, type RunState, valueJson } from '../../protocol/index.ts'
import { MARKS, NOT_BEGUN } from '../block-row.ts'
import { reasonInWords, resultInWords } from '../reason-words.ts'
import { strategyTag } from '../strategy-news.ts'
import { resultLine } from '../text-width.ts'
import { type Lang, wordsOf } from '../words.ts'
import { endLine, heading, inline, paragraph } from './markdown-text.ts'
import { pictureWords } from './picture-words.ts'

/** The goal, then every block with its plan and its result. */
export function blocksMarkdown(state: RunState, path: string, lang: Lang): string {
  const block = state.blocks.get(path)
  if (block === undefined) return `_${pictureWords(lang).empty}_\n`
  const words = pictureWords(lang)
  const status = wordsOf(lang).status[block.status]
  const parts = [`# ${heading(goalText(block.goal))}`, `${block.strategy} · ${status}`]
  const list = blockItems(block, state, '', lang)
  if (list.length > 0) parts.push(`## ${words.plan}`, list.join('\n'))
  if (block.outcome !== null) {
    const { result, details, status: end } = block.outcome
    if (result !== '') parts.push(`## ${words.result}`, paragraph(resultInWords(result, lang)))
    if (details !== undefined) parts.push(`## ${words.details}`, paragraph(resultInWords(details, lang)))
    if (end !== 'completed') parts.push(endLine(block.outcome, lang))
  }
  return `${parts.join('\n\n')}\n`
}

/** What stands below all else: the run's value, or why it is not complete where the block that is `shown` for it does not say so. */
export function runEnding({ outcome, blocks }: RunState, shown: string, lang: Lang): string[] {
  if (outcome === null) return []
  if (outcome.value !== undefined)
    return [`## ${pictureWords(lang).value}\n\n\`\`\`json\n${valueJson(outcome.value)}\n\`\`\`\n`]
  const isSaid = outcome.status === 'completed' || blocks.get(shown)?.outcome?.reason === outcome.reason
  return isSaid ? [] : [`${endLine(outcome, lang)}\n`]
}

function blockItems(block: BlockState, state: RunState, indent: string, lang: Lang): string[] {
  const children = block.children.flatMap((path) => state.blocks.get(path) ?? [])
  const goals = new Set(children.map(({ goal }) => goalIntent(goal)))
  const items = children.flatMap((child) => {
    const result = child.outcome === null ? '' : partOf(resultInWords(child.outcome.result, lang))
    const changed = child.strategy === block.strategy ? '' : ` ${strategyTag(child.strategy)}`
    // "the rent.: 20" reads badly.
    const goal =
      result === ''
        ? goalIntent(child.goal)
        : goalIntent(child.goal)
            .trim()
            .replace(/[.。]$/, '')
    const { reason: said, code } = child.outcome ?? {}
    const reason = said === undefined ? '' : ` (${inline(reasonInWords(said, lang, code), 300)})`
    const text = `${inline(goal)}${changed}${reason}${result === '' ? '' : `: ${inline(result, 300)}`}`
    const line = `${indent}- ${MARKS[child.status].mark} ${text}`
    return [line, ...blockItems(child, state, `${indent}  `, lang)]
  })
  const left = typeof block.todo === 'string' || block.outcome !== null ? [] : block.todo
  const open = left.filter((text) => !goals.has(text.trim()))
  return [...items, ...open.map((text) => `${indent}- ${NOT_BEGUN} ${inline(text)}`)]
}

/** The first part of a result; a heading after it says that there is more. */
function partOf(result: string): string {
  const line = resultLine(result)
  const lines = result.split('\n').filter((one, i) => one.trim() !== '' || i === 0)
  const isHeading = (one = '') => /^#{1,6} /.test(one)
  const hasMore =
    isHeading(lines[0]) && lines.some((one, i) => i > 0 && !isHeading(one) && isHeading(lines[i + 1]))
  return hasMore && !line.endsWith('…') ? `${line} …` : line
}
