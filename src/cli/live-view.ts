/**
 * The run as a tree that redraws itself, with Ink. Loaded only on a terminal. All state is outside React: a frame is
 * drawn from the folded state a few times a second, and the screen is released before anything else is printed.
 */
import { Box, type Key, render, Text, useInput } from 'ink'
import { createElement } from 'react'
import { cleanText, type FolderWritten, type OpenQuestion, type RunState } from '../protocol/index.ts'
import { type Line, segment } from '../views/line.ts'
import { progressLines, questionText } from '../views/progress.ts'
import { statusLine, summaryLine } from '../views/summary.ts'
import { cleanLine, fitText, wrapText } from '../views/text-width.ts'
import type { Lang } from '../views/words.ts'
import type { Output } from './output.ts'
import { longQuestion, openQuestions, pickChoice } from './questions.ts'
import {
  changesLine,
  folderLine,
  type LiveParts,
  openingLine,
  outageLines,
  type RunView,
  stoppedLine,
  type ViewParts,
} from './run-view.ts'

const FRAME_MS = 120
const SPINNER = ['⠋', '⠙', '⠹', '⠸', '⠼', '⠴', '⠦', '⠧', '⠇', '⠏']
/** Size of the tree that stays on the screen when the run has ended. */
const FINAL_LINES = 60
const FINAL_DETAIL_LINES = 20

export function liveView(parts: ViewParts, live: LiveParts): RunView {
  const { out, lang } = parts
  let screen: Screen | null = null
  const folders: FolderWritten[] = []
  return {
    changed: (changes) => out.remark(changesLine(changes)),
    opened(state, first) {
      out.print(openingLine(parts, state, first))
      screen = openScreen(parts, live)
    },
    event() {},
    retry() {},
    folder: (written) => void folders.push(written),
    asked() {},
    async ended(outcome, state) {
      const drawn = { state, details: live.details, maxDetailLines: FINAL_DETAIL_LINES }
      out.printLines(treeLines(drawn, out, lang, FINAL_LINES))
      out.printLines([[], summaryLine(state, lang)])
      for (const written of folders) out.print(folderLine(written))
      if (outcome.result !== '') out.print(`\n${outcome.result}`)
    },
    async waiting(run, outage) {
      const { state, details } = live
      out.printLines(treeLines({ state, details }, out, lang, out.rows() - 6))
      out.remark(outageLines(parts, run, outage, state))
    },
    async stopped(run, why) {
      const { state, details } = live
      out.printLines(treeLines({ state, details }, out, lang, out.rows() - 4))
      out.remark(stoppedLine(parts, run, why))
    },
    async close() {
      await screen?.close()
      screen = null
    },
  }
}

export interface Screen {
  close(): Promise<void>
}

/** Draws until it is closed. Reads the keyboard, if there is one, for answers and Ctrl-C. */
export function openScreen(
  { out, lang, yes }: Pick<ViewParts, 'out' | 'lang' | 'yes'>,
  live: LiveParts,
): Screen {
  // If the goal was read from stdin, stdin has ended; Ctrl-C must then stay with the system.
  const keyboard = process.stdin.isTTY === true && !process.stdin.readableEnded
  const draft = { key: '', text: '', refused: '' }
  let frame = 0

  const onKey = (input: string, key: Key) => {
    if (key.ctrl && input === 'c') return live.stop()
    const asking = yes ? undefined : firstQuestion(live.state)
    if (asking === undefined) return
    draft.refused = ''
    draft.text = editedText(draft.text, input, key)
    if (key.return || /[\r\n]/.test(input)) submit(asking)
    draw()
  }
  const submit = ([path, open]: [string, OpenQuestion]) => {
    const picked = pickChoice(open, draft.text)
    if (picked === undefined) draft.refused = draft.text
    else live.answer(path, open, picked)
    draft.text = ''
  }
  const lines = (): string[] => {
    const asking = yes ? undefined : firstQuestion(live.state)
    const key = asking === undefined ? '' : `${asking[0]} ${asking[1].n}`
    if (key !== draft.key) Object.assign(draft, { key, text: '', refused: '' })
    // The tree keeps a third of the rows; status and choices need a few.
    const maxQuestionLines = Math.max(3, Math.floor((out.rows() * 2) / 3) - 7)
    const below =
      asking === undefined
        ? []
        : questionLines(asking, live.state, draft, keyboard, out.width(), maxQuestionLines)
    const status = statusLine(live.state, lang, Date.now(), SPINNER[frame++ % SPINNER.length] as string)
    // One row stays free: a frame that fills the terminal makes it scroll.
    const room = out.rows() - below.length - 3
    return [...treeLines(live, out, lang, room), [], status, ...below].map(out.paint)
  }
  const frameOf = (shown: readonly string[]) => createElement(Frame, { lines: shown, keyboard, onKey })
  const instance = render(frameOf(lines()), { exitOnCtrlC: false, patchConsole: false })
  const draw = () => instance.rerender(frameOf(lines()))
  const timer = setInterval(draw, FRAME_MS)
  return {
    async close() {
      clearInterval(timer)
      instance.rerender(frameOf([]))
      await instance.waitUntilRenderFlush()
      instance.unmount()
      await instance.waitUntilExit()
    },
  }
}

