/** The files that belong to a result, as they are now, however they were written. */
import type { Context } from '../../kernel/strategy.ts'
import { isObject, type Result, shortenMiddle } from '../../protocol/index.ts'
import type { Demand } from './demand.ts'
import { namedPaths } from './files.ts'

export interface ResultFile {
  readonly path: string
  readonly text: string
  /** How many lines it has, where only the first were read. */
  readonly of?: number
}

interface FilesFound {
  readonly files: readonly ResultFile[]
  readonly missing: readonly string[]
}

/** Those that the goal demands; what isn't there is wrong. */
export async function demandedFiles(context: Context, demands: readonly Demand[]): Promise<FilesFound> {
  const paths = demandedPaths(demands).slice(0, MAX_FILES)
  const read = await readAll(context, paths)
  const missing = paths.filter((_, i) => {
    const end = read[i]
    return end?.ok === false && /does not exist/.test(end.error.message)
  })
  return {
    files: filesIn(paths, read),
    missing: missing.map((path) => `The goal asks for the file ${path}; it does not exist.`),
  }
}

/** Those that the result names besides, so that a reader sees them; not what the run was given. */
export async function namedFiles(
  context: Context,
  result: string,
  demands: readonly Demand[],
): Promise<readonly ResultFile[]> {
  const demanded = demandedPaths(demands)
  const named = new Set(namedPaths(result))
  const paths = [...named].filter((path) => !demanded.includes(path) && !path.startsWith('inputs/'))
  const wanted = paths.slice(0, Math.max(0, MAX_FILES - demanded.length))
  return filesIn(wanted, await readAll(context, wanted)).map(({ text, ...file }) => ({
    ...file,
    text: shortenMiddle(text, MAX_NAMED_CHARS, (leftOut) => `[${leftOut} characters of the file stand here]`),
  }))
}

const READ_FILE = 'read_file'
const MAX_FILES = 5
const MAX_NAMED_CHARS = 12_000

function demandedPaths(demands: readonly Demand[]): string[] {
  return demands.flatMap((demand) => (demand.type === 'file' ? [demand.path] : []))
}

async function readAll(context: Context, paths: readonly string[]): Promise<readonly Result[]> {
  if (paths.length === 0 || !canWrite(context)) return []
  return context.all(paths.map((path) => context.tool(READ_FILE, { path })))
}

/** Without a tool that writes, no further step could bring a file about. */
function canWrite({ tools }: Context): boolean {
  return tools.some(({ name }) => name === READ_FILE) && tools.some(({ access }) => access === 'write')
}

function filesIn(paths: readonly string[], read: readonly Result[]): ResultFile[] {
  return read.flatMap((end, i): ResultFile[] => {
    const path = paths[i]
    if (path === undefined || !end.ok || !isObject(end.value) || typeof end.value.text !== 'string') return []
    const { text, next, totalLines } = end.value
    return [{ path, text, ...(next !== undefined && { of: Number(totalLines) }) }]
  })
}
