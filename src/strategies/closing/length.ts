/** How long the result is to be: "in at most 200 words", "用三句话". */
import { count, isWithin, rangeText } from './count.ts'
import type { Bounds, LengthDemand, Unit } from './demand.ts'
import { ABOUT_MATTER, type Sentence, sentencesOf } from './instructions.ts'
import { NUMBER_EN, NUMBER_ZH, numberOf } from './numbers.ts'

export function lengthDemands(instructions: string): LengthDemand[] {
  const demands = sentencesOf(instructions).flatMap((sentence) => [
    ...quantities(sentence, ENGLISH, isAskedInEnglish),
    ...quantities(sentence, CHINESE, isAskedInChinese),
  ])
  return CODE.test(instructions)
    ? demands.filter(({ unit }) => unit !== 'lines' && unit !== 'characters')
    : demands
}

/** Lines and characters are then those of the code, and not of what is said about it. */
const CODE =
  /\b(?:code|functions?|scripts?|program|regex|query|sql|python|javascript|typescript|bash|class|html|css|commit|files?)\b|代码|函数|脚本|程序|正则|查询|文件/i

export function lengthProblem({ unit, bounds, asked }: LengthDemand, result: string): string | null {
  const counted = count(result, unit)
  if (isWithin(counted, bounds)) return null
  return `The goal asks for "${asked}"; the result has ${rangeText(counted)} ${unit}.`
}

/** A quantity where it stands in its sentence. */
interface Quantity {
  readonly before: string
  readonly after: string
  readonly kind: Kind | undefined
  readonly isQuestion: boolean
}

/** How the number is meant. */
export type Kind = 'most' | 'least' | 'exact' | 'about'

interface Grammar {
  readonly pattern: RegExp
  readonly kinds: readonly (readonly [Kind, RegExp])[]
  readonly units: Readonly<Record<string, Unit | 'pages'>>
  readonly wordsPerPage: number
}

function quantities(
  { text, isQuestion }: Sentence,
  grammar: Grammar,
  isAsked: (quantity: Quantity) => boolean,
): LengthDemand[] {
  const found: LengthDemand[] = []
  for (const match of text.matchAll(grammar.pattern)) {
    const { before: how = '', n = '', m, unit: word = '', suffix = '' } = match.groups ?? {}
    const kind = m === undefined ? kindOf(`${how} ${suffix}`, grammar) : 'exact'
    const quantity = {
      before: text.slice(0, match.index),
      after: text.slice(match.index + match[0].length),
      kind,
      isQuestion,
    }
    const unit = grammar.units[word.toLowerCase().replace(/s$/, '')]
    if (unit === undefined || !isAsked(quantity) || isLoose(unit, quantity)) continue
    const [low, high] = [numberOf(n), numberOf(m ?? n)]
    found.push({ type: 'length', ...measured(unit, low, high, kind, grammar), asked: match[0].trim() })
  }
  return found
}

/** "Write two lines to the team" says that it is to be short. */
function isLoose(unit: Unit | 'pages', { before, kind }: Quantity): boolean {
  return unit === 'lines' && kind === undefined && /\b(?:write|send|give)\s+(?:me\s+|us\s+)?$/i.test(before)
}

function kindOf(words: string, { kinds }: Grammar): Kind | undefined {
  return kinds.find(([, pattern]) => pattern.test(words))?.[0]
}

/** Words and characters have some slack; what is counted on fingers has none. */
function measured(
  unit: Unit | 'pages',
  low: number,
  high: number,
  kind: Kind | undefined,
  { wordsPerPage }: Grammar,
): { unit: Unit; bounds: Bounds } {
  if (unit === 'pages') {
    const most = kind === 'least' ? {} : { most: high * wordsPerPage }
    return { unit: wordsPerPage === PAGE_CHARACTERS ? 'characters' : 'words', bounds: most }
  }
  const isLong = unit === 'words' || unit === 'characters'
  if (low !== high) return { unit, bounds: boundsOf('exact', low, high, isLong ? 0.1 : 0) }
  return { unit, bounds: boundsOf(kind ?? (isLong ? 'about' : 'exact'), low, high, isLong ? 0.05 : 0) }
}

export function boundsOf(kind: Kind, low: number, high: number, slack: number): Bounds {
  const least = low - Math.floor(low * slack)
  const most = high + Math.floor(high * slack)
  if (kind === 'most') return { most }
  if (kind === 'least') return { least }
  if (kind === 'about') return { least: Math.floor(low * 0.6), most: Math.ceil(high * 1.5) }
  return { least, most }
}

