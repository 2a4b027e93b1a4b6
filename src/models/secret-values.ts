/**
 * What is secret in a variable of the environment, or in a header or key of the configuration: by its name the value as a whole,
 * and in any value what its form says is one: a password in a URL, an authorization, fields of JSON and of connection strings, the
 * lines of a private key. Short values, plain words and paths are left alone: to remove "test" from every text damages more than it hides.
 */
import { existsSync } from 'node:fs'
import { dirname } from 'node:path'
import { KEY_BEGIN, KEY_END, parseJson } from '../protocol/index.ts'

/** `certain`: whatever the value, unless it is a word. `likely`: if the value looks like a key; `SORT_KEY=created_at` is none. */
export type NameKind = 'certain' | 'likely' | 'none'

/** The secrets in a value, given its name's kind. */
export function secretsIn(value: string, kind: NameKind): readonly string[] {
  const found = new Set<string>()
  if (kind === 'certain' || (kind === 'likely' && isRandom(value))) addWhole(found, value)
  // A cookie among others, the end of a webhook's address.
  if (kind === 'certain')
    for (const part of value.split(/[/=;,&?\s]+/))
      if (part.length >= MIN_LINE && isRandom(part)) found.add(part)
  addParts(found, value, 0)
  return [...found].filter((text) => isSecret(text))
}

const MIN_LENGTH = 8
/** With letters and digits. */
const MIN_MIXED_LENGTH = 6
/** "changeme" and "postgres" are words rather than secrets. */
const WORD = /^(?:[a-z]{1,15}|[A-Z]{1,15}|[A-Z][a-z]{1,14})$/

export function isSecret(value: string): boolean {
  if (value.length < MIN_MIXED_LENGTH || WORD.test(value) || isPath(value)) return false
  return value.length >= MIN_LENGTH || (/\d/.test(value) && /[a-z]/i.test(value))
}

// --- names

/** They come after what the name says: `DB_PASSWORD_PROD`, `SIGNING_KEY_2`, `GCP_CREDENTIALS_JSON`. */
const SUFFIX =
  /_(?:V?\d+|PROD|PRODUCTION|STAGING|DEV|TEST|LIVE|B64|BASE64|JSON|PEM|RAW|DATA|BASE|VALUE|OLD|NEW|CURRENT|PREVIOUS|PRIMARY|SECONDARY)$/
/** About a secret rather than one. */
const ABOUT =
  /_(?:ARN|ID|NAME|FILE|PATH|DIR|URL|URI|ENDPOINT|HOST|ISSUER|TYPE|ALGORITHMS?|LENGTH|SIZE|TTL|DATE|VERSION)$/
const NOT_SECRET = /(?:PUBLIC|PUB|PUBLISHABLE)_?KEYS?$|^PWD$/
const CERTAIN =
  /(?:PASSWORDS?|PASSWD|PASSPHRASE|(?:API|ACCESS|SECRET|PRIVATE|ACCOUNT|LICENSE)_?KEYS?|(?:AUTH|ACCESS|REFRESH|BOT)TOKEN|(?:KEY|STORE)PASS|CLIENTSECRET|(?:^|_)(?:TOKEN|SECRETS?|PAT|PASS|PWD|PW|CREDENTIALS?|CREDS?|JWT|SAS|COOKIE|MNEMONIC|SEED_PHRASE|WEBHOOK|WEBHOOK_URL))$/
const LIKELY =
  /(?:^|_)(?:KEYS?|AUTH|AUTHORIZATION|SALT|SIG|SIGNATURE|SESSION)$|(?:PASSWORD|PASSWD|PASSPHRASE|(?:API|SECRET|PRIVATE)_KEY|(?:^|_)(?:TOKEN|SECRET|CREDENTIALS?))_/

/** Of a variable, or of a field: `DB_PASSWORD`, `dbPassword`, `db-password`, `//registry/:_authToken`. */
export function nameKind(name: string): NameKind {
  let plain = name
    .replace(/([a-z\d])([A-Z])/g, '$1_$2')
    .replace(/[^A-Za-z\d]+/g, '_')
    .toUpperCase()
  for (let before = ''; before !== plain; ) {
    before = plain
    plain = plain.replace(SUFFIX, '')
  }
  if (NOT_SECRET.test(plain)) return 'none'
  if (CERTAIN.test(plain)) return 'certain'
  return LIKELY.test(plain) && !ABOUT.test(plain) ? 'likely' : 'none'
}

// --- values

