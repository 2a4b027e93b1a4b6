/** Everything in a folder that Thinkon would execute or believe, read and described but not executed. */
import { existsSync, realpathSync } from 'node:fs'
import { basename, join, resolve } from 'node:path'
import { type FoundConfig, literalConfig } from '../../config/index.ts'
import { findImports } from '../../config/program-imports.ts'
import { pathIn, realPathOf, textOf } from '../../files/look.ts'
import { specsOf } from '../../kernel/model-choice.ts'
import { isObject } from '../../protocol/index.ts'
import { BLUEPRINTS_PATH, blueprintFiles } from '../../tools/blueprints/blueprint-tools.ts'
import { EXECUTORS_PATH } from '../../tools/executors/executor-tools.ts'
import { parseExecutors } from '../../tools/executors/parse-executors.ts'
import { type McpServers, readServers } from '../../tools/mcp/server-config.ts'
import { addCommand, type Command } from './command-code.ts'
import { type Power, powersOf } from './powers.ts'
import { sha256 } from './trust-record.ts'

type Fields = Record<string, unknown>

/** The configuration as a value, as far as its text shows it. */
export async function writtenValue(found: FoundConfig | null): Promise<unknown> {
  if (found === null) return {}
  return found.isProgram ? literalConfig(found.text) : (await found.open()).value
}

/** Path and hash of each file, and what these may do. */
export async function inspectFolder(folder: string, found: FoundConfig | null, value: unknown) {
  const { workspace = '', executors: file, tools, mcp } = fieldsOf(value)
  const files = findImports([...(found?.isProgram ? [found.path] : []), ...codeNamedIn(value, folder)])
  const code = [...files.keys()].filter((path) => !path.includes('node_modules'))
  // Which of them is used depends on --workspace.
  const workspaces = [...new Set([folder, resolve(folder, String(workspace))])]
  const named = file === undefined ? [] : [resolve(folder, String(file))]
  const executors = [...workspaces.map((one) => join(one, EXECUTORS_PATH)), ...named].filter(existsSync)
  const blueprints = workspaces
    .map((one) => join(one, BLUEPRINTS_PATH))
    .flatMap((one) => blueprintFiles(one).map(({ name }) => join(one, name)))
  for (const path of [...executors, ...blueprints]) files.set(realPathOf(path) ?? path, sha256(textOf(path)))
  // Of `package.json`, only the part about Thinkon counts.
  const isPart = found !== null && found.name !== basename(found.path)
  if (found) files.set(isPart ? `${found.path}#thinkon` : realpathSync(found.path), sha256(found.text))
  const rows = (power: Power['power'], paths: readonly string[]) =>
    paths.map((path): Power => ({ power, what: pathIn(path, folder) }))
  const isOpen = fieldsOf(fieldsOf(tools).shell).sandbox === 'off'
  const commands = await Promise.all(executors.map((path) => executorRows(path, isOpen)))
  const powers = [
    ...rows('code', code),
    ...powersOf(value),
    ...rows('executors', executors),
    ...commands.flat(),
  ]
  for (const [name, server] of Object.entries(fieldsOf(mcp))) {
    const command = commandOf(server)
    const reason = command && addCommand(files, command, folder)
    if (reason) powers.push({ power: 'unchecked', what: `${name}: ${reason}` })
  }
  return { files, powers: [...powers, ...rows('blueprints', blueprints)] }
}

/** Files that the configuration names and Thinkon loads as code: strategies and models. */
export function codeNamedIn(value: unknown, folder: string): string[] {
  const { strategies, model, models, embedding, serve } = fieldsOf(value)
  const specs = [model, Object.values(fieldsOf(models)), embedding, fieldsOf(serve).models]
    .flat(2)
    .map((one) => (isObject(one) ? one.model : one))
    .flatMap((one) => (typeof one === 'string' ? specsOf(one) : []))
  const modules = specs.flatMap((spec) => /^module:(.+)$/s.exec(spec)?.[1] ?? [])
  return [...textsIn(strategies), ...modules].map((file) => resolve(folder, file))
}

/** In the sandbox, the files that a command executes can do no more than the command itself. */
async function executorRows(path: string, isOpen: boolean): Promise<Power[]> {
  const entries = await parseExecutors(textOf(path)).catch(() => []) // Not valid: it is refused when it is used.
  return entries.flatMap(({ id, command, sandbox, env }): Power[] => {
    if (command === null) return []
    const variables = env.map((name) => `, with ${name}`).join('')
    const row: Power = { power: 'executors', what: `${id}: ${command}${variables}` }
    return sandbox && !isOpen ? [row] : [row, { power: 'unchecked', what: `${id} is outside the sandbox` }]
  })
}

const environment = new Proxy(process.env, { get: (env, name: string) => env[name] ?? '' })

/** Null for a server that is at an address, or not valid and so refused when it is used. */
function commandOf(given: unknown): Command | null {
  try {
    const [server] = readServers({ mine: given } as McpServers, environment)
    if (server === undefined || 'url' in server.config) return null
    const { command, args = [], env = {}, cwd = '' } = server.config
    if (typeof command !== 'string') return null // Only the execution of the program shows it.
    const variables = Object.entries(env).map(([key, text]) => `${key}=${text}`)
    return { words: [command, ...args, ...variables], base: resolve(cwd) }
  } catch {
    return null
  }
}

function fieldsOf(value: unknown): Fields {
  return isObject(value) ? value : {}
}

function textsIn(values: unknown): string[] {
  return Array.isArray(values) ? values.filter((one) => typeof one === 'string') : []
}
