/**
 * What the words around a value say against it: that it is an example or a draft, or that it is wrong. Courtesies and explanations
 * say nothing against it. It is better to ask once too often than to take what the model took back.
 */
import type { JsonSchema } from '../schema/check-schema.ts'
import { contradicts, isCorrection, statesOther } from './corrections.ts'
import { isOfProse } from './lists-in-prose.ts'
import { namesOf } from './schema-forms.ts'

/** Why the value can't be taken for the answer; null when nothing is said against it. */
export function doubtAbout(value: unknown, before: string, after: string, schema: JsonSchema): string | null {
  if (WORDS.test(before) && isAside(before))
    return 'the value that fits is given as an example or a draft, not as the answer'
  if (Array.isArray(value) && isOfProse(before, after))
    return 'the list stands in a sentence or a formula, and it is not clear that it is the answer'
  if (isInYaml(before, schema)) return 'the value that fits stands in a text of YAML'
  if (WORDS.test(before) && statesOther(before, value, schema))
    return 'before the value that fits, the reply says something else'
  if (!WORDS.test(after)) return null
  if (isCorrection(after) || contradicts(after, value, schema))
    return 'after the value that fits, the reply says something else'
  return null
}

/** `type: TODO`, `description: |` and below it, or in the same line, an object that fits. */
function isInYaml(before: string, schema: JsonSchema): boolean {
  if (!/[^\n]$/.test(before)) return false
  const fields = [...before.slice(-MAX_YAML).matchAll(FIELD)].map(([, name]) => name)
  return namesOf(schema).filter((name) => fields.includes(name)).length > 1
}

const MAX_YAML = 10_000
const FIELD = /^[ \t]{0,40}(?:- )?["']?([\p{L}\p{N}_-]{1,60})["']?[:：]\s/gmu

const WORDS = /[\p{L}\p{N}~<]/u
const MAX_BEFORE = 200
/** What stands between the words and the value. */
const OPENING = /(?:`{1,3}|~{3})[ \t]*\w*\s*$|["'“‘`(*_\s]+$/
const STRUCK =
  /(?:~~|<!--|<(?:s|del|strike|example|examples|draft|input|context|schema|template|wrong|bad|old)(?:\s[^<>]*)?>)$/i
const EXAMPLE =
  /\b(?:for (?:example|instance)|e\.g\b|such as|(?:an?|the|one|another|this|possible|sample|worked) (?:example|sample|template|draft|illustration)|(?:example|sample|template|placeholder|draft|hypothetical(?:ly)?|beispiel|exemple|ejemplo|exemplo|esempio))\b/i
/** `Example answer: …`, `an example of the output: …` */
const EXAMPLE_OF =
  /^(?:\w+ )?(?:example|sample|template|draft|hypothetical)s?\s+(?:of|for|(?:json\s+)?(?:answer|output|reply|response|result|decision|value))\b/i
/** `as in your example` says how the answer looks. */
const IN_FORM =
  /\b(?:in|of|to|with|per|following) (?:the|this|your|that|an?) (?:\w+ ){0,2}(?:form|format|schema|shape|structure)\b/gi
const FORM = /\b(?:form|format|schema|shape|structure)(?:\s+(?:is|was|would be|looks like))?[\s:]*$/i
const LIKE_EXAMPLE =
  /\b(?:like|as in|following|per|matching|from|in|of) (?:your|the|this) (?:example|sample|template)\b/gi
const MEANT =
  /\b(?:answer|result|output|response|reply|decision|conclusion|final(?:ly)?|mine|so|therefore|here (?:it )?is|here are|here you go|here'?s)\b/i
const AGAINST =
  /\b(?:not|never|don'?t|won'?t|wouldn'?t|cannot|can'?t|shouldn'?t|instead of|rather than|other than|unlike|avoid|wrong|incorrect|invalid|maybe|perhaps|possibly|might be|could be|would be|considered|considering|what if|was|were)[\s:,]*$/i
const AGAINST_SAYING =
  /\b(?:not|never|don'?t|won'?t|wouldn'?t|cannot|can'?t|shouldn'?t)\s+(?:\w+\s+)?(?:answer|return|say|reply|use|give|be|output|send|respond(?: with)?|choose|write)(?:\s+with)?[\s:,]*$/i
const EARLIER =
  /\b(?:input|draft|previous|earlier|old|first|original|last)(?:\s+\w+)?(?:\s+(?:was|is|were))?[\s:,]*$/i
/** `should look like this: …` is a form. */
const LOOKS =
  /\b(?:might|could|can|may|would|should|must|will) look (?:something )?like(?: this| that)?[\s:,]*$/i
const QUOTED =
  /\b(?:you|users?|they|he|she|customer)\s+(?:just |have |had |also )?(?:sent|said|says|wrote|gave|provided|passed|quoted|posted|entered|typed)(?: me| us| this| that| the following)?[\s:,]*$/i
/** The value is what follows from it, unless the sentence ended before it. */
const CONDITION = /^\W*(?:if|unless|in case|suppose|supposing|assuming|provided)\b.*[^.!?]$/i
const ASIDE_CJK =
  /(?:例如|比如|譬如|例えば|示例|样例|范例|反例|例子|假设|假如|错误的?|上一[步次轮]的?|之前的?|先前的?|而不是|不应|不要|草稿|也许|可能)[，,、]?(?:输出|答案|回答|结果|回复|可以|应该|也|会|是|为|如下)*[\s:：，,、]*$/

const ASIDES = [AGAINST, AGAINST_SAYING, EARLIER, FORM, LOOKS, QUOTED, ASIDE_CJK]

/** Whether the words right before a value set it aside. */
function isAside(before: string): boolean {
  const trimmed = withoutOpening(before.slice(-MAX_BEFORE))
  if (STRUCK.test(trimmed)) return true
  const sentence = trimmed.split(/(?<!\be\.g)[.!?。！？]\s+|\n\s*\n|\n(?=\s*[-*#>\d])/).at(-1) ?? ''
  const said = sentence.replace(LIKE_EXAMPLE, '').replace(IN_FORM, '')
  const example = lastMatch(EXAMPLE, said)
  if (example >= 0 && (EXAMPLE_OF.test(said.slice(example)) || !MEANT.test(said.slice(example)))) return true
  if (CONDITION.test(said) && !MEANT.test(said)) return true
  return ASIDES.some((pattern) => pattern.test(said))
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
