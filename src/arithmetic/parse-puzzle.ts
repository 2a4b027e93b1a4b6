/** Reads "Make 24 from 4, 9, 10 and 13" and the like, in English and Chinese. */

import { MAX_NUMBERS, type Puzzle } from './puzzle.ts'
import { parseRational, type Rational } from './rational.ts'

const MAX_CHARS = 2_000

/** Null if the text is not such a puzzle. Expects a normalised text. */
export function parsePuzzle(text: string): Puzzle | null {
  if (text.length > MAX_CHARS) return null
  const plain = RULES.reduce((rest, rule) => rest.replace(rule, ' '), text)
    .replace(/\s+/g, ' ')
    .replace(/[\s,;.:。]+$/, '')
    .trim()
  for (const regExp of PATTERNS) {
    const groups = regExp.exec(plain)?.groups
    if (groups === undefined) continue
    const target = parseRational(groups.target ?? groups.target2 ?? '')
    const numbers = numbersOf(groups.list ?? '')
    if (target !== null && numbers !== null) return { target, numbers }
  }
  return null
}

function numbersOf(list: string): Rational[] | null {
  const numbers = list
    .split(BETWEEN_SPLIT)
    .filter((text) => text !== '')
    .map(parseRational)
  const fits = numbers.length >= 2 && numbers.length <= MAX_NUMBERS
  return fits && numbers.every((value) => value !== null) ? numbers : null
}

/** What people add about the usual rules; ignored. */
const RULES: readonly RegExp[] = [
  /[\s,;.(]*(?:\b(?:and|by|but|you must|must)\s+)*(?:\b(?:using|use|with)\s+)?\b(?:each|every|all)(?: one)?(?: of)?(?: the| these)?(?: two| three| four| five| six| given)?(?: numbers?)?(?: (?:must|may|can|has to|should))?(?: (?:be|is|are))?(?: used)? (?:exactly |only |just )?once(?: each)?\)?/gi,
  /[\s,;.(]*(?:\b(?:and|by)\s+)?(?:\b(?:using|use|with)\s+)?(?:only )?(?:the )?(?:four )?(?:basic |standard |usual )?(?:arithmetic |arithmetical )?\b(?:operations?|operators?|arithmetic)\b(?:\s*\(?\s*\+[\s,+*/^-]*(?:and|or)?\s*[-+*/]?\s*\)?)?\)?/gi,
  / (?:exactly |only |just )once(?: each)?(?= )/gi,
  /[\s,;.(]*(?:using|with) \+[\s,]*-[\s,]*\*[\s,]*(?:and |or )?\/\)?/gi,
  /[\s,;。(]*每个(?:数字|数|整数)?(?:都|只|恰好|必须|仅|能|可以|可|要|须|且|刚好)*(?:使用|用)(?:且仅用)?(?:一|1)次\)?/g,
  /[\s,;。(]*(?:通过|使用|用|利用|经过|经)?(?:加减乘除|加、减、乘、除|四则运算)(?:四则)?(?:运算)?\)?/g,
]

const NUMBER = String.raw`-?\d+(?:\.\d+)?(?:\/\d+)?`
const BETWEEN = String.raw`\s*(?:(?:,|、|;|&|\band\b|和|与|以及|及)\s*)+`
const BETWEEN_SPLIT = /[\s,、;&]+|\band\b|和|与|以及|及/i
const LIST = `(?<list>${NUMBER}(?:(?:${BETWEEN}|\\s+)${NUMBER})+)`
const TARGET = `(?<target>${NUMBER})`
const NUMBERS_EN = String.raw`(?:only\s+)?(?:the\s+|these\s+|each of the\s+)?(?:(?:(?:given|two|three|four|five|six|\d)\s+)?(?:numbers|digits|cards)\s*:?\s*)?`
const NUMBERS_ZH = '(?:这|以下|下列)?(?:两|二|三|四|五|六|几)?个?(?:数字|数|整数|牌)?:?'
const MAKE_EN = '(?:make|reach|get(?: to)?|form|obtain|produce|build|create|find|come to|arrive at|equal)'
const MAKE_ZH =
  '(?:计算出|计算得到|算出来?|算成|算到|算得|得到|得出|凑成|凑出|凑够|凑|组成|组出|求得|求出|拼成|拼出|达到|变成|做出|算)'

const PATTERNS: readonly RegExp[] = [
  // make 24 from 4, 9, 10 and 13
  pattern(
    `${MAKE_EN} ${TARGET},? (?:from|using|with|out of|by using|by combining|given|of) ${NUMBERS_EN}${LIST}`,
  ),
  // use 4, 9, 10 and 13 to make 24
  pattern(
    String.raw`(?:using|use|with|combine|given|from|take|by using) ${NUMBERS_EN}${LIST}\s*[,:]?\s*(?:to |and |so as to |in order to )?${MAKE_EN} ${TARGET}`,
  ),
  // game of 24: 4 9 10 13
  pattern(
    String.raw`(?:(?:play|solve) )?(?:the )?(?:game of ${TARGET}|(?<target2>${NUMBER})[ -]?(?:points? )?(?:game|puzzle))(?: (?:for|with|from|on|using))?\s*[:,]?\s*${NUMBERS_EN}${LIST}`,
  ),
  // 用 4、9、10、13 算出 24
  pattern(
    String.raw`(?:用|使用|利用|由|从|把|将|拿|以|给定)\s*${NUMBERS_ZH}\s*${LIST}\s*${NUMBERS_ZH}\s*,?\s*(?:来|去)?(?:能否|怎样|怎么|如何)?\s*${MAKE_ZH}\s*${TARGET}\s*点?`,
  ),
  // 算 24 点：4 9 10 13
  pattern(
    String.raw`(?:算|计算|求解?|玩|解)?\s*${TARGET}\s*点(?:游戏|问题|题)?\s*[:,]?\s*(?:用|数字)?:?\s*${LIST}`,
  ),
  // 算出 24，用 4、9、10、13
  pattern(String.raw`${MAKE_ZH}\s*${TARGET}\s*点?\s*[,:]?\s*(?:用|使用|从|由)\s*${NUMBERS_ZH}\s*${LIST}`),
]

function pattern(source: string): RegExp {
  return new RegExp(`^${source}$`, 'iu')
}
