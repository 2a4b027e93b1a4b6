/**
 * What the words around a value say against it: that it is an example or a draft, or that it is wrong. Courtesies and explanations
 * say nothing against it. It is better to ask once too often than to take what the model took back.
 */
import { isObject } from '../protocol/index.ts'
import type { JsonSchema } from '../schema/check-schema.ts'
import { formsOf, namesOf } from './schema-forms.ts'

/** Why the value can't be taken for the answer; null when nothing is said against it. */
export function doubtAbout(value: unknown, before: string, after: string, schema: JsonSchema): string | null {
  if (WORDS.test(before) && isAside(before))
    return 'the value that fits is given as an example or a draft, not as the answer'
  if (!WORDS.test(after)) return null
  if (isCorrection(after) || contradicts(after, value, schema))
    return 'after the value that fits, the reply says something else'
  return null
}

const WORDS = /[\p{L}\p{N}~<]/u
const MAX_BEFORE = 200
const MAX_AFTER = 10_000
/** What stands between the words and the value. */
const OPENING = /(?:`{1,3}|~{3})[ \t]*\w*\s*$|["'“‘`(*_\s]+$/
const STRUCK =
  /(?:~~|<!--|<(?:s|del|strike|example|examples|draft|input|context|schema|template|wrong|bad|old)(?:\s[^<>]*)?>)$/i
const EXAMPLE =
  /\b(?:for (?:example|instance)|e\.g\b|such as|(?:an?|the|one|another|this|possible|sample|worked) (?:example|sample|template|draft|illustration)|(?:example|sample|template|placeholder|draft|hypothetical(?:ly)?))\b/i
/** `as in your example` says how the answer looks. */
const IN_FORM =
  /\b(?:in|of|to|with|per|following) (?:the|this|your|that|an?) (?:\w+ ){0,2}(?:form|format|schema|shape|structure)\b/gi
const FORM = /\b(?:form|format|schema|shape|structure)(?:\s+(?:is|was|would be|looks like))?[\s:]*$/i
const LIKE_EXAMPLE =
  /\b(?:like|as in|following|per|matching|from|in) (?:your|the|this) (?:example|sample|template)\b/gi
const MEANT =
  /\b(?:answer|result|output|response|reply|decision|conclusion|final(?:ly)?|mine|so|therefore|here (?:it )?is|here are|here you go|here'?s)\b/i
const AGAINST =
  /\b(?:not|never|don'?t|won'?t|wouldn'?t|cannot|can'?t|shouldn'?t|instead of|rather than|other than|unlike|avoid|wrong|incorrect|invalid|maybe|perhaps|possibly|might be|could be|would be|considered|considering|what if|was|were)[\s:,]*$/i
const AGAINST_SAYING =
  /\b(?:not|never|don'?t|won'?t|wouldn'?t|cannot|can'?t|shouldn'?t)\s+(?:\w+\s+)?(?:answer|return|say|reply|use|give|be|output|send|respond(?: with)?|choose|write)(?:\s+with)?[\s:,]*$/i
const EARLIER =
  /\b(?:input|draft|previous|earlier|old|first|original|last)(?:\s+\w+)?(?:\s+(?:was|is|were))?[\s:,]*$/i
const ASIDE_ZH =
  /(?:例如|比如|譬如|示例|样例|范例|而不是|不应|不要|草稿|也许|可能)(?:是|为|如下)?[\s:：，,]*$/

/** Whether the words right before a value set it aside. */
function isAside(before: string): boolean {
  const trimmed = withoutOpening(before.slice(-MAX_BEFORE))
  if (STRUCK.test(trimmed)) return true
  const sentence = trimmed.split(/(?<!\be\.g)[.!?。！？]\s+|\n\s*\n|\n(?=\s*[-*#>\d])/).at(-1) ?? ''
  const said = sentence.replace(LIKE_EXAMPLE, '').replace(IN_FORM, '')
  const example = lastMatch(EXAMPLE, said)
  if (example >= 0 && !MEANT.test(said.slice(example))) return true
  return [AGAINST, AGAINST_SAYING, EARLIER, FORM, ASIDE_ZH].some((pattern) => pattern.test(said))
}

/** Of a very long text, its beginning and its end. */
function ends(text: string): string {
  return text.length <= 2 * MAX_AFTER ? text : `${text.slice(0, MAX_AFTER)}\n${text.slice(-MAX_AFTER)}`
}

function withoutOpening(text: string): string {
  let rest = text
  for (let round = 0; round < 4; round++) {
    const next = rest.replace(OPENING, '')
    if (next === rest) break
    rest = next
  }
  return rest
}

function lastMatch(pattern: RegExp, text: string): number {
  return [...text.matchAll(new RegExp(pattern.source, 'gi'))].at(-1)?.index ?? -1
}

const COURTESY =
  /\b(?:let me know|feel free|if you|if there|if any|should you|happy to|glad to|would you like|do you want|want me to|please (?:tell|let|ask)|you can|you may)\b|如果|如有|如需|请告诉|随时/i
const CORRECTION = [
  /\bwait\b\s*(?:[,.!:;…—–-]|$)/i,
  /\b(?:hold on|h+m+|oops|whoops|scratch that|strike that|on second thoughts?|on reflection|just kidding)\b/i,
  /\b(?:correction|corrected|erratum|errata|edit|update|revised?|revision|fix(?:ed)?|amendment|korrektur|corrección|rectification)\b\s*[:—–-]/i,
  /\b(?:sorry|apologies|i apologi[sz]e|pardon)\b/i,
  /^\W*(?:but |and |well,? |ah,? )?(?:actually|no|nope|nein|non)\b(?!\s+(?:further|other|more|need|problem|additional|tools?|changes?)\b)/i,
  /\bi (?:mean|meant|misread|miscounted|miscalculated|mistyped|was wrong|got (?:it|that) wrong|changed my mind)\b/i,
  /\b(?:mistake|typo)\b/i,
  /\bmake (?:that|it) (?:an? )?["'`\w]/i,
  /\b(?:ignore|disregard|forget|discard|skip) (?:that|this|it|the|my|what)\b/i,
  /\b(?:it|that|this|these|those|above|answer|value|result|number|last one|first one)\b[^.]{0,20}\b(?:should|must|ought to) (?:actually |really |rather )?(?:be|have|read|say)\b/i,
  /\b(?:it|that|this|above|answer|value|result)['’ ]?(?:s|is| is| was| are)(?: just| only| merely)? (?:wrong|incorrect|mistaken|not (?:right|correct|final|my|the)|an? (?:example|draft|placeholder|sample|template|illustration|guess))\b/i,
  /\bnot (?:my|the|a) (?:final |real |actual )?(?:answer|result|decision|value)\b/i,
  /\binstead\b(?! of)/i,
  /\bmine (?:is|are)\b|\bmine\s*:|\bmy (?:real |actual |own )?(?:answer|choice|decision|reply|result)\s*(?:is|are|:)/i,
  /更正|纠正|不对|等等|等一下|抱歉|说错|写错|算错|弄错|有误|错了|应为|应该是|应改|改为|改成|其实|忽略(?:上|以|这|前)|只是(?:个|一个)?(?:示例|例子|草稿)/,
]

/** The sentence that the value is part of: `{…} would be the form`. */
const GOES_ON =
  /^[\s`~"')*]*(?:(?:would|could|might|may) (?:be|have)|(?:is|was|are|were) (?:just |only |merely )?(?:not|wrong|an? |the (?:form|format|example|template|schema)))/i

/** Whether a text takes something back. */
export function isCorrection(after: string): boolean {
  if (GOES_ON.test(after)) return true
  const sentences = ends(after).split(/(?<=[.!?。！？；])\s*|\n+/)
  return sentences.some(
    (sentence) => !COURTESY.test(sentence) && CORRECTION.some((pattern) => pattern.test(sentence)),
  )
}

/** Whether the words after a value give one of its fields another value, or several of them anew. */
function contradicts(after: string, value: unknown, schema: JsonSchema): boolean {
  if (!isObject(value) || after.trim() === '') return false
  const said = ends(after)
  const names = namesOf(schema).slice(0, MAX_FIELDS)
  const stated = names.filter((name) => new RegExp(`${named(name)}["'\`*]*\\s*[:：=]`, 'iu').test(said))
  if (stated.length > 1 || (stated.length === 1 && names.length === 1)) return true
  return names.some((name) => isOther(value[name], choicesOf(name, schema), saidOf(name, said)))
}

const MAX_FIELDS = 50

function choicesOf(name: string, schema: JsonSchema): unknown[] {
  return formsOf(schema).flatMap(({ properties }) => {
    const field = (properties as Record<string, JsonSchema> | undefined)?.[name]
    return Array.isArray(field?.enum) ? field.enum : field?.const === undefined ? [] : [field.const]
  })
}

/** The name of a field as words have it. */
function named(name: string): string {
  return `(?<![\\p{L}\\p{N}_])${name.replace(/[^\p{L}\p{N}]+/gu, '[\\s_-]?')}`
}

/** What is said of a field: `score: 5`, `the type is RETURN`, `score should be 5`. */
function saidOf(name: string, text: string): string[] {
  const verb = `(?:\\s*[:：=]|\\s+(?:is|was|are|should be|must be|to)\\b|\\s*(?:->|→))`
  const pattern = new RegExp(`${named(name)}["'\`*]*${verb}["'\`*\\s]*([\\p{L}\\p{N}_.+-]+)`, 'giu')
  return [...text.matchAll(pattern)].map(([, word = '']) => word.replace(/\.+$/, ''))
}

/** Whether one of the words is a value that the field could have, and has not. */
function isOther(value: unknown, choices: readonly unknown[], words: readonly string[]): boolean {
  const could = (word: string): boolean => {
    if (typeof value === 'number') return word !== '' && Number.isFinite(Number(word))
    if (typeof value === 'boolean') return /^(?:true|false|yes|no)$/i.test(word)
    return choices.some((one) => String(one).toLowerCase() === word.toLowerCase())
  }
  const is = (word: string): boolean => {
    if (typeof value === 'number') return Number(word) === value
    if (typeof value === 'boolean') return /^(?:true|yes)$/i.test(word) === value
    return String(value).toLowerCase() === word.toLowerCase()
  }
  return words.some((word) => could(word) && !is(word))
}
