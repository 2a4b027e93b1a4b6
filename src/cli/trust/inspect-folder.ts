/** Everything in a folder that Thinkon would execute or believe, read and described but not executed. */
import { realpathSync } from 'node:fs'
import { basename, join, resolve } from 'node:path'
import { type FoundConfig, literalConfig } from '../../config/index.ts'
import { isObject } from '../../protocol/index.ts'
import { BLUEPRINTS_PATH, blueprintFiles } from '../../tools/blueprints/blueprint-tools.ts'
import { EXECUTORS_PATH } from '../../tools/executors/executor-tools.ts'
import { parseExecutors } from '../../tools/executors/parse-executors.ts'
import { findImports, readWhole } from './find-imports.ts'
import { codeNamedIn, type Power, pathIn, powersOf, serverFilesIn } from './powers.ts'
import { sha256 } from './trust-records.ts'

export interface Inspected {
  /** Path and hash. Of `package.json`, only the part about Thinkon, under its path with `#thinkon`. */
  readonly files: ReadonlyMap<string, string>
  readonly powers: readonly Power[]
}

/** What is looked for in fixed places: it may have come since. */
export interface Places {
  /** The configuration itself. */
  readonly config: ReadonlyMap<string, string>
  /** Executors and blueprints. */
  readonly others: ReadonlyMap<string, string>
}

/** The configuration as a value, as far as its text says it. */
export async function writtenValue(found: FoundConfig | null): Promise<unknown> {
  if (found === null) return {}
  return found.isProgram ? literalConfig(found.text) : (await found.open()).value
}

export function placesOf(folder: string, found: FoundConfig | null, value: unknown): Places {
  const config = new Map<string, string>()
  if (found !== null) config.set(configKey(found), sha256(found.text))
  return { config, others: hashesOf([...executorsOf(folder, value), ...blueprintsOf(folder, value)]) }
}

export async function inspectFolder(
  folder: string,
  found: FoundConfig | null,
  value: unknown,
): Promise<Inspected> {
  const { config, others } = placesOf(folder, found, value)
  const programs = [...(found?.isProgram ? [found.path] : []), ...codeNamedIn(value, folder)]
  const code = findImports(programs)
  return {
    // What was read first is what is opened later.
    files: new Map([...hashesOf(serverFilesIn(value, folder)), ...code, ...others, ...config]),
    powers: [
      ...codePowers([...code.keys()], folder),
      ...powersOf(value, folder),
      ...(await Promise.all(executorsOf(folder, value).map((path) => executorPowers(path, folder)))).flat(),
      ...blueprintsOf(folder, value).map(
        (path): Power => ({ power: 'blueprints', what: pathIn(path, folder) }),
      ),
    ],
  }
}

/** Of those that can be read. */
export function hashesOf(paths: readonly string[]): Map<string, string> {
  const hashes = new Map<string, string>()
  for (const path of paths) {
    try {
      const real = realpathSync(path)
      hashes.set(real, sha256(readWhole(real)))
    } catch {
      // It is not there, so it is not used.
    }
  }
  return hashes
}

function configKey({ name, path }: FoundConfig): string {
  return name === basename(path) ? realpathSync(path) : `${path}#thinkon`
}

function workspacesOf(folder: string, value: unknown): string[] {
  const given =
    isObject(value) && typeof value.workspace === 'string' ? resolve(folder, value.workspace) : folder
  return [...new Set([folder, given])]
}

/** Both those of the folder and those of a workspace elsewhere: which are used depends on --workspace, too. */
function executorsOf(folder: string, value: unknown): string[] {
  const given =
    isObject(value) && typeof value.executors === 'string' ? [resolve(folder, value.executors)] : []
  return [...given, ...workspacesOf(folder, value).map((workspace) => join(workspace, EXECUTORS_PATH))]
}

function blueprintsOf(folder: string, value: unknown): string[] {
  return workspacesOf(folder, value).flatMap((workspace) => {
    const at = join(workspace, BLUEPRINTS_PATH)
    return blueprintFiles(at).map(({ name }) => join(at, name))
  })
}

async function executorPowers(path: string, folder: string): Promise<Power[]> {
  let text: string
  try {
    text = readWhole(path).toString('utf8')
  } catch {
    return []
  }
  try {
    const executors = await parseExecutors(text)
    return executors.flatMap(({ id, command, sandbox, env }) => {
      if (command === null) return []
      const more = [...(sandbox ? [] : ['outside the sandbox']), ...env.map((name) => `with ${name}`)]
      return [
        { power: 'executors', what: `${id}: ${command}${more.length > 0 ? ` (${more.join(', ')})` : ''}` },
      ]
    })
  } catch {
    return [{ power: 'executors', what: `${pathIn(path, folder)}, which is not valid` }]
  }
}

/** Files by name, packages by theirs. */
function codePowers(paths: readonly string[], folder: string): Power[] {
  const names = paths.map((path) => {
    const [, inside] = /^.*[\\/]node_modules[\\/](.*)$/s.exec(path) ?? []
    const [name] = /^(?:@[^\\/]+[\\/])?[^\\/]+/.exec(inside ?? '') ?? []
    return name === undefined ? pathIn(path, folder) : `the package ${name}`
  })
  return [...new Set(names)].map((what) => ({ power: 'code', what }))
}
