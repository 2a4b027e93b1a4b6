/**
 * Reads a goal as a typed task; null if it is not an arithmetic goal. All of the text must be understood: a goal with anything
 * left over is not an arithmetic goal.
 */

import { type Language, languageOf } from '../protocol/index.ts'
import { countOperations, type Expression } from './expression.ts'
import { normalise, stripCourtesy } from './normalise.ts'
import { parsePuzzle } from './parse-puzzle.ts'
import type { Puzzle } from './puzzle.ts'
import { parseExpression } from './read-expression.ts'

export type Task = ComputeTask | ReachTask

export interface ComputeTask {
  readonly type: 'compute'
  readonly language: Language
  /** The file to write the results to; null if they are only returned. */
  readonly file: string | null
  readonly expressions: readonly Expression[]
}

export interface ReachTask {
  readonly type: 'reach'
  readonly language: Language
  readonly file: string | null
  readonly puzzle: Puzzle
}

export function parseGoal(goal: string): Task | null {
  if (goal.length > MAX_CHARS) return null
  const language = languageOf(goal)
  const text = normalise(firstPart(goal))
  if (text === null) return null
  for (const { body, file } of fileReadings(stripCourtesy(text))) {
    const puzzle = parsePuzzle(body)
    if (puzzle !== null) return { type: 'reach', language, file, puzzle }
    const expressions = parseExpressions(body)
    if (expressions !== null) return { type: 'compute', language, file, expressions }
  }
  return null
}

const MAX_CHARS = 2_000

/** The first part of a goal in four parts says what to do. */
function firstPart(goal: string): string {
  return goal.split(/\n\s*(?:Deliverable|交付物):/)[0] ?? goal
}

/** A name with an extension, or anything in quotes. */
const PATH = String.raw`(?:"([^"]+)"|'([^']+)'|((?:[\p{L}\p{N}_.~-]*\/)*[\p{L}\p{N}_.-]*\.[a-z][a-z0-9]{0,9}))`
const WRITE_EN = '(?:write|save|store|put|output|record)'
const RESULTS_EN =
  '(?:(?:it|them|this|that|both|all|everything|the (?:final |exact |two )?(?:results?|answers?|values?|solutions?|expressions?|numbers?)|(?:both|all)(?: of)?(?: them| the)?(?: results| answers| values)?)\\s+)?(?:down\\s+)?'
const TO_EN = String.raw`(?:to|into|in|as)\s+(?:(?:a|the)\s+)?(?:file\s+)?(?:(?:named|called)\s+)?`
const WRITE_ZH = '(?:写入|写到|写进|写在|写成|保存到|保存在|保存为|保存进|存入|存到|存为|存进|输出到|记录到)'

const FILE_PATTERNS: readonly RegExp[] = [
  // compute … and write the result to result.txt
  pattern(
    String.raw`(.+?)[\s,;.]*(?:\b(?:and|then)\s+)*(?:please\s+)?\b${WRITE_EN}\s+${RESULTS_EN}${TO_EN}${PATH}`,
  ),
  // write the result of … to result.txt
  pattern(String.raw`${WRITE_EN}\s+(?:down\s+)?(.+?)\s+${TO_EN}${PATH}`),
  // 计算 … 并写入 result.txt; 把 … 的结果写入 result.txt
  pattern(
    String.raw`(.+?)[\s,;。]*(?:(?:并(?!且)|并?且|然后|再|接着|最后|同时)\s*)*(?:(?:把|将)\s*)?(?:(?:它们?|两个|二者|两者|全部|所有|最终|计算|最后)?的?(?:结果|答案|它们?|值|二者|两者|全部)?)\s*(?:都|一起|分别|一并)?\s*${WRITE_ZH}\s*(?:到|文件)?\s*${PATH}\s*(?:这个)?(?:文件)?(?:中|里|内|里面|当中)?`,
  ),
]

/** write to result.txt the value of … */
const FILE_FIRST: readonly RegExp[] = [
  pattern(String.raw`${WRITE_EN}\s+${TO_EN}${PATH}[\s,:]+(.+)`),
  pattern(String.raw`(?:在|往|向)\s*(?:文件)?\s*${PATH}\s*(?:文件)?(?:中|里|内)?\s*写入[\s:]*(.+)`),
]

interface Reading {
  readonly body: string
  readonly file: string | null
}

/** The ways to read a text as a body and a file to write the result to; the last one has no file. */
function fileReadings(text: string): Reading[] {
  const readings: Reading[] = []
  for (const regExp of FILE_PATTERNS) {
    const match = regExp.exec(text)
    const file = match?.[2] ?? match?.[3] ?? match?.[4]
    if (match !== null && file !== undefined) readings.push({ body: match[1] ?? '', file })
  }
  for (const regExp of FILE_FIRST) {
    const match = regExp.exec(text)
    const file = match?.[1] ?? match?.[2] ?? match?.[3]
    if (match !== null && file !== undefined) readings.push({ body: match[4] ?? '', file })
  }
  return [...readings, { body: text, file: null }]
}

function parseExpressions(given: string): Expression[] | null {
  const body = given.replace(THOUSANDS, (digits) => digits.replaceAll(',', ''))
  const whole = parsePart(body)
  if (whole !== null) return [whole]
  const parts = body
    .split(SEPARATOR)
    .map((part) => part.trim())
    .filter((part) => part !== '')
  if (parts.length < 2 || parts.length > MAX_EXPRESSIONS) return null
  const command = isCommand(body)
  const expressions = parts.map((part) => parsePart(part, command))
  return expressions.every((expression) => expression !== null) ? expressions : null
}

