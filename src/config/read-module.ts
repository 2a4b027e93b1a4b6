/** The default export of a configuration in TypeScript or JavaScript. The module is executed, like any program of the user. */
import { execFile } from 'node:child_process'
import { basename } from 'node:path'
import { promisify } from 'node:util'
import { importFile } from '../files/import-file.ts'
import { ThinkonError } from '../protocol/index.ts'
import { lineColumn } from './positions.ts'
import { type ConfigProblem, configError } from './problems.ts'

const CHECK_TIMEOUT_MS = 10_000

/** Throws BAD_INPUT if it can't be loaded, with the line if that is known. */
export async function readModule(path: string, text: string): Promise<unknown> {
  const file = basename(path)
  let loaded: { default?: unknown }
  try {
    loaded = await importFile(path)
  } catch (thrown) {
    if (isUntrusted(thrown)) throw thrown
    throw configError(file, [await loadProblem(thrown, path, text)])
  }
  if (!('default' in loaded)) {
    throw configError(file, [{ message: 'has no default export: write export default { … }' }])
  }
  return await loaded.default
}

/** Not a problem of the configuration: whoever loads it refused what it imports. */
export function isUntrusted(thrown: unknown): boolean {
  return ThinkonError.isInstance(thrown) && thrown.code === 'UNTRUSTED'
}

async function loadProblem(thrown: unknown, path: string, source: string): Promise<ConfigProblem> {
  const file = basename(path)
  const error: NodeJS.ErrnoException = thrown instanceof Error ? thrown : new Error(String(thrown))
  const { message, stack = '', code = '' } = error
  const missing = /Cannot find (?:package|module) '([^']+)'/.exec(message)?.[1]
  if (missing !== undefined) return { message: missingText(missing, message), ...importLine(source, missing) }
  if (!(thrown instanceof SyntaxError)) {
    return { message: `can't be loaded: ${firstLine(message)}`, ...lineOf(stack, file) }
  }
  // For JavaScript, Node does not report the position unless it is asked to check the file.
  const output = code.includes('TYPESCRIPT') ? stack : await checked(path)
  return { message: `can't be read: ${firstLine(message)}`, ...lineOf(output, file) }
}

function missingText(missing: string, message: string): string {
  if (missing !== 'thinkon') return `can't be loaded: ${firstLine(message)}`
  return (
    'imports "thinkon", which is not installed in this folder: npm install thinkon, or leave the import out: ' +
    'export default { … } works without it'
  )
}

function importLine(source: string, missing: string): { line?: number; column?: number } {
  const at = source.search(new RegExp(`['"][^'"\n]*${escaped(basename(missing))}['"]`))
  return at === -1 ? {} : lineColumn(source, at)
}

/** From the code frame that Node shows (`file:3`, the line, and carets below it), or from the stack. */
function lineOf(text: string, file: string): { line?: number; column?: number } {
  const [, line, column] = new RegExp(`${escaped(file)}:(\\d+)(?::(\\d+))?`).exec(text) ?? []
  if (line === undefined) return {}
  if (column !== undefined) return { line: Number(line), column: Number(column) }
  const carets = /^( *)\^+\s*$/m.exec(text)?.[1]
  return { line: Number(line), ...(carets === undefined ? {} : { column: carets.length + 1 }) }
}

async function checked(path: string): Promise<string> {
  try {
    await promisify(execFile)(process.execPath, ['--check', path], { timeout: CHECK_TIMEOUT_MS })
    return ''
  } catch (error) {
    return String((error as { stderr?: string }).stderr ?? '')
  }
}

function firstLine(text: string): string {
  return text.split('\n', 1)[0] as string
}

function escaped(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')
}
