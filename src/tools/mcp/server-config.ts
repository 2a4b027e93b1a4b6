/** MCP servers as a configuration or `--mcp` names them, checked, with `${NAME}` filled in from the environment. */
import { isObject, type McpServerConfig, ThinkonError, TOOL_ACCESS } from '../../protocol/index.ts'

/** By name, as in most MCP clients' files; or a list of `--mcp` texts, each a command line or a URL. */
export type McpServers = Readonly<Record<string, McpServerConfig | string>> | readonly string[]

export interface NamedServer {
  readonly name: string
  readonly config: McpServerConfig
}

export type Environment = Readonly<Record<string, string | undefined>>

/** Throws BAD_INPUT with every problem there is. */
export function readServers(servers: McpServers, environment: Environment = process.env): NamedServer[] {
  const named: NamedServer[] = Array.isArray(servers)
    ? namedTexts(servers as readonly string[])
    : Object.entries(servers as Record<string, McpServerConfig | string>).map(([name, given]) => ({
        name,
        config: typeof given === 'string' ? parseServerText(given).config : given,
      }))
  const problems = named.flatMap(({ name, config }) => problemsOf(name, config))
  if (problems.length > 0) throw badInput(problems)
  return named.map(({ name, config }) => ({ name, config: filled(name, config, environment) }))
}

/** `npx -y some-server /dir` or `https://host/mcp`, with a name made from it. */
export function parseServerText(text: string): NamedServer {
  const trimmed = text.trim()
  if (/^https?:\/\//i.test(trimmed)) {
    const host = URL.canParse(trimmed) ? new URL(trimmed).hostname : 'http'
    return { name: plainName(host), config: { url: trimmed } }
  }
  const words = splitWords(trimmed)
  const [command, ...args] = words
  if (command === undefined || command === '') {
    throw badInput([
      `an MCP server needs a command or a URL, like "npx -y some-server" or "https://host/mcp"; got "${trimmed}"`,
    ])
  }
  return { name: nameOfCommand(words), config: { command, args } }
}

function namedTexts(texts: readonly string[]): NamedServer[] {
  const taken = new Map<string, number>()
  return texts.map((text) => {
    const { name, config } = parseServerText(text)
    const count = (taken.get(name) ?? 0) + 1
    taken.set(name, count)
    return { name: count === 1 ? name : `${name}-${count}`, config }
  })
}

// The word that says which server it is: the first that is no runner and no option, without the usual ornaments.
const RUNNERS =
  /^(.*[\\/])?(npx|npm|pnpm|yarn|bunx|bun|deno|uvx|uv|node|python3?|docker|sh|bash)$|^(exec|run|dlx|tool)$/

function nameOfCommand(words: readonly string[]): string {
  const telling = words.find((word) => !word.startsWith('-') && !RUNNERS.test(word)) ?? words[0] ?? 'mcp'
  const parts = telling.split(/[\\/]/).filter((part) => part !== '')
  const generic = /^(index|main|server|cli|dist|src|build|bin)(\.[a-z]+)?$/
  const word = parts.findLast((part) => !generic.test(part)) ?? telling
  return plainName(
    word
      .replace(/(.)@[^@]*$/, '$1')
      .replace(/\.[cm]?[jt]s$|\.py$/, '')
      .replace(/^(mcp-server-|server-|mcp-)/, '')
      .replace(/(-mcp-server|-mcp|-server)$/, ''),
  )
}

function plainName(text: string): string {
  return text.replace(/[^A-Za-z0-9_-]+/g, '-').replace(/^-+|-+$/g, '') || 'mcp'
}