const MAX_EXPRESSIONS = 50
/** 1,000 is one number; a list has spaces after its commas, or groups of other lengths. */
const THOUSANDS = /(?<![\d.,])[1-9]\d{0,2}(?:,\d{3})+(?![\d,])/g
const SEPARATOR = /[,;、\n]|\b(?:and|as well as|also|then)\b|和|与|以及|及|还有|然后|再/iu

/** One expression, with the words around it. A bare number needs a command: "compute 7". */
function parsePart(text: string, commanded = false): Expression | null {
  const stripped = stripWords(text)
  const expression = parseExpression(plainSigns(stripped)) ?? parseNamed(stripped)
  if (expression === null || DATE.test(stripped)) return null
  return countOperations(expression) > 0 || commanded || isCommand(text) ? expression : null
}

const DATE = /^\d{4}-\d{1,2}-\d{1,2}$/

const COMMAND = /^(?:compute|calculate|evaluate|work out|分别|计算|算)/i

function isCommand(text: string): boolean {
  return COMMAND.test(text.trim())
}

const VERB_EN =
  /^(?:compute|calculate|calc|evaluate|simplify|solve|work out|find|determine|figure out|tell me|show me|give me|what(?:'s| is| are| does)|how much (?:is|are|does))(?=[\s:(\d-])[\s:]*/i
const OF_EN =
  /^(?:(?:out|of|for)\s+)?(?:the )?(?:exact |numerical |final )?(?:values?|results?|answers?|expressions?)(?: of| for| to)?(?=[\s:(\d-])(?: the expressions?)?[\s:]*/i
const TAIL_EN = /(?:\s*(?:equals?(?: to)?|exactly|step by step|make|come to|for me))$/i
const VERB_ZH =
  /^(?:分别|把|将|计算出?|算一算|算一下|算出|算算|求出|求解|求|算|解|得出|问|告诉我)(?:一下|下)?\s*(?:以下|下列|下面)?(?:的)?(?:表达式|式子|算式)?[\s:]*/
const TAIL_ZH =
  /(?:的?(?:值|结果|得数|答案)(?:分别)?(?:是|为|等于)?(?:多少|几|什么)?|(?:分别)?(?:等于|是|得|为|=)\s*(?:多少|几|什么)|的|一下|吧|呢|吗|啊|各是多少)$/
const EQUALS_TAIL = /\s*=\s*\??\s*$/

/** Removes the words around an expression, layer by layer. */
function stripWords(text: string): string {
  let rest = text.trim()
  for (;;) {
    let next = rest
    for (const layer of [VERB_EN, OF_EN, TAIL_EN, VERB_ZH, TAIL_ZH, EQUALS_TAIL]) {
      next = next.replace(layer, '').trim()
    }
    if (next === rest) return rest
    rest = next
  }
}

/** Operators in words. */
const SPOKEN: readonly [RegExp, string][] = [
  [/\s+(?:multiplied by|times)\s+/gi, ' * '],
  [/\s+divided by\s+/gi, ' / '],
  [/\s+plus\s+/gi, ' + '],
  [/\s+minus\s+/gi, ' - '],
  [/\s+(?:raised )?to the power of\s+/gi, ' ^ '],
  [/\s+squared\b/gi, ' ^ 2'],
  [/\s+cubed\b/gi, ' ^ 3'],
  [/\s*加上?\s*/g, ' + '],
  [/\s*减去?\s*/g, ' - '],
  [/\s*乘以?\s*/g, ' * '],
  [/\s*除以\s*/g, ' / '],
  [/\s*的平方/g, ' ^ 2'],
  [/\s*的立方/g, ' ^ 3'],
  [/\s*的\s*(\d+)\s*次方/g, ' ^ $1'],
]

function plainSigns(text: string): string {
  return SPOKEN.reduce((sum, [words, sign]) => sum.replace(words, sign), text)
}

/** The sum of 3 and 4; 3 与 4 的和. */
const NAMED_EN = /^(?:the )?(sum|difference|product|quotient) (?:of|between) (.+?) and (.+)$/i
const NAMED_ZH = /^(.+?)\s*(?:和|与|跟|、)\s*(.+?)\s*的\s*(和|差|积|乘积|商)$/
const NAMES: Readonly<Record<string, string>> = {
  sum: '+',
  difference: '-',
  product: '*',
  quotient: '/',
  和: '+',
  差: '-',
  积: '*',
  乘积: '*',
  商: '/',
}

function parseNamed(text: string): Expression | null {
  const english = NAMED_EN.exec(text)
  if (english !== null) return named(english[1], english[2], english[3])
  const chinese = NAMED_ZH.exec(text)
  return chinese === null ? null : named(chinese[3], chinese[1], chinese[2])
}

function named(name = '', left = '', right = ''): Expression | null {
  const sign = NAMES[name.toLowerCase()]
  return sign === undefined ? null : parseExpression(`(${plainSigns(left)}) ${sign} (${plainSigns(right)})`)
}

function pattern(source: string): RegExp {
  return new RegExp(`^${source}$`, 'isu')
}
