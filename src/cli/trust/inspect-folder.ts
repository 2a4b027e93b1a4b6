/** Everything in a folder that Thinkon would execute or believe, read and described but not executed. */
import { hash } from 'node:crypto'
import { existsSync, realpathSync } from 'node:fs'
import { basename, join, resolve } from 'node:path'
import type { FoundConfig } from '../../config/index.ts'
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

/** The powers of the folder, as rows: first its files, with their hashes. */
export async function inspectFolder(
  folder: string,
  found: FoundConfig | null,
  value: unknown,
): Promise<Power[]> {
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
  const plans = [...executors, ...blueprints].map((path) => realPathOf(path) ?? path)
  for (const path of plans) files.set(path, hash('sha256', textOf(path)))
  // Of `package.json`, only the part about Thinkon counts. An empty object sets nothing.
  if (found !== null && !/^\s*\{\s*\}\s*$/.test(found.text)) {
    const isPart = found.name !== basename(found.path)
    files.set(isPart ? `${found.path}#thinkon` : realpathSync(found.path), hash('sha256', found.text))
  }
  const isOpen = fieldsOf(fieldsOf(tools).shell).sandbox === 'off'
  const commands = await Promise.all(executors.map((path) => executorRows(path, isOpen)))
  const servers = Object.entries(fieldsOf(mcp)).flatMap(([name, server]): Power[] => {
    const command = commandOf(server)
    const reason = command && addCommand(files, command, folder)
    return reason ? [{ power: 'unchecked', what: `${name}: ${reason}` }] : []
  })
  const rows = [...files].map(([path, hash]): Power => {
    const power = plans.includes(path) ? 'plans' : code.includes(path) ? 'code' : 'uses'
    return { power, what: pathIn(path, folder), hash }
  })
  return [...rows, ...powersOf(value), ...commands.flat(), ...servers]
}

/** Files that the configuration names and Thinkon loads as code: strategies and models. */
export function codeNamedIn(value: unknown, folder: string): string[] {
  const { strategies, model, models, embedding, serve } = fieldsOf(value)
  const specs = [model, Object.values(fieldsOf(models)), embedding, fieldsOf(serve).models]
    .flat(2)
    .map((one) => (isObject(one) ? one.model : one))
    .filter(isText)
    .flatMap((one) => specsOf(one))
  const modules = specs.flatMap((spec) => /^module:(.+)$/s.exec(spec)?.[1] ?? [])
  return [...[strategies].flat().filter(isText), ...modules].map((file) => resolve(folder, file))
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

function fieldsOf(value: unknown): Record<string, unknown> {
  return isObject(value) ? value : {}
}

function isText(value: unknown): value is string {
  return typeof value === 'string'
}
