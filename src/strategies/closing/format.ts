/** The form the result is to have: "as JSON", "a Markdown table", "只回答数字". */
import type { Format, FormatDemand } from './demand.ts'
import { ABOUT_MATTER, sentencesOf } from './instructions.ts'

export function formatDemands(instructions: string): FormatDemand[] {
  const formats = new Set<Format>()
  for (const { text, isQuestion } of sentencesOf(instructions)) {
    if (isQuestion) continue
    for (const [format, pattern] of ASKED) {
      const match = pattern.exec(text)
      if (match !== null && !isAboutMatter(text.slice(0, match.index), match[0])) formats.add(format)
    }
  }
  return [...formats].map((format) => ({ type: 'format', format }))
}

export function formatProblem({ format }: FormatDemand, result: string): string | null {
  const { fits, problem } = CHECKS[format]
  return fits(result.trim()) ? null : problem
}

function isAboutMatter(before: string, match: string): boolean {
  return [before, match].some((text) => ABOUT_MATTER.test(text) || PROGRAM.test(text) || NEGATED.test(text))
}

/** A program whose output has the form is not a result in that form. */
const PROGRAM =
  /\b(?:function|program|script|code|parser|api|endpoint|class|method|module|library|tool|command|app|server|schema|convert\w*|parse\w*|read\w*|files?|import\w*)\b|程序|函数|脚本|代码|接口|转换|解析|读取|文件|导入/i
const NEGATED =
  /\b(?:not|never|no|don't|avoid|without|instead of|rather than|from)\s+(?:\w+\s+){0,2}$|不要|别|不用|无需|避免/i

const ANSWER_EN =
  '(?:return|respond|reply|answer|output|give|provide|print|produce|format(?:ted)?|list|present|deliver|show|write|result|summari[sz]e|compare|organi[sz]e|extract)'
const END_EN = String.raw`(?=\s*(?:$|[.,;:)!]|only\b|with\b|and\b|of\b))`

function answered(form: string): RegExp {
  return new RegExp(
    String.raw`(?:\b${ANSWER_EN}\b[^.;?]{0,80}?\s|^)(?:as|in|with|into)\s+(?:(?:only|just|valid|pure|plain|raw|strict|a|an|one|single|the)\s+)*${form}${END_EN}`,
    'i',
  )
}

const ASKED: readonly (readonly [Format, RegExp])[] = [
  ['json', answered(String.raw`JSON(?:\s+(?:format|object|array|document))?`)],
  [
    'json',
    /^(?:only|just) (?:valid )?JSON\b|\bJSON only\b|\b(?:reply|respond|answer|output|return) (?:only |just )?(?:valid )?JSON\b/i,
  ],
  [
    'json',
    /(?:以|用|按|输出|返回|给出)(?:为|成)?\s*JSON(?!\s*(?:行|Lines|Schema))(?:\s*的?(?:格式|形式|对象|数组))?(?:来?(?:输出|返回|回答|给出|表示))?/i,
  ],
  ['csv', answered(String.raw`CSV(?:\s+format)?`)],
  ['csv', /(?:以|用|按|输出|返回)(?:为|成)?\s*CSV(?:\s*的?(?:格式|形式))?/i],
  ['table', answered(String.raw`(?:markdown\s+)?table`)],
  [
    'table',
    /\b(?:make|draw|create|give me|write|produce)(?: me)? an? (?:\w+ )?(?:markdown )?table (?:of(?! contents)|comparing|with|showing)\b/i,
  ],
  [
    'table',
    /(?:以|用|做成|列成|整理成|画成|汇总成)(?:一[个张])?\s*(?:Markdown\s*)?表格?(?:的?形式|格式)?(?:列出|对比|比较|展示|呈现|总结|给出|$|[，。；])/i,
  ],
  [
    'number',
    /\b(?:only|just|nothing but) (?:with )?(?:the|a) (?:single )?(?:number|integer)\b(?! of)|\b(?:the|a) number(?: only|, nothing else)\b/i,
  ],
  ['number', /(?:只|仅|只需|只要)(?:需|要)?(?:回答|输出|给出|返回|写)(?:一个|这个|最终)?数字/],
  [
    'yes-no',
    /\b(?:answer|reply|respond)(?: only| just)?(?: with)?(?: only| just)? (?:a )?["“']?yes["”']? or ["“']?no\b/i,
  ],
  ['yes-no', /(?:只|仅|请)?(?:需|要)?回答[“"「]?是[”"」]?[或还]是?[“"「]?(?:否|不是)/],
  [
    'plain',
    /\b(?:no|without(?: any)?) markdown\b|\bin plain text\b|\bdo(?: not|n't) use (?:any )?markdown\b/i,
  ],
  ['plain', /(?:不要|别|不)(?:使用|用)\s*Markdown|(?:用|以|输出)纯文本/i],
]

interface Check {
  readonly problem: string
  fits(result: string): boolean
}

const CHECKS: Readonly<Record<Format, Check>> = {
  json: {
    problem: 'The goal asks for JSON; the result is not valid JSON.',
    fits: (result) => [result, ...fencedIn(result)].some(isJson),
  },
  csv: {
    problem: 'The goal asks for CSV; the result has no rows of values with separators.',
    fits: (result) =>
      [result, ...fencedIn(result)].some((text) => !hasTable(text) && /\S[,;\t]\s*\S/.test(text)),
  },
  table: {
    problem: 'The goal asks for a table; the result has none.',
    fits: (result) => hasTable(result) || /<table|\\begin\{tabular|\S\t\S|[│┃]/.test(result),
  },
  number: {
    problem: 'The goal asks for the number only; the result has more than that.',
    fits: (result) => result.length <= 40 && !result.includes('\n'),
  },
  'yes-no': {
    problem: 'The goal asks for yes or no; the result does not begin with either.',
    fits: (result) => /^[^\p{L}]*(?:yes|no|是|否|不)/iu.test(result),
  },
  plain: {
    problem: 'The goal asks for text without Markdown; the result has Markdown in it.',
    fits: (result) => !/^#{1,6} |\*\*[^*\s][^*]*\*\*|^```/m.test(result),
  },
}

/** A row, and below it the line of dashes. */
function hasTable(text: string): boolean {
  const rows = text.split('\n')
  const isRule = (row = '') => row.includes('--') && /^[\s|:-]+$/.test(row)
  return rows.some((row, i) => row.includes('|') && isRule(rows[i + 1]))
}

function fencedIn(result: string): string[] {
  return [...result.matchAll(/```[^`\n]*\n([\s\S]*?)```/g)].map(([, inner = '']) => inner.trim())
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}
