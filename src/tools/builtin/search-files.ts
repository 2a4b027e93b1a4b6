import { stat } from 'node:fs/promises'
import { Worker } from 'node:worker_threads'
import { packagePath } from '../../files/package-path.ts'
import { patternProblem } from '../../protocol/patterns/linear-pattern.ts'
import { aborted, defineTool, type GuardedTool, throwIfAborted, toolError } from '../define-tool.ts'
import { globMatcher } from '../glob.ts'
import { flag, integer, objectSchema, optional, text } from '../object-schema.ts'
import { type WalkOptions, walk } from '../walk.ts'
import { insideWorkspace, type WorkspacePath } from '../workspace.ts'
import { below, MAX_DEPTH } from './list-files.ts'
import { readTextFile } from './text-file.ts'

const DEFAULT_MATCHES = 100
const MAX_MATCHES = 1_000
const SEARCH_TIME_LIMIT_MS = 10_000
const MAX_SEARCHED_BYTES = 2 * 1024 * 1024
const FILES_AT_ONCE = 100
const CHARS_AT_ONCE = 2 * 1024 * 1024

/** The worker's data. */
export interface SearchJob {
  readonly source: string
  readonly flags: string
  readonly maxMatches: number
}

/** Files to be searched next. */
export interface SearchOrder {
  readonly files: readonly { readonly path: string; readonly text: string }[]
  /** Files that were left out until now, because they are too large or no text. */
  readonly skipped: number
}

export interface Match {
  readonly path: string
  readonly line: number
  readonly text: string
}

/** A message of the worker: matches of one file, or that it has searched the order's files, or needs no more. */
export type SearchNews =
  | { readonly matches: readonly Match[]; readonly searched: number; readonly skipped: number }
  | { readonly wants: 'more' | 'nothing' }

export function searchFilesTool(timeLimitMs = SEARCH_TIME_LIMIT_MS): GuardedTool {
  return defineTool({
    name: 'search_files',
    description:
      'Finds the lines of text files in the workspace that contain a text or match a regular expression.',
    access: 'read',
    input: objectSchema({
      pattern: text('The text, or the JavaScript regular expression with `regex`', {
        minLength: 1,
        maxLength: 1_000,
      }),
      regex: optional(flag('The pattern is a regular expression')),
      ignoreCase: optional(flag('Upper and lower case are the same')),
      path: optional(text('The folder or file, from the workspace', { minLength: 1 })),
      glob: optional(text('Only files that match, such as *.ts', { minLength: 1, maxLength: 1_000 })),
      max: optional(integer('The most matches', 1, MAX_MATCHES)),
      all: optional(flag('Also .git, node_modules, and the executors and blueprints in .thinkon')),
    }),
    deeds: ({ path = '.' }) => [{ does: 'read', path }],
    async run(input, { workspace, signal, permits }) {
      const start = await insideWorkspace(workspace, input.path ?? '.')
      const flags = input.ignoreCase ? 'iu' : 'u'
      const source = input.regex ? checkedRegex(input.pattern, flags) : escapeRegex(input.pattern)
      const fits = input.glob === undefined ? null : globMatcher(input.glob)
      const { all = false, max: maxMatches = DEFAULT_MATCHES } = input
      const orders = ordersOf(start, fits, { maxDepth: MAX_DEPTH, includeIgnored: all, permits, signal })
      const job = { source, flags, maxMatches }
      return search(job, orders, timeLimitMs, signal)
    },
  })
}

/**
 * The files to search, in the order of names. They are read here and not in the worker: here the policy can be asked, and it is known which
 * databases this process has open.
 */
async function* ordersOf(
  start: WorkspacePath,
  fits: ((path: string) => boolean) | null,
  options: WalkOptions,
): AsyncGenerator<SearchOrder> {
  const stats = await stat(start.real).catch(() => {
    throw toolError(`${start.name} does not exist`)
  })
  if (stats.isFile()) {
    const { text } = await readTextFile(start, MAX_SEARCHED_BYTES)
    yield { files: [{ path: start.name, text }], skipped: 0 }
    return
  }
  let files: { path: string; text: string }[] = []
  let size = 0
  let skipped = 0
  for await (const { place, isFolder } of walk(start, options)) {
    if (isFolder || (fits !== null && !fits(below(start.name, place.name)))) continue
    const text = await readTextFile(place, MAX_SEARCHED_BYTES).then(
      (file) => file.text,
      () => null,
    )
    if (text === null) {
      skipped++
      continue
    }
    files.push({ path: place.name, text })
    size += text.length
    if (files.length < FILES_AT_ONCE && size < CHARS_AT_ONCE) continue
    yield { files, skipped }
    files = []
    size = 0
  }
  yield { files, skipped }
}

type SearchEnd = 'all' | 'enough' | 'time'

/** In a worker, because only there can a runaway regular expression be stopped. */
async function search(
  job: SearchJob,
  orders: AsyncGenerator<SearchOrder>,
  timeLimitMs: number,
  signal: AbortSignal,
): Promise<unknown> {
  throwIfAborted(signal)
  const worker = new Worker(packagePath('src/tools/builtin/search-worker.ts'), {
    workerData: job,
    env: {},
    execArgv: [],
  })
  const matches: Match[] = []
  let counts = { searched: 0, skipped: 0 }
  let timer: NodeJS.Timeout | undefined
  let onAbort = () => {}
  try {
    const end = await new Promise<SearchEnd>((resolve, reject) => {
      timer = setTimeout(() => resolve('time'), timeLimitMs)
      onAbort = () => reject(aborted(signal))
      signal.addEventListener('abort', onAbort)
      let next = orders.next()
      const order = async () => {
        const { value, done } = await next
        if (done) return resolve('all')
        worker.postMessage(value)
        // Read while the worker searches. A failure is reported when it is this order's turn.
        next = orders.next()
        next.catch(() => {})
      }
      worker.on('error', reject)
      worker.on('exit', () => reject(toolError('the search ended early')))
      worker.on('message', (news: SearchNews) => {
        if ('matches' in news) {
          matches.push(...news.matches)
          counts = { searched: news.searched, skipped: news.skipped }
        } else if (news.wants === 'nothing') resolve('enough')
        else order().catch(reject)
      })
      order().catch(reject)
    })
    if (end === 'all') return { matches, ...counts }
    const incomplete =
      end === 'enough'
        ? `stopped after ${job.maxMatches} matches or their size: narrow it down`
        : `stopped after ${timeLimitMs} ms: narrow it down, or simplify the pattern`
    return { matches, ...counts, incomplete }
  } finally {
    clearTimeout(timer)
    signal.removeEventListener('abort', onAbort)
    await worker.terminate()
  }
}

function checkedRegex(pattern: string, flags: string): string {
  const problem = patternProblem(pattern, flags)
  if (problem !== undefined) throw toolError(`the pattern can't be used: ${problem}`)
  return pattern
}

function escapeRegex(pattern: string): string {
  return pattern.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&')
}
