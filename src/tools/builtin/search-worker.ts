/** The worker of search_files: walks, reads and matches, and sends what it finds until it is done or terminated. */
import { stat } from 'node:fs/promises'
import { parentPort, workerData } from 'node:worker_threads'
import { globMatcher } from '../glob.ts'
import { walk } from '../walk.ts'
import type { WorkspacePath } from '../workspace.ts'
import { below, MAX_DEPTH } from './list-files.ts'
import type { Match, SearchJob, SearchNews } from './search-files.ts'
import { readTextFile } from './text-file.ts'

const MAX_LINE_CHARS = 300
const MAX_OUTPUT_CHARS = 50_000

async function searchAll(job: SearchJob): Promise<'all' | 'enough'> {
  const regex = new RegExp(job.source, job.flags)
  const matchesGlob = job.glob === null ? null : globMatcher(job.glob)
  let [searched, skipped, count, size] = [0, 0, 0, 0]

  /** Returns whether there is room for more. */
  async function searchFile(place: WorkspacePath): Promise<boolean> {
    const text = await readTextFile(place, job.maxBytes).then(
      (file) => file.text,
      (error) => (place === job.start ? Promise.reject(error) : null),
    )
    if (text === null) skipped++
    else searched++
    const matches: Match[] = []
    let line = 0
    for (const row of text?.split('\n') ?? []) {
      line++
      const found = regex.exec(row)
      if (found === null) continue
      const shown = around(row.replace(/\r$/, ''), found.index)
      matches.push({ path: place.name, line, text: shown })
      size += shown.length + place.name.length
      if (++count >= job.maxMatches || size >= MAX_OUTPUT_CHARS) break
    }
    send({ matches, searched, skipped })
    return count < job.maxMatches && size < MAX_OUTPUT_CHARS
  }

  const isFile = await stat(job.start.real).then((stats) => stats.isFile())
  if (isFile) return (await searchFile(job.start)) ? 'all' : 'enough'
  const options = { maxDepth: MAX_DEPTH, includeIgnored: job.all, hidden: job.hidden }
  for await (const { place, isFolder } of walk(job.start, options)) {
    if (isFolder || (matchesGlob !== null && !matchesGlob(below(job.start.name, place.name)))) continue
    if (!(await searchFile(place))) return 'enough'
  }
  return 'all'
}

/** The part of a long line where the match is. */
function around(row: string, index: number): string {
  if (row.length <= MAX_LINE_CHARS) return row
  const from = Math.max(0, Math.min(index - 100, row.length - MAX_LINE_CHARS))
  const to = from + MAX_LINE_CHARS
  return `${from > 0 ? '…' : ''}${row.slice(from, to)}${to < row.length ? '…' : ''}`
}

function send(news: SearchNews): void {
  parentPort?.postMessage(news)
}

try {
  send({ end: await searchAll(workerData as SearchJob) })
} catch (error) {
  const { start } = workerData as SearchJob
  const isMissing = (error as NodeJS.ErrnoException).code === 'ENOENT'
  send({ failed: isMissing ? `${start.name} does not exist` : (error as Error).message })
}
