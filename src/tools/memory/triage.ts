/** What happens to a candidate: it is kept, merged into an existing entity, or dropped. Pure. */
import { shorten } from '../../protocol/index.ts'
import { type Candidate, DEFAULT_SCORE, type Entity, type Kind, MAX_TAGS, MAX_TEXT_CHARS } from './entity.ts'
import { worthOf } from './rank.ts'
import { normalForm, wordsOf } from './words.ts'

/** A candidate with all fields filled in. */
export type Kept = Pick<Entity, 'text' | 'kind' | 'tags' | 'score'>

export type Triage =
  | { readonly verdict: 'keep'; readonly entity: Kept }
  /** `entity` replaces the one with the id `into`. */
  | { readonly verdict: 'merge'; readonly into: string; readonly entity: Kept }
  | { readonly verdict: 'drop'; readonly reason: 'empty' | 'too short' | 'looks secret' | 'low score' }

/** The share of words that two texts must have in common to be merged. */
const MIN_OVERLAP = 0.8
/** A text of at least so many words says nothing new if another, at most twice as long, contains them all. */
const MIN_CONTAINED_WORDS = 4
const MIN_WORTH = 0.15
const MAX_KIND_CHARS = 32
/** In letters; a character of an unspaced script is worth three. */
const MIN_WEIGHT = 8

/** `existing` are entities that may be similar: a few from a search are enough. */
export function triage(candidate: Candidate, existing: readonly Entity[]): Triage {
  const kept = filledIn(candidate)
  if (kept.text === '') return { verdict: 'drop', reason: 'empty' }
  if (weightOf(kept.text) < MIN_WEIGHT) return { verdict: 'drop', reason: 'too short' }
  if ([kept.text, ...kept.tags].some(looksSecret)) return { verdict: 'drop', reason: 'looks secret' }
  if (worthOf(kept.score) < MIN_WORTH) return { verdict: 'drop', reason: 'low score' }
  const same = existing.find((entity) => saysTheSame(kept, entity))
  return same === undefined
    ? { verdict: 'keep', entity: kept }
    : { verdict: 'merge', into: same.id, entity: merged(same, kept) }
}

function filledIn({ text, kind = 'fact', tags = [], score = {} }: Candidate): Kept {
  return {
    text: shorten(text.trim(), MAX_TEXT_CHARS),
    kind: kindOf(kind),
    tags: tagsOf(tags),
    score: {
      relevance: share(score.relevance ?? DEFAULT_SCORE.relevance),
      importance: share(score.importance ?? DEFAULT_SCORE.importance),
    },
  }
}

/** The longer text says more; the higher score is the one that somebody had a reason for. */
function merged(was: Entity, now: Kept): Kept {
  return {
    text: now.text.length > was.text.length ? now.text : was.text,
    kind: was.kind,
    tags: tagsOf([...was.tags, ...now.tags]),
    score: {
      relevance: Math.max(was.score.relevance, now.score.relevance),
      importance: Math.max(was.score.importance, now.score.importance),
    },
  }
}

function saysTheSame(a: Kept, b: Pick<Entity, 'text' | 'kind'>): boolean {
  if (normalForm(a.text) === normalForm(b.text)) return true
  if (a.kind !== b.kind || turnsOf(a.text) !== turnsOf(b.text)) return false
  const [fewer, more] = [new Set(wordsOf(a.text)), new Set(wordsOf(b.text))].sort(
    (x, y) => x.size - y.size,
  ) as [Set<string>, Set<string>]
  const common = [...fewer].filter((word) => more.has(word)).length
  if (common === fewer.size && fewer.size >= MIN_CONTAINED_WORDS && more.size <= 2 * fewer.size) return true
  return common / (fewer.size + more.size - common) >= MIN_OVERLAP
}

/** Numbers and negations: "port 8080" and "port 8081" share most words, but are two facts. */
function turnsOf(text: string): string {
  const found = text.normalize('NFKC').toLowerCase().match(TURNS) ?? []
  return found.sort().join(' ')
}

const TURNS = /\d+(?:[.,]\d+)*|\b(?:not|no|never|none|without|cannot)\b|n['’]t\b|[不没無无未非勿别]/gu

function weightOf(text: string): number {
  let weight = 0
  for (const char of normalForm(text)) weight += char === ' ' ? 0 : char > '\u2e7f' ? 3 : 1
  return weight
}

/** Reduced to one short word: models write more. */
function kindOf(kind: string): Kind {
  const word = kind
    .trim()
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, '-')
  return word === '' || word === '-' ? 'fact' : [...word].slice(0, MAX_KIND_CHARS).join('')
}

function tagsOf(tags: readonly string[]): string[] {
  const clean = tags.map((tag) => tag.trim().toLowerCase()).filter((tag) => tag !== '')
  return [...new Set(clean)].slice(0, MAX_TAGS)
}

const share = (value: number) => Math.min(1, Math.max(0, Number.isFinite(value) ? value : 0))

/** Whether a text seems to contain a key or a password: what is remembered is shown to models of later runs. */
export function looksSecret(text: string): boolean {
  if (SHAPES.some((shape) => shape.test(text))) return true
  return (text.match(/[A-Za-z0-9+/_=-]{32,}/g) ?? []).some(isRandom)
}

const SHAPES: readonly RegExp[] = [
  /-----BEGIN [A-Z ]*PRIVATE KEY-----/,
  /\b(?:sk|pk|rk|gsk|xai|hf)[-_][\w-]{16,}/,
  /\b(?:ghp|gho|ghu|ghs|ghr|github_pat)_\w{16,}/,
  /\bglpat-[\w-]{16,}/,
  /\bxox[abeprs]-[\w-]{10,}/,
  /\bAIza[\w-]{30,}/,
  /\b(?:AKIA|ASIA)[A-Z0-9]{16}\b/,
  /(?<![\w-])eyJ[\w-]{10,}\.eyJ[\w-]{10,}\./,
  /\b(?:bearer|basic)\s+[\w.~+/=-]{16,}/i,
  /\b[a-z][a-z0-9+.-]{0,30}:\/\/[^\s/:@]{1,300}:[^\s/@]{1,300}@/i,
  // The name of a secret followed by a value; "the password is asked for at login" has none.
  /(?:api[-_ ]?key|access[-_ ]?key|secret|token|passw(?:or)?d|passphrase)["'`]?\s*(?:[:=]|\bis\b:?)\s*["'`]?(?=[^\s"'`]{0,500}[\d!@#$%^&*])[^\s"'`]{6,}/i,
  /(?:密码|口令|密钥|令牌)\s*(?:[:=:]|是|为)\s*["'`]?[\x21-\x7e]{6,}/,
]

const MIN_BITS_A_CHAR = 4.2

/** Letters of both cases and digits, with little repetition. A hash in hex does not qualify, nor does a path or a long name. */
function isRandom(word: string): boolean {
  if (!/[a-z]/.test(word) || !/[A-Z]/.test(word) || !/[0-9]/.test(word)) return false
  if (word.split(/[/_=-]/).filter((part) => part.length >= 20).length === 0) return false
  return bitsAChar(word) >= MIN_BITS_A_CHAR
}

function bitsAChar(word: string): number {
  const counts = new Map<string, number>()
  for (const char of word) counts.set(char, (counts.get(char) ?? 0) + 1)
  let bits = 0
  for (const count of counts.values()) bits -= (count / word.length) * Math.log2(count / word.length)
  return bits
}
