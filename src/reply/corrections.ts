/** Whether the words after a value take it back, or say something else than it does. */
import { isObject } from '../protocol/index.ts'
import type { JsonSchema } from '../schema/check-schema.ts'
import { formsOf, namesOf } from './schema-forms.ts'

const MAX_AFTER = 10_000

/** Of a very long text, its beginning and its end. */
function ends(text: string): string {
  return text.length <= 2 * MAX_AFTER ? text : `${text.slice(0, MAX_AFTER)}\n${text.slice(-MAX_AFTER)}`
}

const COURTESY =
  /\b(?:let me know|feel free|if you|if there|if any|should you|happy to|glad to|would you like|do you want|want me to|please (?:tell|let|ask)|you can|you may)\b|如果|如有|如需|请告诉|随时/i
const CORRECTION = [
  /\bwait\b\s*(?:[,.!:;…—–-]|$)/i,
  /\b(?:hold on|h+m+|oops|whoops|(?:scratch|strike|scrap) that|never ?mind|on second thoughts?|on reflection|just kidding)\b/i,
  /\b(?:correction|corrected|erratum|errata|edit|update|revised?|revision|fix(?:ed)?|amendment|korrektur|corrección|rectification)\b\s*[:—–-]/i,
  /\b(?:sorry|apologies|i apologi[sz]e|pardon)\b/i,
  /^\W*(?:but |and |well,? |ah,? )?(?:actually|no|nope|nein|non)\b(?!\s+(?:further|other|more|need|problem|additional|tools?|changes?)\b)/i,
  /\bi (?:mean|meant|misread|miscounted|miscalculated|mistyped|was wrong|got (?:it|that) wrong|changed my mind)\b/i,
  /\b(?:mistake|typo)\b/i,
  /\bmake (?:that|it) (?:an? )?["'`\w]/i,
  /\b(?:ignore|disregard|forget|discard|skip|cancel|retract|withdraw|revoke) (?:that|this|it|the|my|what)\b/i,
  /^\W*(?:(?:please )?(?:ignore|disregard)|wrong|incorrect|invalid)\W*$/i,
  /\b(?:it|that|this|these|those|above|answer|value|result|number|last one|first one)\b[^.]{0,20}\b(?:should|must|ought to) (?:actually |really |rather )?(?:be|have|read|say)\b/i,
  /\b(?:it|that|this|above|answer|value|result)['’ ]?(?:s|is| is| was| are)(?: just| only| merely)? (?:wrong|incorrect|mistaken|not (?:right|correct|final|my|the)|an? (?:example|draft|placeholder|sample|template|illustration|guess))\b/i,
  /\bnot (?:my|the|a) (?:final |real |actual )?(?:answer|result|decision|value)\b/i,
  /\binstead\b(?! of)/i,
  /\bor rather\b|\bbetter\s*[:,]|\b(?:is|are|would be|seems) (?:better|safer|more (?:fitting|accurate|likely))\b/i,
  /\b(?:let me|i(?:'ll| will| should| must| need to| have to| want to)) (?:re(?:consider|do|think|vise|write|phrase|check|calculate|compute|state)|fix|correct|change|amend|try again|start over)\b/i,
  /\btake (?:that|it|this) back\b|\bi(?: now)? reali[sz]e\b|\bi(?:'d| would)? (?:now|rather) (?:say|choose|pick|think)\b/i,
  /\b(?:change|replace|swap|substitute)\b.{1,60}\b(?:to|with|by|for)\b/i,
  /^\W*not\b/i,
  /\b(?:was|is) (?:just |only )?(?:a test|falsch|faux|incorrecto)\b|\bist (?:falsch|nicht richtig)\b/i,
  /\b(?:stimmt (?:so )?nicht|doch nicht|eigentlich|en fait|en realidad|me equivoqué)\b|^\W*moment\s*[,.!:]/i,
  /\bmine (?:is|are)\b|\bmine\s*:|\bmy (?:real |actual |own )?(?:answer|choice|decision|reply|result)\s*(?:is|are|:)/i,
  /更正|纠正|不对|等等|等一下|抱歉|说错|写错|算错|弄错|有误|错了|应为|应该是|应改|改为|改成|其实|忽略(?:上|以|这|前)|只是(?:个|一个)?(?:示例|例子|草稿)|作废|改主意|撤回|^\s*不[，,。！]|訂正|すみません|間違/,
]

/** The sentence that the value is part of: `{…} would be the form`. */
const GOES_ON =
  /^[\s`~"')*]*(?:(?:would|could|might|may) (?:be|have)|(?:is|was|are|were) (?:just |only |merely )?(?:not|wrong|an? |the (?:form|format|example|template|schema)))/i

/** A sentence about the value, unless it says that it is the answer: `{…} is what a beginner would say`, `{…} was rejected`. */
const SUBJECT =
  /^[^\S\n]*(?:[`~"')*]+[^\S\n]*)?(?:(?:is|was|are|were|would|could|might|may|seems?|looks?|appears?|had|fails?|failed|ist|war|wäre|est|était|sería)\b(?!\s+(?:(?:my|the|your|our|an?)\s+)?(?:\w+ )?(?:answer|reply|response|result|output|solution|json|value|decision|choice|verdict|step|correct|right|final|valid|best|complete|good|fine|what (?:you|i)|as requested)\b)|不|并非)/i

/** Whether a text takes something back. */
export function isCorrection(after: string): boolean {
  if (GOES_ON.test(after) || SUBJECT.test(after)) return true
  const sentences = ends(after).split(/(?<=[.!?。！？；])\s*|\n+/)
  return sentences.some(
    (sentence) => !COURTESY.test(sentence) && CORRECTION.some((pattern) => pattern.test(sentence)),
  )
}

/** Whether the words after a value give one of its fields another value, or several of them anew. */
export function contradicts(after: string, value: unknown, schema: JsonSchema): boolean {
  if (!isObject(value) || after.trim() === '') return false
  const said = ends(after)
  const names = namesOf(schema).slice(0, MAX_FIELDS)
  const stated = names.filter((name) => new RegExp(`${named(name)}["'\`*]*\\s*[:：=]`, 'iu').test(said))
  if (stated.length > 1 || (stated.length === 1 && names.length === 1)) return true
  if (names.some((name) => namesOther(said, value[name], choicesOf(name, schema)))) return true
  if (OTHER_ANSWER.some((pattern) => isOtherLeaf(value, said.match(pattern)?.[1]))) return true
  return names.some((name) => isOther(value[name], choicesOf(name, schema), saidOf(name, said)))
}

/** `The answer is B`, `Final answer: 5`: what is named there, if it is no word of a sentence. */
const OTHER_ANSWER = [
  /\b(?:answer|result|value|choice|decision|verdict)\s*(?:is|was|:|=)\s*["'`*]*(-?\d[\d.]*|[A-Z][A-Z_]*)(?![\p{L}\p{N}])/u,
  /\b(?:answer|result|value|choice|decision|verdict)\s*(?:is|was|:|=)\s*["“`]([^"”`]{1,80})["”`]/,
]

/** Whether what is said is none of the values in it. */
function isOtherLeaf(value: unknown, said: string | undefined): boolean {
  if (said === undefined) return false
  const leaves = Object.values(value as object).map((leaf) => String(leaf).toLowerCase())
  const word = said.replace(/\.$/, '').toLowerCase()
  return !leaves.some((leaf) => leaf === word || leaf.includes(word))
}

const MAX_FIELDS = 50

/** Whether another of the choices is mentioned: `RETURN`, or "yes" in quotes. */
function namesOther(said: string, value: unknown, choices: readonly unknown[]): boolean {
  const others = choices.filter((one) => typeof one === 'string' && one !== value)
  const isSaid = choices.some((one) => one === value)
  return isSaid && (isDenied(said, String(value)) || others.some((one) => mentions(said, String(one))))
}

/** `TODO is not right`, of what is the value. */
function isDenied(said: string, choice: string): boolean {
  return isTelling(choice) && new RegExp(`${alone(choice)}${DENIED}`, 'u').test(said)
}

function mentions(said: string, choice: string): boolean {
  const bare = isTelling(choice) ? `${alone(choice)}|` : ''
  const spared = new RegExp(`${alone(choice)}${DENIED}`, 'gu')
  const left = said.replace(spared, '').replace(AGAINST, '').replace(LATER, '')
  return new RegExp(`${bare}["“\`*]${escaped(choice)}["”\`*]`, 'u').test(left)
}

/** A choice that is no word of a sentence. */
function isTelling(choice: string): boolean {
  return /^(?:[A-Z][A-Z_\d]+|[B-HJ-Z])$/.test(choice)
}

function alone(word: string): string {
  return `(?<![\\p{L}\\p{N}_])${escaped(word)}(?![\\p{L}\\p{N}_])`
}

function escaped(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&')
}

const DENIED = `["”\`*]*\\s+(?:(?:is|was|would be)n['’]t|(?:is|was|would be)\\s+(?:not|never|too|wrong|incorrect|premature|impossible))(?!\\p{L})`

/** `instead of RETURN` says what the value is not, as it does itself. */
const AGAINST =
  /\b(?:instead of|rather than|not|over|unlike|versus|vs\.?)\s+(?:an? |the )?["“`*]*[\w-]+["”`*]*/gi
/** `after that we can RETURN` */
const LATER =
  /\b(?:after that|afterwards|later|then|next),? (?:we|i|you|it|one) (?:can|could|may|will|should)\b[^.!?\n]*/gi

/** Whether the words before a value choose another one: `I vote for B`, `The answer is no.` What is said last counts. */
export function statesOther(before: string, value: unknown, schema: JsonSchema): boolean {
  if (!isObject(value)) return false
  const sentences = before.slice(-MAX_AFTER).split(/(?<=[.!?。！？；])\s+|\n+/)
  const said = sentences.filter((sentence) => !HYPOTHETICAL.test(sentence)).join('\n')
  return namesOf(schema)
    .slice(0, MAX_FIELDS)
    .some((name) => {
      const others = choicesOf(name, schema).map(String)
      const chosen = others.length === 0 ? undefined : choiceIn(said, name)
      return chosen !== undefined && chosen !== String(value[name]) && others.includes(chosen)
    })
}

const HYPOTHETICAL = /\b(?:if|when|unless|whether|would|could|might|may|first|initially)\b/i

function choiceIn(said: string, name: string): string | undefined {
  const pattern = new RegExp(
    `(?:\\bI(?:['’]ll| will)? (?:vote for|choose|pick|select|go with|opt for)|(?:\\b(?:answer|choice|vote|decision|verdict)|${named(name)})["'\`*]*\\s*(?:is\\b|[:：=]))["'\`*\\s]*(?:option )?([\\p{L}\\p{N}_-]+)(?=["'\`*]*\\s*(?:[.,;!\\n]|$))`,
    'giu',
  )
  return [...said.matchAll(pattern)].at(-1)?.[1]
}

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
  return [...text.matchAll(pattern)].map(([, word = '']) => word.replace(/(?<!\.)\.+$/, ''))
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