/** Neither words with separators, nor a number, nor an address. */
function isRandom(value: string): boolean {
  if (PEM.test(value)) return true
  if (/\s|:\/\//.test(value)) return false
  if ((value.match(/\d/g)?.length ?? 0) >= 4 && (value.match(/[a-z]/gi)?.length ?? 0) >= 4) return true
  const isPlain = (part: string) => /^(?:[a-z]+\d{0,3}|[A-Z]+\d{0,3}|[A-Z][a-z]+\d{0,3}|\d+)$/.test(part)
  return !value.split(/[-_.:,/@+=]/).every((part) => part === '' || isPlain(part))
}

/** A name of a file rather than a key that begins with a slash: the folder is there. */
function isPath(value: string): boolean {
  if (/^(?:~|\.{1,2})?[/\\]|^[A-Z]:[/\\]|^file:/i.test(value) === false) return false
  return !value.startsWith('/') || (dirname(value) !== '/' && existsSync(dirname(value)))
}

const MIN_LINE = 16
const PEM = /-----BEGIN [A-Z0-9 ]*-----/

/** The value, without what surrounds it, and each of its lines. */
function addWhole(found: Set<string>, value: string): void {
  const trimmed = value.trim().replace(/^(["'])(.*)\1$/s, '$2')
  found
    .add(value)
    .add(trimmed)
    .add(trimmed.replace(/(?<!=)=+$/, ''))
  for (const pair of [trimmed, Buffer.from(trimmed, 'base64').toString('utf8')])
    if (/^[\w.@-]+:[!-9;-~]{6,}$/.test(pair)) addUserInfo(found, pair)
  const lines = trimmed.split(/\r?\n|\\n/)
  if (lines.length === 1) return
  found.add(lines.join('\n').trimEnd())
  const body = lines.map((line) => line.trim()).filter((line) => line !== '' && !line.includes('-----'))
  found.add(body.join(''))
  for (const line of body) if (line.length >= MIN_LINE && (PEM.test(value) || isRandom(line))) found.add(line)
}

const MAX_DEPTH = 8
const USER_INFO = /:\/\/([^\s/?#"'<>]+)@/g
const AUTHORIZATION = /\b(bearer|basic|token)(?:\s|%20)+([\w.~+/=-]{6,})/gi
const PAIR = /(?<![\w.-])([A-Za-z][\w.-]*)["']?[ \t]*[=:][ \t]*(?!\/\/)(?:"([^"]*)"|'([^']*)'|([^\s;&,"']+))/g
/** Without its end, all that follows: otherwise each beginning would be searched to the end of the text. */
const PRIVATE_KEY = new RegExp(`${KEY_BEGIN}[\\s\\S]*?(?:${KEY_END}|$)`, 'g')

function addParts(found: Set<string>, value: string, depth: number): void {
  for (const [, userInfo = ''] of value.matchAll(USER_INFO)) addUserInfo(found, userInfo)
  for (const [, scheme = '', token = ''] of value.matchAll(AUTHORIZATION)) addToken(found, scheme, token)
  for (const [block] of value.matchAll(PRIVATE_KEY)) addWhole(found, block)
  const data = /^\s*[[{]/.test(value) ? parseJson(value) : undefined
  if (data !== undefined) addFields(found, data, depth)
  else
    for (const [, name = '', ...given] of value.matchAll(PAIR)) addNamed(found, name, given.join(''), depth)
  const decoded = decodedText(value)
  if (decoded !== null && depth < MAX_DEPTH) addParts(found, decoded, depth + 1)
}

function addNamed(found: Set<string>, name: string, value: string, depth: number): void {
  const kind = nameKind(name)
  if (kind === 'none' || (kind === 'likely' && !isRandom(value))) return
  addWhole(found, value)
  addWhole(found, decodedUri(value))
  const decoded = decodedText(value)
  if (decoded !== null && depth < MAX_DEPTH) addParts(found, decoded, depth + 1)
}

function addToken(found: Set<string>, scheme: string, token: string): void {
  if (scheme.toLowerCase() === 'bearer' || isRandom(token)) found.add(token)
  if (scheme.toLowerCase() === 'basic') addUserInfo(found, Buffer.from(token, 'base64').toString('utf8'))
}

/** `user:password`; a user without a password may be a key. */
function addUserInfo(found: Set<string>, userInfo: string): void {
  const at = userInfo.indexOf(':')
  const user = at === -1 ? userInfo : userInfo.slice(0, at)
  const password = at === -1 ? '' : userInfo.slice(at + 1)
  for (const part of [password, decodedUri(password)]) found.add(part)
  if (user.length >= MIN_LINE && isRandom(user)) found.add(user)
}

function addFields(found: Set<string>, data: unknown, depth: number, name = ''): void {
  if (depth > MAX_DEPTH) return
  if (typeof data === 'string') {
    addNamed(found, name, data, depth)
    addParts(found, data, depth + 1)
  } else if (typeof data === 'object' && data !== null) {
    for (const [key, part] of Object.entries(data)) addFields(found, part, depth + 1, key)
  }
}

/** The text that a value of base64 stands for. */
function decodedText(value: string): string | null {
  if (value.length < 64 || !/^[\w+/-]+={0,2}$/.test(value)) return null
  const text = Buffer.from(value, 'base64').toString('utf8')
  return /^[\t\n\r -~]+$/.test(text) ? text : null
}

function decodedUri(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