/** Words as a shell would split them: quotes and backslashes, nothing is expanded. */
function splitWords(text: string): string[] {
  const words: string[] = []
  let word: string | null = null
  let quote = ''
  for (let at = 0; at < text.length; at++) {
    const char = text[at] as string
    if (quote !== '') {
      if (char === quote) quote = ''
      else if (char === '\\' && quote === '"' && /["\\$`]/.test(text[at + 1] ?? ''))
        word += text[++at] as string
      else word += char
    } else if (char === '"' || char === "'") {
      quote = char
      word ??= ''
    } else if (char === '\\' && at + 1 < text.length) word = (word ?? '') + (text[++at] as string)
    else if (/\s/.test(char)) {
      if (word !== null) words.push(word)
      word = null
    } else word = (word ?? '') + char
  }
  if (quote !== '') throw badInput([`a ${quote} is not closed in the MCP server's command: ${text}`])
  if (word !== null) words.push(word)
  return words
}

const COMMON = ['trust', 'only', 'access', 'idempotent', 'startTimeoutMs', 'timeoutMs', 'protocol']
const STDIO = ['command', 'args', 'env', 'cwd']
const HTTP = ['url', 'headers']
// What other clients' files say beside it, and is told by `command` or `url` already.
const TOLERATED = ['type', 'transport', 'disabled']
const ACCESS: readonly string[] = TOOL_ACCESS

function problemsOf(name: string, config: McpServerConfig): string[] {
  const problems: string[] = []
  const wrong = (what: string) => problems.push(`MCP server "${name}": ${what}`)
  if (typeof config !== 'object' || config === null)
    return [`MCP server "${name}" must be an object or a text`]
  if (!/[A-Za-z0-9]/.test(name)) wrong('its name needs a letter or a digit')
  const given = config as unknown as Record<string, unknown>
  if ('command' in given === 'url' in given) wrong('give either "command" (and args) or "url"')
  const known = [...COMMON, ...('url' in given ? HTTP : STDIO)]
  for (const key of Object.keys(given)) {
    if (known.includes(key) || TOLERATED.includes(key)) continue
    wrong(`unknown field "${key}"; there are: ${known.join(', ')}`)
  }
  if ('command' in given && !isText(given.command)) wrong('"command" must be a text')
  if ('url' in given && !(isText(given.url) && /^(https?:|\$\{)/i.test(given.url)))
    wrong('"url" must begin with http:// or https://')
  for (const key of ['args', 'only', 'idempotent'])
    if (key in given && !isTexts(given[key])) wrong(`"${key}" must be a list of texts`)
  for (const key of ['env', 'headers', 'access'])
    if (key in given && !isTextMap(given[key])) wrong(`"${key}" must be an object of texts`)
  if (isTextMap(given.access) && !Object.values(given.access).every((value) => ACCESS.includes(value)))
    wrong(`"access" takes: ${ACCESS.join(', ')}`)
  if ('cwd' in given && !isText(given.cwd)) wrong('"cwd" must be a text')
  if ('trust' in given && typeof given.trust !== 'boolean') wrong('"trust" must be true or false')
  for (const key of ['startTimeoutMs', 'timeoutMs'])
    if (key in given && !(Number.isFinite(given[key]) && (given[key] as number) > 0))
      wrong(`"${key}" must be a number of milliseconds above 0`)
  if ('protocol' in given && given.protocol !== 'auto' && given.protocol !== 'legacy')
    wrong('"protocol" must be "auto" or "legacy"')
  return problems
}

const isText = (value: unknown): value is string => typeof value === 'string' && value !== ''
const isTexts = (value: unknown): value is string[] =>
  Array.isArray(value) && value.every((item) => typeof item === 'string')
const isTextMap = (value: unknown): value is Record<string, string> =>
  isObject(value) && isTexts(Object.values(value))

/** Keys stay out of files: `${NAME}` in a url, a header, an argument or an environment value is taken from here. */
function filled(name: string, config: McpServerConfig, environment: Environment): McpServerConfig {
  const fill = (text: string): string =>
    text.replace(/\$\{([A-Za-z_][A-Za-z0-9_]*)\}/g, (_, variable: string) => {
      const value = environment[variable]
      if (value !== undefined) return value
      throw badInput([
        `MCP server "${name}" needs the environment variable ${variable}, which is not set: set it, or take \${${variable}} out of the configuration`,
      ])
    })
  const fillAll = (map: Record<string, string>) =>
    Object.fromEntries(Object.entries(map).map(([key, value]) => [key, fill(value)]))
  if ('url' in config) {
    const url = fill(config.url)
    if (!URL.canParse(url)) throw badInput([`MCP server "${name}": "url" is not a URL`])
    return { ...config, url, ...(config.headers && { headers: fillAll(config.headers) }) }
  }
  return {
    ...config,
    ...(config.args && { args: config.args.map(fill) }),
    ...(config.env && { env: fillAll(config.env) }),
  }
}

function badInput(problems: readonly string[]): ThinkonError {
  return new ThinkonError('BAD_INPUT', problems.join('\n'), { data: { problems } })
}
