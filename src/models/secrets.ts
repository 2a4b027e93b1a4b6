/**
 * The secrets that this process got from the environment and the configuration (secret-values.ts says which they are), and how they are
 * removed from a text.
 */
import { KEY_BEGIN, KEY_END, REDACTED } from '../protocol/index.ts'
import { Environment } from './environment-secrets.ts'
import { secretsIn } from './secret-values.ts'

const configured = new Set<string>()

/** Remembers a key from the configuration. */
export function registerSecret(value: string): void {
  for (const secret of secretsIn(value, 'certain')) configured.add(secret)
  forgetLook()
}

/** Forgets the keys of the configuration; for tests that share a process: the beginning of a key is held back in what is streamed. */
export function forgetSecrets(): void {
  configured.clear()
  forgetLook()
}

/** The secrets of this process, longest first, so that a key that contains another is removed as a whole. */
export function knownSecrets(env: NodeJS.ProcessEnv = process.env): readonly string[] {
  if (env !== process.env) return withWrittenForms([...configured, ...new Environment().secrets(env)])
  noteLook()
  const found = new Set([...configured, ...own.secrets(env)])
  const key = [...found].join('\n')
  if (key !== last.key) last = { key, forms: withWrittenForms(found) }
  return last.forms
}

const own = new Environment()

/** The secrets as of the last look at the environment, which costs more than the rest of a fast model call. */
export function lastSecrets(): readonly string[] {
  return last.forms
}

/** The secrets as of a few milliseconds ago at most, or of the event loop's last turn. */
export function recentSecrets(): readonly string[] {
  return isRecent ? last.forms : knownSecrets()
}

const MAX_AGE_MS = 10
/** Timed, because reading a clock for each reply takes longer than all that follows from it. */
let isRecent = false

function noteLook(): void {
  if (!isRecent) setTimeout(forgetLook, MAX_AGE_MS).unref()
  isRecent = true
}

function forgetLook(): void {
  isRecent = false
}

let last: { key: string; forms: readonly string[] } = { key: '', forms: [] }

/** The text without the secrets. */
export function redact(text: string, secrets: readonly string[] = knownSecrets()): string {
  let clean = text
  for (const secret of secrets) if (clean.includes(secret)) clean = clean.replaceAll(secret, REDACTED)
  return clean
}

/**
 * For a server's error messages: also removes what only looks like a key, because a model object made by the user contains
 * keys that nobody registered.
 */
export function redactError(text: string, secrets?: readonly string[]): string {
  let clean = redact(text, secrets)
  for (const pattern of KEY_PATTERNS) clean = clean.replace(pattern, `$1${REDACTED}`)
  return removeKeys(clean)
}

/** Removes the secrets from every text in plain data; returns the data itself if there is nothing to remove. */
export function redactDeep<T>(value: T, secrets: readonly string[] = knownSecrets()): T {
  return secrets.length === 0 ? value : redactParts(value, secrets)
}

/** A function of its own: one with a closure in it takes memory for what that refers to, also where none is made. */
function redactParts<T>(value: T, secrets: readonly string[]): T {
  return walk(value, (text) => redact(text, secrets)) as T
}

/**
 * Passes pieces of text on without secrets, even if a secret spans several pieces: what may be the beginning of one is held
 * back until the next piece or `end`.
 */
export function redactedDeltas(
  onDelta: (text: string) => void,
  secrets: readonly string[],
): { push(text: string): void; end(): void } {
  let held = ''
  const send = (text: string) => {
    if (text !== '') onDelta(text)
  }
  return {
    push(text) {
      const clean = redact(held + text, secrets)
      const keep = beginningAtEnd(clean, secrets)
      send(clean.slice(0, clean.length - keep))
      held = clean.slice(clean.length - keep)
    },
    end() {
      send(held)
      held = ''
    },
  }
}

const KEY_PATTERNS = [
  /(\b(?:bearer|basic)\s+)[\w.~+/=-]{8,}/gi,
  /(["']?(?:authorization|x-api-key|x-goog-api-key|api[-_]?key)["']?\s*[:=]\s*["']?)(?!bearer|basic|\[)[^\s"',}]{8,}/gi,
  /([?&](?:key|api_key|token)=)[^\s"'&]{8,}/gi,
  /()\b(?:sk|pk|rk|gsk|xai|ghp|gho|hf)[-_][\w-]{16,}/g,
  /()\bAIza[\w-]{30,}/g,
  /(:\/\/[^\s/?#:@"'<>]*:)[^\s/?#"'<>]{3,}(?=@)/g,
]

/** Of one whose end is missing, all that is there. */
const PRIVATE_KEY = new RegExp(`${KEY_BEGIN}[\\s\\S]*?(?:${KEY_END}|$)`, 'g')

/** Without private keys, whosever they are: for what tools return. Data without one is returned itself. */
export function withoutPrivateKeys<T>(value: T): T {
  return walk(value, removeKeys) as T
}

function removeKeys(text: string): string {
  return text.includes('PRIVATE KEY') ? text.replace(PRIVATE_KEY, REDACTED) : text
}

function withWrittenForms(values: Iterable<string>): string[] {
  const forms = [...values].flatMap((value) => [
    value,
    JSON.stringify(value).slice(1, -1),
    encodeURIComponent(value.toWellFormed()),
    value.replaceAll("'", `'\\''`),
    ...base64Forms(value),
  ])
  return [...new Set(forms)].sort((a, b) => b.length - a.length)
}

/** Wherever it stands in what is encoded: it may begin at the first, second or third of three bytes. */
function base64Forms(value: string): string[] {
  const bytes = Buffer.from(value)
  const forms = [0, 1, 2].map((offset) => {
    const text = Buffer.concat([Buffer.alloc(offset), bytes]).toString('base64')
    // The characters at both ends also stand for bits of what surrounds it.
    return text.slice(Math.ceil((offset * 8) / 6), Math.floor(((offset + bytes.length) * 8) / 6))
  })
  return [...forms, ...forms.map((form) => form.replaceAll('+', '-').replaceAll('/', '_'))]
}

function walk(value: unknown, clean: (text: string) => string): unknown {
  if (typeof value === 'string') return clean(value)
  if (typeof value === 'number') return clean(String(value)) === String(value) ? value : REDACTED
  if (Array.isArray(value)) {
    const items = value.map((item) => walk(item, clean))
    return items.some((item, i) => item !== value[i]) ? items : value
  }
  if (typeof value !== 'object' || value === null) return value
  const entries = Object.entries(value)
  const cleaned = entries.map(([key, item]) => [clean(key), walk(item, clean)] as const)
  const same = cleaned.every(([key, item], i) => key === entries[i]?.[0] && item === entries[i]?.[1])
  return same ? value : Object.fromEntries(cleaned)
}

/** How many characters at the end of the text may be the beginning of a secret. */
function beginningAtEnd(text: string, secrets: readonly string[]): number {
  let longest = 0
  for (const secret of secrets) {
    const first = secret[0] as string
    const from = Math.max(0, text.length - secret.length + 1)
    for (let at = text.indexOf(first, from); at !== -1 && text.length - at > longest; ) {
      if (secret.startsWith(text.slice(at))) longest = text.length - at
      at = text.indexOf(first, at + 1)
    }
  }
  return longest
}
