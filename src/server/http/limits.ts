/** What requests may take at most. */
import { ThinkonError } from '../../protocol/index.ts'

export interface LimitOptions {
  /** Bytes of a JSON body. Default: 1 MiB. */
  maxBodyBytes?: number
  /** Bytes of a run's file. Default: 256 MiB. */
  maxImportBytes?: number
  /** How long a JSON body may take to arrive. Default: 30 seconds. */
  bodyTimeoutMs?: number
  /** How long a run's file may take to arrive. Default: 10 minutes. */
  importTimeoutMs?: number
  /** Streams that are open at once. Default: 2,000. */
  maxStreams?: number
  /** Runs that are started in a minute. Default: 600. */
  startsPerMinute?: number
  /** How often an idle stream says that it is alive. Default: 15 seconds. */
  heartbeatMs?: number
  /** A stream ends if its reader takes nothing for so long. Default: 2 minutes. */
  stallMs?: number
}

export interface Limits extends Required<LimitOptions> {
  /** Throws LIMIT if too many were started in the last minute. */
  countStart(): void
  /** Throws LIMIT if too many streams are open; returns what ends it. */
  openStream(): () => void
  streams(): number
}

const DEFAULTS: Required<LimitOptions> = {
  maxBodyBytes: 1024 * 1024,
  maxImportBytes: 256 * 1024 * 1024,
  bodyTimeoutMs: 30_000,
  importTimeoutMs: 600_000,
  maxStreams: 2_000,
  startsPerMinute: 600,
  heartbeatMs: 15_000,
  stallMs: 120_000,
}

const MINUTE_MS = 60_000

/** Limits that count already stay as they are: whoever has them counts together. */
export function limitsOf(given: LimitOptions | Limits = {}): Limits {
  if ('countStart' in given) return given
  const all = { ...DEFAULTS, ...given }
  const starts: number[] = []
  let streams = 0
  return {
    ...all,
    countStart() {
      const now = Date.now()
      while (starts[0] !== undefined && starts[0] <= now - MINUTE_MS) starts.shift()
      if (starts.length >= all.startsPerMinute)
        throw tooMany(`${all.startsPerMinute} runs were started in a minute`)
      starts.push(now)
    },
    openStream() {
      if (streams >= all.maxStreams) throw tooMany(`${all.maxStreams} streams are open`)
      streams++
      let isOpen = true
      return () => {
        if (isOpen) streams--
        isOpen = false
      }
    },
    streams: () => streams,
  }
}

function tooMany(what: string): ThinkonError {
  return new ThinkonError('LIMIT', `${what}, which is as many as this service allows: try again later`, {
    retryable: true,
  })
}