function editedText(text: string, input: string, key: Key): string {
  if (key.backspace || key.delete) return [...text].slice(0, -1).join('')
  if (key.ctrl) return input === 'u' ? '' : text
  return text + cleanText(input.replace(/[\r\n]/g, ''))
}

function questionLines(
  [path, open]: [string, OpenQuestion],
  state: RunState,
  draft: { text: string; refused: string },
  keyboard: boolean,
  width: number,
  maxLines: number,
): Line[] {
  const { question, name } = open
  const text = question === undefined ? questionText(question, name) : cleanLine(question.text)
  const questions = [...openQuestions(state)].length
  const more = questions > 1 ? ` (1/${questions})` : ''
  const choices = (question?.choices ?? [])
    .map((choice, i) => `${i + 1} ${cleanLine(choice, 60)}`)
    .join('   ')
  const fallback = question?.fallback === undefined ? '' : `   ⏎ ${cleanLine(question.fallback, 60)}`
  const long = longQuestion(open)
  const head = long[0] === undefined ? text : long[0]
  const lines: Line[] = [[], [segment(fitText(`${path} ${head}${more}`, width - 1), 'ask')]]
  const rows = long.slice(1).flatMap((line) => wrapText(line, width - 1))
  for (const row of cutMiddle(rows, maxLines)) lines.push([segment(row)])
  if (choices !== '' || fallback !== '')
    lines.push([segment(fitText(`  ${choices}${fallback}`, width - 1), 'strong')])
  if (draft.refused !== '') lines.push([segment(fitText(`  “${draft.refused}”?`, width - 1), 'bad')])
  lines.push(
    keyboard
      ? [segment('› ', 'ask'), segment(`${tail(draft.text, width - 5)}▏`)]
      : [segment(`  thinkon answer ${state.run} ${path} …`, 'dim')],
  )
  return lines
}

/** Cuts the middle because the end of a long question may be the part that matters. */
function cutMiddle(lines: readonly string[], maxLines: number): string[] {
  if (lines.length <= maxLines) return [...lines]
  const head = Math.ceil((maxLines - 1) / 2)
  const leftOut = lines.length - maxLines + 1
  return [
    ...lines.slice(0, head),
    `  [… ${leftOut} more lines, see thinkon show …]`,
    ...lines.slice(head + leftOut),
  ]
}

interface FrameProps {
  lines: readonly string[]
  keyboard: boolean
  onKey: (input: string, key: Key) => void
}

function Frame({ lines, keyboard, onKey }: FrameProps) {
  useInput(onKey, { isActive: keyboard })
  const rows = lines.map((line, i) =>
    createElement(Text, { key: i, wrap: 'truncate' }, line === '' ? ' ' : line),
  )
  return createElement(Box, { flexDirection: 'column' }, ...rows)
}

type Drawn = Pick<LiveParts, 'state' | 'details' | 'streams' | 'retries'> & { maxDetailLines?: number }

function treeLines(
  { state, details, streams, retries, maxDetailLines }: Drawn,
  out: Output,
  lang: Lang,
  maxLines: number,
): Line[] {
  return progressLines(state, {
    lang,
    details,
    width: out.width() - 1,
    maxLines,
    nowMs: Date.now(),
    ...(streams && { incoming: streams.of }),
    ...(retries && { retrying: retries.of }),
    ...(maxDetailLines !== undefined && { maxDetailLines }),
  })
}

function firstQuestion(state: RunState): [string, OpenQuestion] | undefined {
  for (const asking of openQuestions(state)) return asking
  return undefined
}

function tail(text: string, length: number): string {
  return text.length > length ? `…${text.slice(-length)}` : text
}
