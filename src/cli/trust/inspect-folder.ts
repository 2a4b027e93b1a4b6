/** Everything in a folder that Thinkon would execute or believe, read and described but not executed. */
import { existsSync } from 'node:fs'
import { basename, join, resolve } from 'node:path'
import { type FoundConfig, literalConfig } from '../../config/index.ts'
import { findImports } from '../../config/program-imports.ts'
import { realPathOf, textOf } from '../../files/look.ts'
import { errorText } from '../../protocol/index.ts'
import { BLUEPRINTS_PATH, blueprintFiles } from '../../tools/blueprints/blueprint-tools.ts'
import { EXECUTORS_PATH } from '../../tools/executors/executor-tools.ts'
import { parseExecutors } from '../../tools/executors/parse-executors.ts'
import { addCommand } from './command-code.ts'
import { codeNamedIn, fieldsOf, isText, listOf, type Power, pathIn, powersOf, serversIn } from './powers.ts'
import { sha256 } from './trust-records.ts'

export interface Inspected {
  /** Path and hash. Of `package.json`, only the part about Thinkon, under its path with `#thinkon`. */
  readonly files: Map<string, string>
  readonly powers: Power[]
}

/** The configuration as a value, as far as its text shows it. */
export async function writtenValue(found: FoundConfig | null): Promise<unknown> {
  if (found === null) return {}
  return found.isProgram ? literalConfig(found.text) : (await found.open()).value
}

export async function inspectFolder(
  folder: string,
  found: FoundConfig | null,
  value: unknown,
): Promise<Inspected> {
  const config = fieldsOf(value)
  const files = findImports([...(found?.isProgram ? [found.path] : []), ...codeNamedIn(value, folder)])
  const powers = new Set([...files.keys()].map((path) => packageOf(path) ?? pathIn(path, folder)))
  const described: Power[] = [...powers].map((what) => ({ power: 'code', what }))
  described.push(...powersOf(value, folder))
  for (const [name, server] of serversIn(value)) described.push(...serverCode(files, name, server, folder))
  // Which of them is used depends on --workspace.
  const workspaces = new Set([folder, resolve(folder, isText(config.workspace) ? config.workspace : '')])
  const named = isText(config.executors) ? [resolve(folder, config.executors)] : []
  for (const path of [...named, ...[...workspaces].map((one) => join(one, EXECUTORS_PATH))])
    if (existsSync(path)) described.push(...(await executorCode(files, path, folder, config)))
  for (const at of [...workspaces].map((one) => join(one, BLUEPRINTS_PATH)))
    for (const { name } of blueprintFiles(at)) {
      files.set(realPathOf(join(at, name)) ?? '', sha256(textOf(join(at, name))))
      described.push({ power: 'blueprints', what: pathIn(join(at, name), folder) })
    }
  if (found !== null) {
    const isWhole = found.name === basename(found.path)
    files.set(isWhole ? (realPathOf(found.path) ?? found.path) : `${found.path}#thinkon`, sha256(found.text))
  }
  return { files, powers: described }
}

/** Adds the files of the server's command. */
function serverCode(
  files: Map<string, string>,
  name: string,
  server: Record<string, unknown>,
  folder: string,
): Power[] {
  const words = [server.command, ...listOf(server.args)].filter(isText)
  if (words.length === 0) return []
  const filled = (text: string) => text.replace(/\$\{(\w+)\}/g, (_, variable) => process.env[variable] ?? '')
  const env = Object.entries(fieldsOf(server.env)).map(([key, text]) => `${key}=${text}`)
  // An empty part of a search path is the current folder.
  const paths = env.filter((one) => hasEmptyPlace(one)).map(() => '.')
  const bases = [folder, process.cwd()].map((base) =>
    resolve(base, isText(server.cwd) ? filled(server.cwd) : ''),
  )
  const command = { words: [...words, ...env, ...paths].map(filled), bases: [...new Set(bases)] }
  const reasons = addCommand(files, command, folder)
  return reasons.length === 0
    ? []
    : [{ power: 'unchecked', what: `${name}: ${words.join(' ')} (${reasons.join('; ')})` }]
}

async function executorCode(
  files: Map<string, string>,
  path: string,
  folder: string,
  config: Record<string, unknown>,
): Promise<Power[]> {
  const text = textOf(path)
  files.set(realPathOf(path) ?? path, sha256(text))
  try {
    return (await parseExecutors(text)).flatMap(({ id, command, cwd, sandbox, env }): Power[] => {
      if (command === null) return []
      const isGuarded = sandbox && fieldsOf(fieldsOf(config.tools).shell).sandbox !== 'off'
      const words = ['sh', '-c', command]
      const reasons = addCommand(files, { words, bases: [resolve(folder, cwd)], isGuarded }, folder)
      const more = [...(sandbox ? [] : ['outside the sandbox']), ...env.map((name) => `with ${name}`)]
      const what = `${id}: ${command}${more.length > 0 ? ` (${more.join(', ')})` : ''}`
      const isUnchecked = !isGuarded && reasons.length > 0
      const why: Power = { power: 'unchecked', what: `${what} (${reasons.join('; ')})` }
      return [{ power: 'executors', what }, ...(isUnchecked ? [why] : [])]
    })
  } catch (thrown) {
    return [{ power: 'executors', what: `${pathIn(path, folder)}, which is not valid: ${errorText(thrown)}` }]
  }
}

function packageOf(path: string): string | undefined {
  const [, inside = ''] = /^.*[\\/]node_modules[\\/](.*)$/s.exec(path) ?? []
  const [name] = /^(?:@[^\\/]+[\\/])?[^\\/]+/.exec(inside) ?? []
  return name && `the package ${name}`
}

/** Of a search path, as a variable: `PATH=:/usr/bin`. */
function hasEmptyPlace(variable: string): boolean {
  const [, path = ''] = variable.split('PATH=', 2)
  return path.includes(':') && path.split(':').includes('')
}
