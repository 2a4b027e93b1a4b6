/**
 * The log folder of a tree search, made from the events of its block: the document's files, as texts by name.
 *
 * Times are the events'; `seq` counts in each file; the timeline goes by time, and at equal times by the order of the journal,
 * which is that of cause and effect. Messages are in the language of the problem.
 */
import { cleanText, type Event, type EventOf, escapeJson } from '../../../protocol/index.ts'
import type { ViewFolder } from '../../../views/strategy-view.ts'
import { cleanLine } from '../../../views/text-width.ts'
import { langOf } from '../../../views/words.ts'
import type { AgentName } from '../protocol.ts'
import { foldThoughts, isMessage } from './fold-thoughts.ts'
import { type LogEntry, logEntries } from './log-entries.ts'
import { LOG_WORDS, type LogWords } from './log-words.ts'
import { bestScoreOf, type ThoughtSearch } from './thought-tree.ts'

/** Where the folder is made beside the run's store, unless the option `log_dir` names another place. */
const LOGS = 'logs'

/** What may name a folder. */
const FOLDER = /^tot-[\w-]+$/

/** `block` has the events of one block, from its start on, whether it has ended or not. */
export function logFolder(block: readonly Event[]): ViewFolder {
  const begun = block[0] as EventOf<'block-start'>
  const search = foldThoughts(block, begun.path)
  if (!FOLDER.test(search.taskId)) search.taskId = idOf(begun)
  const { log_dir } = (begun.options ?? {}) as { log_dir?: unknown }
  const own = typeof log_dir === 'string' && log_dir !== '' ? log_dir : null
  return {
    in: own === null ? 'store' : 'workspace',
    path: `${own ?? LOGS}/${search.taskId}`,
    files: logFiles(block, search, LOG_WORDS[langOf(begun.goal)]),
  }
}

function logFiles(block: readonly Event[], search: ThoughtSearch, words: LogWords): Map<string, string> {
  const facts = factsOf(block, search)
  const logs = byFile(logEntries(block, words))
  const files = new Map([['00-task-info.json', taskInfo(facts, search)]])
  for (const [name, entries] of logs) files.set(`${name}.log`, entries.map(jsonLine).join(''))
  files.set('99-merged-timeline.log', timeline(logs, facts, search, words))
  return files
}

interface Facts {
  start: string
  end: string
  durationMs: number
  llmCalls: number
  agentCalls: number
}

function factsOf(events: readonly Event[], { path }: ThoughtSearch): Facts {
  const start = events[0]?.ts ?? ''
  const end = (events.findLast(({ type }) => type === 'block-end') ?? events.at(-1))?.ts ?? start
  const own = events.filter((event) => event.path === path)
  return {
    start,
    end,
    durationMs: Math.max(0, Date.parse(end) - Date.parse(start)),
    llmCalls: own.filter(({ type }) => type === 'model-end').length,
    // Whoever is sent a request is called; the orchestrator is called by the task itself.
    agentCalls: 1 + own.filter((event) => isMessage(event) && REQUESTS.has(event.data.type)).length,
  }
}

const REQUESTS: ReadonlySet<string> = new Set([
  'decompose_task',
  'initialize_search',
  'generate_thoughts',
  'evaluate_thoughts',
  'synthesize_solution',
])

function taskInfo({ start, end, durationMs, llmCalls }: Facts, search: ThoughtSearch): string {
  const info = {
    task_id: search.taskId,
    problem: search.problem,
    task_type: search.taskType,
    start_time: start,
    end_time: end,
    duration_ms: durationMs,
    search_config: search.config,
    final_stats: {
      total_nodes: search.thoughts.size,
      llm_calls: llmCalls,
      best_score: bestScoreOf(search),
    },
  }
  return `${escapeJson(JSON.stringify(info, null, 2))}\n`
}

// --- which file an entry stands in

type FileEntry = Omit<LogEntry, 'agent' | 'round'> & { seq: number; order: number }

