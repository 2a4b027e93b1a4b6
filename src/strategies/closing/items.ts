/** How many items a list is to have: "exactly three bullet points", "列出五条建议". */

import { isWithin } from './count.ts'
import type { ItemsDemand } from './demand.ts'
import { ABOUT_MATTER, type Sentence, sentencesOf } from './instructions.ts'
import { boundsOf, HOW_EN, type Kind, WRITE_EN } from './length.ts'
import { NUMBER_EN, NUMBER_ZH, numberOf } from './numbers.ts'

export function itemsDemands(instructions: string): ItemsDemand[] {
  return sentencesOf(instructions).flatMap((sentence) => [
    ...demandsIn(sentence, ENGLISH, BULLETS_EN),
    ...demandsIn(sentence, CHINESE, BULLETS_ZH),
  ])
}

/** A list that is not asked for by name may be written in any way: only a result that is one list is counted. */
export function itemsProblem({ bullets, bounds, asked }: ItemsDemand, result: string): string | null {
  const lists = listsIn(result)
  const sizes = lists.sizes.length > 1 ? [...lists.sizes, sum(lists.sizes)] : lists.sizes
  if (sizes.some((size) => isWithin({ low: size, high: size }, bounds))) return null
  if (!bullets && (lists.sizes.length !== 1 || !lists.isAll)) return null
  const has = sizes.length === 0 ? 'no list' : `${sum(lists.sizes)}`
  return `The goal asks for "${asked}"; the result has ${has}.`
}

function demandsIn({ text, isQuestion }: Sentence, pattern: RegExp, bulletsPattern: RegExp): ItemsDemand[] {
  const found: ItemsDemand[] = []
  for (const match of text.matchAll(pattern)) {
    const { how = '', n = '', what = '' } = match.groups ?? {}
    const before = text.slice(0, match.index)
    const after = text.slice(match.index + match[0].length)
    if (isQuestion || ABOUT_MATTER.test(before) || /每|各/.test(before) || OF_MORE.test(after)) continue
    const count = numberOf(n)
    const bounds = boundsOf(kindOf(how), count, count, 0)
    if (count > 1) {
      found.push({ type: 'items', bullets: bulletsPattern.test(what), bounds, asked: match[0].trim() })
    }
  }
  return found
}

/** Of each of several things, or of one of two lists. */
const OF_MORE = new RegExp(
  String.raw`^\s*(?:(?:each|per|for each|for every)\b|(?:和|与|以及|及|、|，|,|and|plus)\s*(?:${NUMBER_EN}|${NUMBER_ZH}))`,
  'i',
)

function kindOf(how: string): Kind {
  if (/at least|no fewer|no less|min|至少|不少于/i.test(how)) return 'least'
  if (/most|more than|up to|max|within|under|fewer|less|最多|不超过|至多/i.test(how)) return 'most'
  return /about|around|approx|roughly|some|~|约|大概/i.test(how) ? 'about' : 'exact'
}

const ADJECTIVES = '(?:[a-z-]+,? ){0,2}?'
const BULLETS_EN = /bullet/i
const ENGLISH = new RegExp(
  String.raw`\b(?:(?:${WRITE_EN}|list|name|suggest|propose|offer|identify|recommend|brainstorm)(?: me| us)?|in|with|as|using|into|have|contain) (?:(?<how>${HOW_EN}) )?(?<n>${NUMBER_EN}) ${ADJECTIVES}(?<what>bullet points|bullets|items|points|reasons|ideas|ways|options|steps|examples|tips|questions|names|titles|recommendations|suggestions|facts|advantages|disadvantages|arguments|slogans|headlines|takeaways|benefits|risks|lessons)\b`,
  'gi',
)
const BULLETS_ZH = /要点/
const CHINESE = new RegExp(
  String.raw`(?:列出|列举|给出|给我|提出|写出|想出|起|推荐|总结出|归纳出|说出|用|分)\s*(?<how>最多|不超过|至多|至少|不少于|约|大约)?\s*(?<n>${NUMBER_ZH})\s*(?:个(?!汉?字|单?词|句|段)|条|点|项|种)(?<what>要点|建议|理由|原因|例子|方法|方案|问题|名字|标题|步骤|优点|缺点|风险|想法|措施)?`,
  'g',
)

interface Lists {
  /** How many items each list of the first level has. */
  readonly sizes: readonly number[]
  /** The result is nothing but a list. */
  readonly isAll: boolean
}

const ITEM =
  /^(\s*)(?:[-*+•–·▪]|\(?\d{1,3}[.)、）]|[（(][一二三四五六七八九十]+[)）]|[一二三四五六七八九十]+、)\s*\S/

function listsIn(result: string): Lists {
  const rows = result.split('\n').filter((row) => row.trim() !== '')
  const indents = rows.flatMap((row) => ITEM.exec(row)?.[1]?.length ?? [])
  const top = Math.min(...indents)
  const sizes: number[] = []
  let open = false
  let others = 0
  for (const row of rows) {
    const indent = ITEM.exec(row)?.[1]?.length
    if (indent === top) {
      if (open) sizes.push((sizes.pop() ?? 0) + 1)
      else sizes.push(1)
      open = true
    } else if (indent === undefined && !/^\s/.test(row)) {
      open = false
      others++
    }
  }
  return { sizes: [...sizes, ...headingCounts(rows)].filter((size) => size > 0), isAll: others === 0 }
}

/** Headings and bold beginnings make a list as well. */
function headingCounts(rows: readonly string[]): number[] {
  const levels = [1, 2, 3, 4].map(
    (level) => rows.filter((row) => row.startsWith(`${'#'.repeat(level)} `)).length,
  )
  return [...levels, rows.filter((row) => /^\*\*[^*]+\*\*/.test(row)).length]
}

function sum(sizes: readonly number[]): number {
  return sizes.reduce((all, size) => all + size, 0)
}
