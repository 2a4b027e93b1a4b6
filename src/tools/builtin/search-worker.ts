/** The worker of search_files: matches the texts that it receives, and sends the matches until it is terminated. */
import { parentPort, workerData } from 'node:worker_threads'
import { LinearPattern } from '../../protocol/patterns/linear-pattern.ts'
import { withoutKeyLines } from './key-lines.ts'
import type { Match, SearchJob, SearchNews, SearchOrder } from './search-files.ts'

const MAX_LINE_CHARS = 300
const MAX_OUTPUT_CHARS = 50_000

const job = workerData as SearchJob
const pattern = new LinearPattern(job.source, job.flags)
let [searched, count, size] = [0, 0, 0]

parentPort?.on('message', (order: SearchOrder) => {
  const needsMore = order.files.every(({ path, text }) => searchFile(path, text, order.skipped))
  if (order.files.length === 0) send({ matches: [], searched, skipped: order.skipped })
  send({ wants: needsMore ? 'more' : 'nothing' })
})

/** Returns whether there is room for more. */
function searchFile(path: string, text: string, skipped: number): boolean {
  searched++
  const matches: Match[] = []
  let line = 0
  for (const row of withoutKeyLines(text.split('\n'))) {
    line++
    if (!pattern.test(row)) continue
    const shown = around(row.replace(/\r$/, ''), pattern.search(row))
    matches.push({ path, line, text: shown })
    size += shown.length + path.length
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