// --- English

const PAGE_WORDS = 800
const PAGE_CHARACTERS = 2_000

export const HOW_EN = String.raw`(?:at most|no more than|not more than|up to|(?:a |the )?max(?:imum)?\.?(?: of)?|not (?:to )?exceed(?:ing)?|no longer than|not longer than|shorter than|within|under|below|fewer than|less than|at least|no fewer than|no less than|not less than|(?:a )?min(?:imum)?\.?(?: of)?|more than|over|exactly|precisely|just|only|about|around|approximately|approx\.|roughly|some|~|between)`

const ENGLISH: Grammar = {
  pattern: new RegExp(
    String.raw`(?:\b(?<before>${HOW_EN})\s*)?(?<![\w.,-])(?<n>${NUMBER_EN})(?:\s*(?:-|–|to|and)\s*(?<m>${NUMBER_EN}))?(?:\s+|-)(?:short |full |complete |single )?(?<unit>words?|characters?|chars?|sentences?|paragraphs?|lines?|pages?)\b(?:,?\s+(?<suffix>or (?:less|fewer|under|more)|max(?:imum)?|at most|tops|minimum|at least|exactly)\b)?`,
    'gi',
  ),
  kinds: [
    ['exact', /exactly|precisely|just|only/i],
    ['least', /at least|no fewer|no less|not less|\bmin|(?<!no |not )more than|\bover\b|or more/i],
    ['most', /most|more than|up to|max|exceed|longer|shorter|within|under|below|fewer|less|tops/i],
    ['about', /about|around|approx|roughly|some|~/i],
  ],
  units: {
    word: 'words',
    character: 'characters',
    char: 'characters',
    sentence: 'sentences',
    paragraph: 'paragraphs',
    line: 'lines',
    page: 'pages',
  },
  wordsPerPage: PAGE_WORDS,
}

/** The verbs by which a text is asked for. */
export const WRITE_EN =
  '(?:write|compose|draft|give|produce|create|prepare|make|generate|provide|deliver|return|need|want|send|submit|formulate)'

const OUTPUT_EN =
  '(?:it|this|that|them|each other|everything|(?:the|your)(?: \\w+)? (?:answer|reply|response|text|result|summary|report|memo|note|message|essay|story|description|explanation|output|e-?mail|letter|article|post|page|paper|document|review|overview|analysis|proposal|poem|whole(?: thing)?|total|length))'

/** A word of what is written: no preposition, and no program. */
const NOUN = '(?!(?:about|on|for|to|from|function|script|program|parser|class)\\b)[\\w-]+'

