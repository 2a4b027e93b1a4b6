/** Everything in a folder that Thinkon would execute or believe, read and described but not executed. */
import { existsSync } from 'node:fs'
import { basename, join, resolve } from 'node:path'
import { type FoundConfig, literalConfig } from '../../config/index.ts'
import { findImports } from '../../config/program-imports.ts'
import { pathIn, realPathOf, textOf } from '../../files/look.ts'
import { specsOf } from '../../kernel/model-choice.ts'
import { errorText, isObject } from '../../protocol/index.ts'
import { BLUEPRINTS_PATH, blueprintFiles } from '../../tools/blueprints/blueprint-tools.ts'
import { EXECUTORS_PATH } from '../../tools/executors/executor-tools.ts'
import { parseExecutors } from '../../tools/executors/parse-executors.ts'
import { parseServerText } from '../../tools/mcp/server-config.ts'
import { addCommand } from './command-code.ts'
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
  const config = fieldsOf(value)
  const files = findImports([...(found?.isProgram ? [found.path] : []), ...codeNamedIn(value, folder)])
  const programs = new Set([...files.keys()].map((path) => packageOf(path) ?? pathIn(path, folder)))
  const powers: Power[] = [...programs].map((what) => ({ power: 'code', what }))
  powers.push(...powersOf(value))
  // Which of them is used depends on --workspace.
  const workspaces = [...new Set([folder, resolve(folder, String(config.workspace ?? ''))])]
  const named = config.executors === undefined ? [] : [resolve(folder, String(config.executors))]
  const executors = [...workspaces.map((one) => join(one, EXECUTORS_PATH)), ...named].filter(existsSync)
  const blueprints = workspaces
    .map((one) => join(one, BLUEPRINTS_PATH))
    .flatMap((one) => blueprintFiles(one).map(({ name }) => join(one, name)))
  for (const path of [...executors, ...blueprints]) files.set(realPathOf(path) ?? path, sha256(textOf(path)))
  if (found !== null) files.set(nameOf(found), sha256(found.text))
  for (const command of [
    ...serverCommands(value, folder),
    ...(await executorCommands(executors, config, workspaces)),
  ]) {
    if (command.isExecutor) powers.push({ power: 'executors', what: command.what })
    const reasons = addCommand(files, command, folder)
    const what = `${command.what} (${reasons.join('; ')})`
    if (reasons.length > 0 && !command.isGuarded) powers.push({ power: 'unchecked', what })
  }
  for (const path of blueprints) powers.push({ power: 'blueprints', what: pathIn(path, folder) })
  return { files, powers }
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

interface FoundCommand {
  readonly what: string
  readonly words: readonly string[]
  readonly bases: readonly string[]
  readonly isExecutor?: boolean
  /** In the sandbox, the files that it executes can do no more than the command itself. */
  readonly isGuarded?: boolean
}

function serverCommands(value: unknown, folder: string): FoundCommand[] {
  return Object.entries(fieldsOf(fieldsOf(value).mcp)).flatMap(([name, given]) => {
    try {
      const server: Fields = fieldsOf(typeof given === 'string' ? parseServerText(given).config : given)
      const words = textsIn([server.command, server.args].flat())
      const variables = Object.entries(fieldsOf(server.env)).map(([key, text]) => `${key}=${text}`)
      const bases = [folder, process.cwd()].map((base) => resolve(base, filled(String(server.cwd ?? ''))))
      const what = `${name}: ${words.join(' ')}`
      return words.length > 0 ? [{ what, words: [...words, ...variables].map(filled), bases }] : []
    } catch {
      return [] // Not valid: it is refused when it is used.
    }
  })
}

async function executorCommands(
  paths: readonly string[],
  { tools }: Fields,
  workspaces: readonly string[],
): Promise<FoundCommand[]> {
  const mode = fieldsOf(fieldsOf(tools).shell).sandbox
  const lists = paths.map(async (path): Promise<FoundCommand[]> => {
    const entries = await parseExecutors(textOf(path)).catch((thrown: unknown) => errorText(thrown))
    const invalid = `${pathIn(path, String(workspaces[0]))}, which is not valid: ${entries}`
    if (typeof entries === 'string') return [{ what: invalid, words: [], bases: [], isExecutor: true }]
    return entries.flatMap(({ id, command, cwd, sandbox, env }) => {
      const more = [...(sandbox ? [] : ['outside the sandbox']), ...env.map((name) => `with ${name}`)]
      const what = `${id}: ${command}${more.length > 0 ? ` (${more.join(', ')})` : ''}`
      const how = { isExecutor: true, isGuarded: sandbox && mode !== 'off' }
      return command === null
        ? []
        : [{ what, words: ['sh', '-c', command], bases: workspaces.map((one) => resolve(one, cwd)), ...how }]
    })
  })
  return (await Promise.all(lists)).flat()
}

/** Of `package.json`, only the part about Thinkon counts. */
function nameOf({ name, path }: FoundConfig): string {
  return name === basename(path) ? (realPathOf(path) ?? path) : `${path}#thinkon`
}

function filled(text: string): string {
  return text.replace(/\$\{(\w+)\}/g, (_, variable) => process.env[variable] ?? '')
}

function packageOf(path: string): string | undefined {
  const [, inside = ''] = /^.*[\\/]node_modules[\\/](.*)$/s.exec(path) ?? []
  const [name] = /^(?:@[^\\/]+[\\/])?[^\\/]+/.exec(inside) ?? []
  return name && `the package ${name}`
}

function fieldsOf(value: unknown): Fields {
  return isObject(value) ? value : {}
}

function textsIn(values: unknown): string[] {
  return Array.isArray(values) ? values.filter((one) => typeof one === 'string') : []
}
