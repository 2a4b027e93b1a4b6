/** MCP servers from a configuration or `--mcp`, checked, with `${NAME}` replaced from the environment. */
import { isObject, keyText, type McpServerConfig, ThinkonError, TOOL_ACCESS } from '../../protocol/index.ts'
import { checkSchema } from '../../schema/check-schema.ts'

/** By name, as in most MCP clients' files; or a list of `--mcp` texts, each a command line or a URL. */
export type McpServers = Readonly<Record<string, McpServerConfig | string>> | readonly string[]

export interface NamedServer {
  readonly name: string
  readonly config: McpServerConfig
}

export type Environment = Readonly<Record<string, string | undefined>>

/** Throws BAD_INPUT with all problems. */
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

// The word that identifies the server: the first that is neither a runner nor an option, without the usual affixes.
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
  return text.replace(/[^A-Za-z0-9_-]+/g, '-').replace(/^-+|(?<!-)-+$/g, '') || 'mcp'
}

const PIECES = /\s+|"((?:[^"\\]|\\["\\$`]|\\(?!["\\$`]))*)"|'([^']*)'|\\([\s\S])|[\s\S]/g

/** Splits words like a shell: quotes and backslashes, but no expansion. */
function splitWords(text: string): string[] {
  const words: string[] = []
  let word: string | null = null
  for (const [piece, double, single, escaped] of text.matchAll(PIECES)) {
    if (piece === '"' || piece === "'") {
      throw badInput([`a ${piece} is not closed in the MCP server's command: ${text}`])
    }
    if (piece.trim() === '' && escaped === undefined) {
      if (word !== null) words.push(word)
      word = null
    } else {
      word = (word ?? '') + (double?.replace(/\\(["\\$`])/g, '$1') ?? single ?? escaped ?? piece)
    }
  }
  if (word !== null) words.push(word)
  return words
}

// Values may be secrets: what is wrong is told without them.
const text = { type: 'string', minLength: 1, errorMessage: 'must be a string that is not empty' }
const texts = {
  type: 'array',
  items: { type: 'string', errorMessage: 'must be a string' },
  errorMessage: 'must be a list of strings',
}
const textMap = {
  type: 'object',
  additionalProperties: { type: 'string', errorMessage: 'must be a string' },
  errorMessage: 'must be an object of strings',
}
const milliseconds = {
  type: 'number',
  exclusiveMinimum: 0,
  errorMessage: 'must be a number of milliseconds above 0',
}

const COMMON = {
  trust: { type: 'boolean' },
  only: texts,
  access: { type: 'object', additionalProperties: { enum: TOOL_ACCESS } },
  idempotent: texts,
  startTimeoutMs: milliseconds,
  timeoutMs: milliseconds,
  protocol: { enum: ['auto', 'legacy'] },
  // From other clients' files: `command` or `url` already implies them.
  ...{ type: true, transport: true, disabled: true },
}

const STDIO = {
  properties: { command: text, args: texts, env: textMap, cwd: text, ...COMMON },
  additionalProperties: false,
}

const HTTP = {
  properties: {
    url: {
      type: 'string',
      pattern: '^([hH][tT][tT][pP][sS]?:|\\$\\{)',
      errorMessage: 'must begin with http:// or https://',
    },
    headers: textMap,
    ...COMMON,
  },
  additionalProperties: false,
}

function problemsOf(name: string, given: unknown): string[] {
  if (!isObject(given)) return [`MCP server "${name}" must be an object or a string`]
  const problems: string[] = []
  if (!/[A-Za-z0-9]/.test(name)) problems.push('its name needs a letter or a digit')
  if ('command' in given === 'url' in given) problems.push('give either "command" (and args) or "url"')
  for (const { path, message } of checkSchema(given, 'url' in given ? HTTP : STDIO))
    problems.push(`"${keyText(path)}" ${message}`)
  return problems.map((problem) => `MCP server "${name}": ${problem}`)
}

/** Keys stay out of files: `${NAME}` in a url, a header, an argument or an environment value is replaced from `env`. */
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