/** It follows a preposition of measure: "in", "using". Also where a clause about the matter comes before it. */
const ADJUNCT = /(?:^|[\s,;:(])(?:in|using|within)\s+(?:a total of\s+)?$/i
const SAYING =
  /\b(?:told|said|says|wrote|written|writes|expressed|summed up|captured|spoken|tells|counted)\b/i

const DIRECT: readonly RegExp[] = [
  // At the beginning of a clause.
  /(?:^|[,;:(–—]\s*|^\s*[-*•]\s*|\bbut\s+|\band\s+)$/,
  new RegExp(
    String.raw`\b(?:keep|limit|restrict|cap|hold|confine)\s+${OUTPUT_EN}\s+(?:short,?\s+)?(?:to|at|down to)?\s*$`,
    'i',
  ),
  new RegExp(
    String.raw`${OUTPUT_EN}\s+(?:must|should|shall|may|can|has to|needs to|ought to)\s+(?:not\s+)?(?:be|have|contain|stay|run to|fit (?:in|on|into))?\s*$`,
    'i',
  ),
  /\b(?:fits?|fitting) (?:on|into|in)\s+$/i,
  // write (me) (a) 200-word …
  new RegExp(String.raw`\b${WRITE_EN}\s+(?:me\s+|us\s+)?(?:an?\s+)?(?:\w+,?\s+)?$`, 'i'),
  // write a summary of at most 200 words
  new RegExp(String.raw`\b${WRITE_EN}\s+(?:me\s+|us\s+)?an?\s+(?:${NOUN}\s+){1,3}(?:of|with)\s+$`, 'i'),
]

/** Of a part of the result, not of all of it. */
const PART_EN =
  /\b(?:each|every|per|title|headline|heading|subject|caption|first|last|opening|closing|introduction|intro|conclusion|sections?|columns?|slides?|bullets?|bullet points|items?|entries|(?:an?|the|its) names?|input|original|existing|attached|given)\b[^,;]*$/i
const NOT_LENGTH_EN =
  /^\s*(?:of (?!text|prose|plain)|from\b|each\b|apiece\b|per\b|every\b|limit\b|an? (?:day|minute|hour|page|line)|that\b|which\b|in (?:the|this|that|each)\b|for each\b|at a time\b|[^.;]*\b(?:each|every|apiece)\b)/i

function isAskedInEnglish({ before, after, kind, isQuestion }: Quantity): boolean {
  const clause = before.split(/[,;]\s/).at(-1) ?? ''
  if (PART_EN.test(clause) || NOT_LENGTH_EN.test(after)) return false
  const isAdjunct = ADJUNCT.test(before) || (kind === 'most' && /\bwithin$/.test(before))
  if (isQuestion) return isAdjunct && (/,\s*\w+\s+$/.test(before) || /^\w+\s+$/.test(before))
  if (isAdjunct) return !SAYING.test(clause)
  if (ABOUT_MATTER.test(clause)) return false
  return DIRECT.some((pattern) => pattern.test(before)) && isBounded(before, after, kind)
}

/** At the beginning of a clause only a clause that says nothing else counts: not "Three words came to mind". */
function isBounded(before: string, after: string, kind: Kind | undefined): boolean {
  if (/\w\s*$/.test(before)) return true
  return kind !== undefined && /^\s*(?:$|[.,;:)!–—]|in total|altogether|overall|long\b|please)/i.test(after)
}

// --- Chinese

const CHINESE: Grammar = {
  pattern: new RegExp(
    String.raw`(?<before>不超过|不多于|不得超过|不能超过|不要超过|别超过|不可超过|至多|最多|少于|控制在|限制在|限定在|限|不少于|至少|不低于|不得少于|多于|超过|约|大约|大概|正好|恰好|只用|仅用)?\s*(?<n>${NUMBER_ZH})\s*(?:[-–~～到至]\s*(?<m>${NUMBER_ZH}))?\s*个?(?<unit>汉字|字|词|单词|句话|句|段话|(?<!一)段|自然段|行|页)(?:纸)?(?<suffix>以内|之内|内|以下|左右|上下|以上)?`,
    'g',
  ),
  kinds: [
    ['most', /不(?:得|能|要|可)?超过|别超过|不多于|至多|最多|(?<!不|得)少于|限|以内|之内|内|以下/],
    ['least', /不少于|至少|不低于|不得少于|多于|超过|以上/],
    ['exact', /正好|恰好|只用|仅用/],
    ['about', /约|大概|左右|上下|控制/],
  ],
  units: {
    字: 'characters',
    汉字: 'characters',
    词: 'words',
    单词: 'words',
    句: 'sentences',
    句话: 'sentences',
    段: 'paragraphs',
    段话: 'paragraphs',
    自然段: 'paragraphs',
    行: 'lines',
    页: 'pages',
  },
  wordsPerPage: PAGE_CHARACTERS,
}

const PART_ZH = /每|各|标题|题目|其中|开头|结尾|第|引言|小节|一栏|名称|原文|输入/
const NOT_LENGTH_ZH = /^(?:的?(?:限制|上限)|文件|代码|数据|诗句|里|中|台词|[节母符号体])/
const WRITE_ZH =
  /(?:用|以|在|分|分成|分为|写|写出|写成|写个|写一?[首篇份封段]|概括[成为]|总结[成为]|缩写[成为]|压缩到|浓缩[成为]|给我?|给出|生成|起草|来)\s*(?:一?[个篇份封首段])?$/

/** What is written, not what is looked for: "超过 200 行的文件". */
const TEXT_ZH =
  /^的\S{0,6}?(?:摘要|总结|概[括要述]|文章|作文|短文|介绍|故事|说明|报告|评论|邮件|诗|备忘录|回答|回复|答案|文字|信|通知|方案|演讲稿|稿)/

function isAskedInChinese({ before, after, kind, isQuestion }: Quantity): boolean {
  const clause = before.split(/[，,；;。：:（(]/).at(-1) ?? ''
  if (PART_ZH.test(clause) || NOT_LENGTH_ZH.test(after) || ABOUT_MATTER.test(clause)) return false
  if (WRITE_ZH.test(before)) return !isQuestion || /^(?:请|用)/.test(clause)
  return (
    !isQuestion && kind !== undefined && (/^(?:$|[。，,；;！!）)、：:\s])/.test(after) || TEXT_ZH.test(after))
  )
}
