/** Files that are to exist in the end: "write it to out/report.md", "保存为 a.txt". */
import type { FileDemand } from './demand.ts'
import { sentencesOf } from './instructions.ts'

export function fileDemands(instructions: string): FileDemand[] {
  const paths = new Set<string>()
  for (const { text, isQuestion } of sentencesOf(instructions)) {
    if (isQuestion) continue
    for (const path of pathsIn(text)) paths.add(path)
  }
  return [...paths].map((path) => ({ type: 'file', path }))
}

/** Every file that a text names, whatever it says of it; not what a page on the web is called. */
export function namedPaths(text: string): string[] {
  return [...text.matchAll(ANY_PATH)].map(([path]) => path.replace(/^\.\//, ''))
}

function pathsIn(text: string): string[] {
  const found = [ENGLISH, NAMED, CHINESE].flatMap((pattern) => matchesOf(pattern, text))
  return found.length === 0 ? [] : [...found, ...matchesOf(AND_TO, text)]
}

function matchesOf(pattern: RegExp, text: string): string[] {
  return [...text.matchAll(pattern)]
    .filter((match) => !isAboutMatter(text.slice(0, match.index), match[0]))
    .map(({ groups }) => groups?.path ?? '')
}

function isAboutMatter(before: string, match: string): boolean {
  if (NEGATED.test(before) || PROGRAM.test(match)) return true
  // "Say which is late, and write it as a.md": what was asked for before is what is written.
  return OWN_CLAUSE.test(`${before}\n${match}`) ? PROGRAM_OR_HOW.test(before) : MATTER.test(before)
}

const OWN_CLAUSE =
  /[,;]\s+(?:and|then)\s+(?:then\s+)?\n(?:write|save|put|store)\s+(?:it|them|this|that|all|everything|the\s+(?:result|answer|findings|whole))\s/i
const PROGRAM_OR_HOW = /\b(?:how|explain|if|script|program|function|command|code|tool)\b/i

const NEGATED = /\b(?:not|never|don't|without|avoid)\s+(?:\w+\s+)?$|(?:不要|别|勿|不)\s*$/i
const MATTER =
  /\b(?:how|why|explain|what|whether|if|that|which|should|script|program|function|command|code|tool)\b|如何|怎么|怎样|为什么|解释|脚本|程序|函数|代码|是否|如果/i
const PROGRAM = /\b(?:script|program|function|command|code|tool|test)\b/i

/** Of a kind that is written by hand or made; what ends otherwise may be the name of something else. */
const PATH = String.raw`(?<path>(?:[\w.~-]+\/)*[\w.-]*\w\.(?:md|txt|json|jsonl|csv|tsv|ya?ml|html?|xml|toml|ini|log|sql|py|ts|tsx|js|jsx|sh|rs|go|java|c|cpp|h|css|svg|tex|rst)|(?:[\w.~-]+\/)+[\w.-]*\w\.[a-z][a-z0-9]{0,5})(?![\w/-])`
const ANY_PATH = new RegExp(String.raw`(?<![\w.~/:@-])${PATH}`, 'gi')
const WRITE_EN = '(?:write|save|store|put|output|record|export|append|dump|place)'

const ENGLISH = new RegExp(
  String.raw`\b${WRITE_EN}\b(?:\s+[^,;:]{0,60}?)?\s(?:to|into|as|in(?: a| the)? file)\s+(?:(?:a|the)\s+)?(?:new\s+)?(?:file\s+)?(?:(?:named|called)\s+)?${PATH}`,
  'gi',
)
/** "… to a.md and the rest to b.md": after one of the others. */
const AND_TO = new RegExp(String.raw`\band\s[^,;:]{0,40}?\s(?:to|into|as)\s+${PATH}`, 'gi')
/** "create a file out.md", "create out/notes.md". */
const NAMED = new RegExp(
  String.raw`\b(?:create|generate|produce|write)\s+(?:(?:a|the|an)\s+)?(?:new\s+)?(?:file\s+)?(?:(?:named|called)\s+)?${PATH}`,
  'gi',
)
const CHINESE = new RegExp(
  String.raw`(?:写入|写到|写进|保存到|保存在|保存为|保存成|存入|存到|存为|存成|输出到|导出到|导出为|记录到|放到|生成|创建)\s*(?:一个)?\s*(?:文件)?\s*${PATH}`,
  'gi',
)