/** 04 and 05 are the first round's; 98 is left to the Synthesizer and 99 to the timeline. */
const FIRST_ROUND = 4
const MOST_ROUNDS = 47
const FIXED: Partial<Record<AgentName, number>> = { orchestrator: 1, decomposer: 2, explorer: 3 }

/** In the order of their numbers. A search with more rounds than numbers puts the later ones into the last pair. */
function byFile(entries: readonly LogEntry[]): ReadonlyMap<string, readonly FileEntry[]> {
  const rounds = entries.reduce(
    (most, { agent, round }) => (agent in FIXED ? most : Math.max(most, round)),
    0,
  )
  const logs = new Map<string, FileEntry[]>()
  for (const [order, { agent, round, ...entry }] of entries.entries()) {
    const name = fileOf(agent, Math.max(1, round), Math.min(rounds, MOST_ROUNDS))
    const log = logs.get(name) ?? []
    logs.set(name, log)
    log.push({ ...entry, seq: log.length + 1, order })
  }
  return new Map([...logs].sort(([a], [b]) => (a < b ? -1 : 1)))
}

function fileOf(agent: AgentName, round: number, rounds: number): string {
  const fixed = FIXED[agent]
  if (fixed !== undefined) return `${two(fixed)}-${agent}`
  if (agent === 'synthesizer') return `${two(FIRST_ROUND + 2 * rounds)}-${agent}`
  const shown = Math.min(round, MOST_ROUNDS)
  const number = FIRST_ROUND + 2 * (shown - 1) + (agent === 'evaluator' ? 1 : 0)
  return `${two(number)}-${agent}-round${shown}`
}

function jsonLine({ ts, seq, level, msg, data }: FileEntry): string {
  return `${escapeJson(JSON.stringify({ ts, seq, level, msg, ...(data !== undefined && { data }) }))}\n`
}

// --- the timeline

function timeline(
  logs: ReadonlyMap<string, readonly FileEntry[]>,
  facts: Facts,
  { taskId, problem }: ThoughtSearch,
  words: LogWords,
): string {
  const entries = [...logs].flatMap(([file, log]) => log.map((entry) => ({ file, ...entry })))
  entries.sort((a, b) => compare(a.ts, b.ts) || a.order - b.order)
  const lines = [
    words.title,
    '',
    `${words.taskId}: ${taskId}`,
    `${words.problem}: ${cleanLine(problem)}`,
    '',
    `${words.start}: ${facts.start}`,
    '',
  ]
  for (const { ts, file, msg, data } of entries) {
    lines.push(`[${ts.slice(11, 23)}] [${file}] ${msg}`)
    if (data !== undefined) lines.push(`         ${words.data}: ${escapeJson(JSON.stringify(data))}`)
  }
  lines.push(
    '',
    `${words.end}: ${facts.end}`,
    `${words.total}: ${words.duration(facts.durationMs)}`,
    '',
    '---',
    '',
    `${words.statistics}:`,
    words.entries(entries.length),
    words.agentCalls(facts.agentCalls),
    words.llmCalls(facts.llmCalls),
  )
  return `${cleanText(lines.join('\n'))}\n`
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0
}

function two(n: number): string {
  return String(n).padStart(2, '0')
}

/** The name of a search that ended before it had one. */
function idOf({ ts, run, path }: Event): string {
  const digits = ts.replace(/\D/g, '')
  return `tot-${digits.slice(0, 8)}-${digits.slice(8, 14)}-${shortHash(`${run} ${path}`)}`
}

/** Six hexadecimal digits of FNV-1a: only to tell searches of one second apart. */
function shortHash(text: string): string {
  let hash = 0x811c9dc5
  for (const char of text) hash = Math.imul(hash ^ (char.codePointAt(0) ?? 0), 0x01000193)
  return (hash >>> 8).toString(16).padStart(6, '0')
}
