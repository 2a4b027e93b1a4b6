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

const DEFAULT_MATCHES = 100
const MAX_MATCHES = 1_000
const SEARCH_TIME_LIMIT_MS = 10_000
const MAX_SEARCHED_BYTES = 2 * 1024 * 1024
const FILES_AT_ONCE = 100

/** What the worker gets first. */
export interface SearchJob {
  readonly source: string
  readonly flags: string
  readonly maxMatches: number
  readonly maxBytes: number
}

/** Files to be searched next. `named`: somebody asked for this very file, and is told if it can't be read. */
export interface SearchOrder {
  readonly places: readonly WorkspacePath[]
  readonly named: boolean
}

export interface Match {
  readonly path: string
  readonly line: number
  readonly text: string
}

/** What it sends: matches as they are found, and that it has searched all it was given, or needs no more. */
export type SearchNews =
  | { readonly matches: readonly Match[]; readonly searched: number; readonly skipped: number }
  | { readonly wants: 'more' | 'nothing' }
  | { readonly failed: string }

export function searchFilesTool(workspace: string, timeLimitMs = SEARCH_TIME_LIMIT_MS): GuardedTool {
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
      all: optional(flag('Also .git, node_modules and .thinkon')),
    }),
    deeds: ({ path = '.' }) => [{ does: 'read', path }],
    async run(input, { signal, permits }) {
      const start = await insideWorkspace(workspace, input.path ?? '.')
      const flags = input.ignoreCase ? 'iu' : 'u'
      const source = input.regex ? checkedRegex(input.pattern, flags) : escapeRegex(input.pattern)
      const fits = input.glob === undefined ? null : globMatcher(input.glob)
      const { all = false, max: maxMatches = DEFAULT_MATCHES } = input
      const orders = ordersOf(start, fits, { maxDepth: MAX_DEPTH, includeIgnored: all, permits, signal })
      const job = { source, flags, maxMatches, maxBytes: MAX_SEARCHED_BYTES }
      return search(job, orders, timeLimitMs, signal)
    },
  })
}

/** What there is to search, in the order of names: walked here, where the policy can be asked. */
async function* ordersOf(
  start: WorkspacePath,
  fits: ((path: string) => boolean) | null,
  options: WalkOptions,
): AsyncGenerator<SearchOrder> {
  const stats = await stat(start.real).catch(() => {
    throw toolError(`${start.name} does not exist`)
  })
  if (stats.isFile()) {
    yield { places: [start], named: true }
    return
  }
  let places: WorkspacePath[] = []
  for await (const { place, isFolder } of walk(start, options)) {
    if (isFolder || (fits !== null && !fits(below(start.name, place.name)))) continue
    places.push(place)
    if (places.length < FILES_AT_ONCE) continue
    yield { places, named: false }
    places = []
  }
  yield { places, named: false }
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
      const order = async () => {
        const { value, done } = await orders.next()
        if (done) resolve('all')
        else worker.postMessage(value)
      }
      worker.on('error', reject)
      worker.on('exit', () => reject(toolError('the search ended early')))
      worker.on('message', (news: SearchNews) => {
        if ('failed' in news) reject(toolError(news.failed))
        else if ('matches' in news) {
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
