/**
 * The run as a tree that redraws itself. Loaded only on a terminal. A frame is drawn from the folded state a few times a
 * second, and the screen is released before anything else is printed.
 */
import type { FolderWritten } from '../protocol/index.ts'
import { openQuestions } from '../views/questions.ts'
import { summaryLine } from '../views/summary.ts'
import { wrapProse } from '../views/text-width.ts'
import type { Lang } from '../views/words.ts'
import { type FrameOptions, frameLines, treeLines } from './frame.ts'
import type { Key } from './keys.ts'
import type { Output } from './output.ts'
import { personDesk } from './person/desk.ts'
import { createPrompt } from './prompt.ts'
import {
  changesLine,
  folderLine,
  type LiveParts,
  openingLine,
  outageLines,
  type RunView,
  shownAnswer,
  stoppedLine,
  type ViewParts,
} from './run-view.ts'
import { type Terminal, takeTerminal } from './terminal.ts'

const FRAME_MS = 120
const OPEN_MS = 200
const SPINNER = ['⠋', '⠙', '⠹', '⠸', '⠼', '⠴', '⠦', '⠧', '⠇', '⠏']
/** Size of the tree that stays on the screen when the run has ended. */
const FINAL_LINES = 60
const FINAL_DETAIL_LINES = 20

export function liveView(parts: ViewParts, live: LiveParts): RunView {
  const { out, lang, below } = parts
  let screen: Screen | null = null
  const folders: FolderWritten[] = []
  return {
    changed: (changes) => out.remark(changesLine(parts, changes)),
    opened(state, first) {
      if (below === undefined) out.print(openingLine(parts, state, first))
      screen = openScreen(parts, live)
    },
    event() {},
    retry() {},
    folder: (written) => void folders.push(written),
    asked() {},
    async ended(outcome, state) {
      const drawn = { state, details: live.details, maxDetailLines: FINAL_DETAIL_LINES }
      out.printLines(treeLines(drawn, sizeOf(out, lang, FINAL_LINES)))
      if (below !== undefined) return
      out.printLines([[], summaryLine(state, lang)])
      for (const written of folders) out.print(folderLine(written, lang))
      const answer = shownAnswer(outcome, lang)
      if (answer !== '') out.print(`\n${wrapProse(answer, out.width() - 1)}`)
    },
    async waiting(run, outage) {
      const { state, details } = live
      out.printLines(treeLines({ state, details }, sizeOf(out, lang, out.rows() - 6)))
      out.remark(outageLines(parts, run, outage, state))
    },
    async stopped(run, why) {
      const { state, details } = live
      out.printLines(treeLines({ state, details }, sizeOf(out, lang, out.rows() - 4)))
      out.remark(stoppedLine(parts, run, why))
    },
    async close() {
      screen?.close()
      screen = null
    },
  }
}

export interface Screen {
  close(): void
}

/** Draws until it is closed. Reads the keyboard, if there is one, for answers and Ctrl-C. */
export function openScreen(
  { out, lang, yes, below = [] }: Pick<ViewParts, 'out' | 'lang' | 'yes' | 'below'>,
  live: LiveParts,
): Screen {
  // If the goal was read from stdin, stdin has ended; Ctrl-C must then stay with the system.
  const keyboard = process.stdin.isTTY === true && !process.stdin.readableEnded
  const prompt = createPrompt(lang, keyboard)
  let frame = 0
  let terminal: Terminal | null = null
  let timer: NodeJS.Timeout
  let isClosed = false
  /** A person who is the model answers below the run's screen, where all of the request can be read. */
  const desk = personDesk({
    lang,
    live,
    begin() {
      clearInterval(timer)
      terminal?.close()
      terminal = null
    },
    end() {
      if (!isClosed) open()
    },
  })

  const onKey = (key: Key) => {
    if (key.name === 'interrupt') return live.stop()
    const asking = questionHere()
    if (asking === undefined) return
    const picked = prompt.press(asking, key)
    if (picked !== undefined) live.answer(asking, picked.value)
    draw()
  }
  const questionHere = () => {
    for (const asking of openQuestions(live.state))
      if (!desk.isAnswered(asking) && (!yes || asking.request !== undefined)) return asking
    return undefined
  }
  const draw = () => {
    const asking = questionHere()
    if (keyboard && asking !== undefined && desk.take(asking)) return
    // The tree keeps a third of the rows; status and choices need a few.
    const maxQuestionLines = Math.max(3, Math.floor((out.rows() * 2) / 3) - 7)
    const asked = prompt.show(asking, live.state, { width: out.width() - 1, maxLines: maxQuestionLines })
    const sign = SPINNER[frame++ % SPINNER.length] as string
    // A low terminal has room for the run alone.
    const above = below.length * 2 < out.rows() ? below : []
    const room = sizeOf(out, lang, out.rows() - above.length)
    const lines = [...above, ...frameLines(live, asked.lines, { ...room, sign })]
    terminal?.draw(lines.map(out.paint), asked.cursor)
  }
  const open = () => {
    terminal = takeTerminal({ onKey: keyboard ? onKey : null, onCleared: draw, onLost: live.stop })
    draw()
    timer = setInterval(draw, FRAME_MS)
  }
  // A run that is over at once does not make the screen flash.
  timer = setTimeout(open, OPEN_MS)
  return {
    close() {
      isClosed = true
      desk.close()
      clearInterval(timer)
      terminal?.close()
      terminal = null
    },
  }
}

function sizeOf(out: Output, lang: Lang, maxLines: number): FrameOptions {
  return { lang, width: out.width(), maxLines, nowMs: Date.now() }
}
