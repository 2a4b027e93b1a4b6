/** One entry of an agent's log. */
import { cleanLine } from '../../../views/text-width.ts'
import type { AgentName } from '../protocol.ts'
import type { LogWords } from './log-words.ts'

export interface LogEntry {
  agent: AgentName
  /** The layer; 0 before the first. */
  round: number
  ts: string
  level: 'info' | 'progress' | 'warning' | 'error'
  msg: string
  data?: unknown
}

/** What an agent says because of an event; the event has the time, and the reading the round. */
export type Entry = Omit<LogEntry, 'ts' | 'round'>

/** What was read so far. */
export interface Reading {
  words: LogWords
  round: number
  threshold: number | null
  /** What kind of call each number is. */
  kinds: Map<number, string>
}

export function titled(agent: string): string {
  return agent.charAt(0).toUpperCase() + agent.slice(1)
}

/** A message is one line. */
export function short(text: string): string {
  return cleanLine(text, 300)
}
