/** The words of a goal that ask for something: what it quotes, and material that it brings, is left out. */
import { shortenMiddle } from '../../protocol/index.ts'

export function instructionsOf(goal: string): string {
  return LEFT_OUT.reduce((text, pattern) => text.replace(pattern, blank), ends(goal))
}

/** A goal this long brings material; what it asks for stands before or after it. */
function ends(goal: string): string {
  return shortenMiddle(goal, MAX_READ_CHARS, () => '')
}

const MAX_READ_CHARS = 8_000

/** A file's name in quotes is still meant. */
function blank(quoted: string): string {
  const inner = quoted.slice(1, -1)
  return FILE_NAME.test(inner) ? ` ${inner} ` : ' … '
}

const FILE_NAME = /^[\w./~-]*\w\.[a-z][a-z0-9]{0,5}$/i

const LEFT_OUT: readonly RegExp[] = [
  // Code blocks and quoted lines.
  /```[\s\S]*?(?:```|$)/g,
  /^[ \t]*>.*$/gm,
  // "Summarise the following article:" and all that comes after.
  /(?<=(?:\b(?:following|below)\b|以下|下面|如下)(?![^\n]{0,40}(?:rule|require|constrain|condition|instruct|guideline|要求|规则|条件|格式|约束|限制))[^\n]{0,60}[:：])\s*\n[\s\S]+$/i,
  /(?<=\n\s*(?:text|article|input|data|document|transcript|e-?mail|notes?|source|material|content|原文|文章|文本|材料|正文|内容|数据)[ \t]*[:：])[\s\S]+$/i,
  // Quotations.
  /"[^"\n]*"/g,
  /“[^”]*”/g,
  /「[^」]*」/g,
  /『[^』]*』/g,
  /《[^》]*》/g,
  /`[^`\n]*`/g,
  /(?<=^|[\s(:：])['‘][^'’\n]+['’](?=[\s.,;:)?!，。；：？！]|$)/g,
]

/** A sentence, or what stands before or after a colon in it. */
export interface Sentence {
  readonly text: string
  /** Asks for a fact, so that a number in it is likely to be about the matter: "Why must a tweet have at most 280 characters?" */
  readonly isQuestion: boolean
}

export function sentencesOf(text: string): Sentence[] {
  return text
    .replace(/\b(max|min|approx|no)\.(?=\s)/gi, '$1')
    .split(/(?<=[.!?;:])\s+|(?<=[。！？；：])|\n+/)
    .map((part) => part.trim())
    .filter((part) => part !== '')
    .map((part) => ({ text: part, isQuestion: QUESTION.test(part) && !REQUEST.test(part) }))
}

const QUESTION = /[?？]\s*$|^(?:why|what|who|whose|which|when|where|how)\b|^(?:为什么|为何|什么是|谁|哪)/i
const REQUEST = /^(?:can|could|would|will) you\b|^(?:你?能不能|你?能否|可以|可否)/i

/** A word that begins a clause about the matter: what stands after it is seldom about the result. */
export const ABOUT_MATTER =
  /\b(?:how|why|that|which|who|whose|where|when|whether|what|if)\b|为什么|为何|如何|怎么|怎样|是否/i
