/** One frame of the live view: the tree, what models are writing, the status, and below them the open question. */
import type { Line } from '../views/line.ts'
import { progressLines } from '../views/progress.ts'
import { streamedText } from '../views/streamed-text.ts'
import { statusLine } from '../views/summary.ts'
import { type Lang, wordsOf } from '../views/words.ts'
import type { LiveParts } from './run-view.ts'

export type Drawn = Pick<LiveParts, 'state' | 'details' | 'streams' | 'retries'> & { maxDetailLines?: number }

export interface FrameOptions {
  lang: Lang
  /** Columns of the terminal; the last one stays free. */
  width: number
  maxLines: number
  nowMs: number
}

/** `sign` is the current frame of the spinner. */
export function frameLines(
  drawn: Drawn,
  question: readonly Line[],
  options: FrameOptions & { sign: string },
): Line[] {
  const { lang, nowMs, sign, width, maxLines } = options
  const status = statusLine(drawn.state, lang, nowMs, sign, width - 1)
  const run = runLines(drawn, { ...options, maxLines: maxLines - question.length - 2 })
  return [...run, [], status, ...question]
}

/** The tree, and below it what models are writing: the tree has at least half of the room, and gives away what it does not need. */
function runLines(drawn: Drawn, options: FrameOptions): Line[] {
  const { streams, state } = drawn
  const { maxLines } = options
  const whole = treeLines(drawn, options)
  if (streams === undefined) return whole
  const size = {
    width: options.width - 1,
    maxLines: Math.max(Math.floor(maxLines / 2), maxLines - whole.length) - 1,
  }
  const written = streamedText(state, streams, size)
  if (written.paths.size === 0) return whole
  const { writing } = wordsOf(options.lang)
  const below = { ...streams, of: (path: string) => (written.paths.has(path) ? writing : streams.of(path)) }
  const left = maxLines - written.lines.length - 1
  const tree = treeLines({ ...drawn, streams: below }, { ...options, maxLines: left })
  const { lines } = streamedText(state, streams, { ...size, maxLines: maxLines - tree.length - 1 })
  return [...tree, [], ...lines]
}

export function treeLines(
  { state, details, streams, retries, maxDetailLines }: Drawn,
  { lang, width, maxLines, nowMs }: FrameOptions,
): Line[] {
  return progressLines(state, {
    lang,
    details,
    width: width - 1,
    maxLines,
    nowMs,
    ...(streams && { incoming: streams.of }),
    ...(retries && { retrying: retries.of }),
    ...(maxDetailLines !== undefined && { maxDetailLines }),
  })
}
