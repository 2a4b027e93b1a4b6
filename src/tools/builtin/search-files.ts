import { Worker } from 'node:worker_threads'
import { aborted, defineTool, type GuardedTool, throwIfAborted, toolError } from '../define-tool.ts'
import { globMatcher } from '../glob.ts'
import { flag, integer, objectSchema, optional, text } from '../object-schema.ts'
import { insideWorkspace, type WorkspacePath } from '../workspace.ts'

const DEFAULT_MATCHES = 100
const MAX_MATCHES = 1_000
const SEARCH_TIME_LIMIT_MS = 10_000
const MAX_SEARCHED_BYTES = 2 * 1024 * 1024

/** What the worker gets. */
export interface SearchJob {
  readonly start: WorkspacePath
  readonly source: string
  readonly flags: string
  readonly glob: string | null
  readonly all: boolean
  readonly hidden: readonly string[]
  readonly maxMatches: number
  readonly maxBytes: number
}

export interface Match {
  readonly path: string
  readonly line: number
  readonly text: string
}

/** What it sends: matches as they are found, and finally how the search ended. */
export type SearchNews =
  | { readonly matches: readonly Match[]; readonly searched: number; readonly skipped: number }
  | { readonly end: 'all' | 'enough' }
  | { readonly failed: string }

export function searchFilesTool(
  workspace: string,
  hidden: readonly string[] = [],
  timeLimitMs = SEARCH_TIME_LIMIT_MS,
): GuardedTool {
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
    subjects: ({ path = '.' }) => ({ paths: [path] }),
    async run(input, { signal }) {
      const start = await insideWorkspace(workspace, input.path ?? '.')
      const flags = input.ignoreCase ? 'iu' : 'u'
      const source = input.regex ? checkedRegex(input.pattern, flags) : escapeRegex(input.pattern)
      if (input.glob !== undefined) globMatcher(input.glob) // throws here if it is bad, not in the worker
      const { glob = null, all = false, max: maxMatches = DEFAULT_MATCHES } = input
      const job = { start, source, flags, glob, all, hidden, maxMatches, maxBytes: MAX_SEARCHED_BYTES }
      return search(job, timeLimitMs, signal)
    },
  })
}

/** In a worker, because only there can a runaway regular expression be stopped. */
async function search(job: SearchJob, timeLimitMs: number, signal: AbortSignal): Promise<unknown> {
  throwIfAborted(signal)
  const here = import.meta.url
  const worker = new Worker(new URL(`./search-worker${here.slice(here.lastIndexOf('.'))}`, here), {
    workerData: job,
    env: {},
    execArgv: [],
  })
  const matches: Match[] = []
  let counts = { searched: 0, skipped: 0 }
  let timer: NodeJS.Timeout | undefined
  let onAbort = () => {}
  try {
    const end = await new Promise<'all' | 'enough' | 'time'>((resolve, reject) => {
      timer = setTimeout(() => resolve('time'), timeLimitMs)
      onAbort = () => reject(aborted(signal))
      signal.addEventListener('abort', onAbort)
      worker.on('error', reject)
      worker.on('exit', () => reject(toolError('the search ended early')))
      worker.on('message', (news: SearchNews) => {
        if ('end' in news) return resolve(news.end)
        if ('failed' in news) return reject(toolError(news.failed))
        matches.push(...news.matches)
        counts = { searched: news.searched, skipped: news.skipped }
      })
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
  try {
    new RegExp(pattern, flags)
    return pattern
  } catch (error) {
    throw toolError((error as Error).message)
  }
}

function escapeRegex(pattern: string): string {
  return pattern.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&')
}
