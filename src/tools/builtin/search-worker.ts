/** The worker of search_files: reads and matches the files it is given, and sends what it finds until it is terminated. */
import { parentPort, workerData } from 'node:worker_threads'
import { LinearPattern } from '../../protocol/patterns/linear-pattern.ts'
import type { WorkspacePath } from '../workspace.ts'
import { withoutKeyLines } from './key-lines.ts'
import type { Match, SearchJob, SearchNews, SearchOrder } from './search-files.ts'
import { readTextFile } from './text-file.ts'

const MAX_LINE_CHARS = 300
const MAX_OUTPUT_CHARS = 50_000

const job = workerData as SearchJob
const pattern = new LinearPattern(job.source, job.flags)
let [searched, skipped, count, size] = [0, 0, 0, 0]

parentPort?.on('message', (order: SearchOrder) => {
  searchAll(order).then(
    (wants) => send({ wants }),
    (error) => send({ failed: (error as Error).message }),
  )
})

async function searchAll({ places, named }: SearchOrder): Promise<'more' | 'nothing'> {
  for (const place of places) if (!(await searchFile(place, named))) return 'nothing'
  return 'more'
}

/** Returns whether there is room for more. */
async function searchFile(place: WorkspacePath, named: boolean): Promise<boolean> {
  const text = await readTextFile(place, job.maxBytes).then(
    (file) => file.text,
    (error) => (named ? Promise.reject(error) : null),
  )
  if (text === null) skipped++
  else searched++
  const matches: Match[] = []
  let line = 0
  for (const row of withoutKeyLines(text?.split('\n') ?? [])) {
    line++
    if (!pattern.test(row)) continue
    const shown = around(row.replace(/\r$/, ''), pattern.search(row))
    matches.push({ path: place.name, line, text: shown })
    size += shown.length + place.name.length
    if (++count >= job.maxMatches || size >= MAX_OUTPUT_CHARS) break
  }
  send({ matches, searched, skipped })
  return count < job.maxMatches && size < MAX_OUTPUT_CHARS
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
