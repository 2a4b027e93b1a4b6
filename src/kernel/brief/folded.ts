/** What remains of the turns of a conversation that were folded, in order: lines, summaries, and what was to be kept. */
import { messageText, oneLine, shorten, shortenMiddle } from '../../protocol/index.ts'
import { shortenFenced } from '../fence.ts'
import { leftOutMark } from '../left-out.ts'
import { countTokens } from './count-tokens.ts'
import { MESSAGE_TOKENS, type Turn } from './turn.ts'

interface Remains {
  readonly text: string
  readonly tokens: number
  /** What is worth more is dropped later; what is to be kept, never. */
  readonly worth: Worth
}

type Worth = 'line' | 'failure' | 'summary' | 'kept'

export class Folded {
  private all: Remains[] = []
  /** Lines that there was no room for. */
  private dropped = 0
  private readonly ref: string | undefined

  /** `ref` is by which `read_result` lists what the block has found. */
  constructor(ref: string | undefined) {
    this.ref = ref
  }

  get isEmpty(): boolean {
    return this.all.length === 0 && this.dropped === 0
  }

  get tokens(): number {
    return this.isEmpty ? 0 : countTokens(this.text()) + MESSAGE_TOKENS
  }

  /** Of what is never dropped. */
  get keptTokens(): number {
    return this.all.reduce((sum, { worth, tokens }) => (worth === 'kept' ? sum + tokens : sum), 0)
  }

  /** The oldest first. */
  get summaries(): readonly string[] {
    return this.all.filter(({ worth }) => worth === 'summary').map(({ text }) => text)
  }

  /** Takes turns over, in so many tokens for all that remains. */
  add(turns: readonly Turn[], room: number): void {
    for (const { message, line, failed } of turns) {
      if (line === '') continue
      const worth = line === null ? 'kept' : failed ? 'failure' : 'line'
      this.all.push(remains(line ?? messageText(message), worth))
    }
    this.dropTo(room)
  }

  /** A summary in place of the turns. What is to be kept stays whole, of each result a line with its reference. */
  addSummary(turns: readonly Turn[], summary: string, room: number): void {
    this.all.push(remains(boundedSummary(summary, room), 'summary'))
    const told = turns.filter(({ line, failed }) => line === null || failed !== undefined)
    this.add(told, room)
  }

  /** Puts one summary in the place of the oldest ones; without one, the beginning of each. */
  joinSummaries(count: number, summary: string | null, room: number): void {
    const joined = this.all.filter(({ worth }) => worth === 'summary').slice(0, count)
    const at = this.all.indexOf(joined[0] as Remains)
    const each = Math.floor((summaryTokens(room) * CHARS_PER_TOKEN) / count)
    const text = summary ?? joined.map((one) => shorten(oneLine(one.text), each)).join(' ')
    this.all[at] = remains(boundedSummary(text, room), 'summary')
    this.all = this.all.filter((one) => !joined.includes(one))
  }

  text(): string {
    const where =
      this.ref === undefined ? '' : `; read_result ${JSON.stringify(this.ref)} lists what was found`
    const dropped = this.dropped === 0 ? '' : `(${this.dropped} earlier lines left out${where})\n`
    const lines = this.all.map(({ text }) => `- ${text}\n`)
    return `Earlier in this conversation, in short:\n${dropped}${lines.join('')}`
  }

  private dropTo(room: number): void {
    this.dropLines('line', room * FOLDED_SHARE)
    this.shortenFailures(room * FOLDED_SHARE)
    this.dropLines('failure', room * FOLDED_SHARE)
  }

  /** Before the oldest errors go, each of them keeps its beginning and its end. */
  private shortenFailures(room: number): void {
    let tokens = this.all.reduce((sum, line) => sum + line.tokens, 0)
    this.all = this.all.map((line) => {
      if (line.worth !== 'failure' || tokens <= room) return line
      const short = remains(shortenFenced(line.text, SHORT_FAILURE), 'failure')
      tokens += short.tokens - line.tokens
      return short
    })
  }

  /** The oldest lines become a count. */
  private dropLines(worth: Worth, room: number): void {
    let tokens = this.all.reduce((sum, line) => sum + line.tokens, 0)
    this.all = this.all.filter((line) => {
      if (line.worth !== worth || tokens <= room) return true
      tokens -= line.tokens
      this.dropped++
      return false
    })
  }
}

function remains(text: string, worth: Worth): Remains {
  return { text, tokens: countTokens(text) + 3, worth }
}

/** A summary is short by order; one that is not must not fill the room that it was to make. */
function boundedSummary(summary: string, room: number): string {
  const most = summaryTokens(room)
  const tokens = countTokens(summary)
  if (tokens <= most) return summary
  const maxChars = Math.floor((summary.length * most) / tokens)
  return shortenMiddle(summary, maxChars, (leftOut) => `[${leftOutMark(leftOut, summary.length)}]`)
}

function summaryTokens(room: number): number {
  return Math.max(LEAST_SUMMARY, room * SUMMARY_SHARE)
}

const CHARS_PER_TOKEN = 4
/** In tokens. */
const LEAST_SUMMARY = 100
const SUMMARY_SHARE = 1 / 16

/** Of an error, where there is no room for all that errors said. */
const SHORT_FAILURE = 400
/** The part of a compacted conversation that lines may take. */
const FOLDED_SHARE = 0.5
