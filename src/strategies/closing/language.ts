/** The language of the result: the one that is asked for, or the goal's own. */
import { type Language, languageOf } from '../../protocol/index.ts'
import type { LanguageDemand } from './demand.ts'

export function languageDemands(goal: string, instructions: string): LanguageDemand[] {
  const language = askedFor(instructions) ?? ownOf(goal, instructions)
  return language === null ? [] : [{ type: 'language', language }]
}

export function languageProblem({ language }: LanguageDemand, result: string): string | null {
  if (isIn(language, result)) return null
  return `The result is to be in ${NAMES[language]}, and is not.`
}

/** Whether a text that is still being written is in the language up to now. */
export function isSoFarIn({ language }: LanguageDemand, text: string): boolean {
  const { hans, words } = counted(text.slice(0, SHOWN))
  return language === 'zh' ? hans * 10 > words : hans === 0 || words > hans
}

const SHOWN = 400

const NAMES: Readonly<Record<Language, string>> = { en: 'English', zh: 'Chinese' }

const ASKED: readonly (readonly [Language, RegExp])[] = [
  ['en', /\b(?:answer|reply|respond|write|summari[sz]e)\b[^.;?]{0,40}\bin English\b|\binto English\b/i],
  [
    'en',
    /(?:用|以)(?:英文|英语)(?:回答|回复|写|输出|总结|概括|说明|介绍|解释)|(?:翻译|译|翻)(?:成|为)(?:英文|英语)/,
  ],
  [
    'zh',
    /\b(?:answer|reply|respond|write|summari[sz]e)\b[^.;?]{0,40}\bin (?:Simplified )?Chinese\b|\binto (?:Simplified )?Chinese\b/i,
  ],
  [
    'zh',
    /(?:用|以)(?:中文|汉语|简体中文)(?:回答|回复|写|输出|总结|概括|说明|介绍|解释)|(?:翻译|译|翻)(?:成|为)(?:中文|汉语)/,
  ],
]

function askedFor(instructions: string): Language | null {
  const found = new Set(
    ASKED.filter(([, pattern]) => pattern.test(instructions)).map(([language]) => language),
  )
  return found.size === 1 ? ([...found][0] ?? null) : null
}

/** Where the goal names a language, or has words of the other one, its own language decides nothing. */
function ownOf(goal: string, instructions: string): Language | null {
  if (OTHER.test(instructions)) return null
  const own = languageOf(goal)
  return own === 'en' && /\p{Script=Han}/u.test(goal) ? null : own
}

const OTHER =
  /\b(?:English|Chinese|Mandarin|French|German|Spanish|Japanese|Korean|Russian|Italian|Portuguese|Latin|Arabic|Hindi|languages?|bilingual|translat\w+|code|function|script|program|regex|sql|json|csv|yaml|commands?)\b|[英法德日韩俄中双]文|[英法德日韩俄汉双]语|西班牙语|语言|翻译|译成|代码|函数|脚本|程序|命令|正则/i

/** Clear cases only: a text of some length, in which the other language prevails. */
function isIn(language: Language, result: string): boolean {
  const { hans, words } = counted(result)
  return language === 'zh' ? words < 12 || hans * 10 > words : hans < 20 || words > hans
}

function counted(text: string): { hans: number; words: number } {
  const prose = text.replace(/```[\s\S]*?(?:```|$)|`[^`\n]*`/g, ' ')
  return {
    hans: (prose.match(/\p{Script=Han}/gu) ?? []).length,
    words: (prose.match(/[a-z]{2,}/gi) ?? []).length,
  }
}
