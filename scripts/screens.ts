// Draws the screens of docs/terminal.md: frames of the live view of real runs, by a clock that the picture sets, at 60, 100 and 200
// columns, in English and Chinese. `npm run screens` writes docs/images/terminal-*.svg; the gate compares them (screens.test.ts).
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { frameLines } from '../src/cli/frame.ts'
import { createPrompt } from '../src/cli/prompt.ts'
import { createEngine, type Model } from '../src/index.ts'
import { emptyState, foldEvent } from '../src/protocol/index.ts'
import { SHIPPED_VIEWS } from '../src/strategies/shipped-views.ts'
import { manualClock } from '../src/testing/index.ts'
import { createDetails } from '../src/views/details.ts'
import type { Line } from '../src/views/line.ts'
import { openQuestions } from '../src/views/questions.ts'
import { createStreams } from '../src/views/streams.ts'
import type { Lang } from '../src/views/words.ts'
import { type Story, storyOf } from './screen-stories.ts'
import { terminalSvg } from './terminal-svg.ts'

export const FOLDER = join(import.meta.dirname, '../docs/images')

interface Shot {
  name: string
  lang: Lang
  columns: number
  rows: number
}

const SHOTS: readonly Shot[] = [
  { name: 'terminal-60', lang: 'en', columns: 60, rows: 28 },
  { name: 'terminal-100', lang: 'en', columns: 100, rows: 26 },
  { name: 'terminal-200', lang: 'en', columns: 200, rows: 26 },
  { name: 'terminal-60-zh', lang: 'zh', columns: 60, rows: 28 },
  { name: 'terminal-100-zh', lang: 'zh', columns: 100, rows: 26 },
]

/** When the pictures are taken: one part is written, one is being written, one asks. */
const AT_MS = 9_000

/** The pictures by their file names. */
export async function drawScreens(): Promise<Map<string, string>> {
  const drawn = new Map<string, string>()
  for (const shot of SHOTS) drawn.set(`${shot.name}.svg`, terminalSvg(await frameOf(shot), shot.columns))
  return drawn
}

async function frameOf({ lang, columns, rows }: Shot): Promise<Line[]> {
  const clock = manualClock(Date.UTC(2026, 10, 16, 9, 30))
  const story = storyOf(lang)
  const streams = createStreams(SHIPPED_VIEWS)
  const details = createDetails(SHIPPED_VIEWS)
  const state = emptyState()
  const engine = createEngine({ model: writer(story, clock), clock })
  await engine.start(story.goal, {
    id: '261116-lighthouse',
    strategy: 'minimal',
    onEvent(event) {
      if (event.type === 'text-delta') return streams.add(event)
      if (!('seq' in event)) return
      foldEvent(state, event)
      streams.follow(event)
      details.follow(event)
    },
  })
  await clock.advance(AT_MS)
  const [asking] = openQuestions(state)
  const prompt = createPrompt(lang, true)
  const { lines: question } = prompt.show(asking, state, { width: columns - 1, maxLines: rows })
  const options = { lang, width: columns, maxLines: rows, nowMs: clock.nowMs(), sign: '⠹' }
  const lines = frameLines({ state, details, streams }, question, options)
  await engine.close()
  return lines
}

/** Writes its replies piece by piece, as models do. */
function writer(story: Story, clock: ReturnType<typeof manualClock>): Model {
  return {
    id: 'openai:gpt-6.1-terra',
    async call(request, io) {
      const value = story.reply(request.input as Parameters<Story['reply']>[0])
      const text = JSON.stringify(value)
      for (let at = 0; at < text.length; at += story.pieceChars) {
        await new Promise<void>((resolve) => clock.after(100, resolve))
        io.onDelta(text.slice(at, at + story.pieceChars))
      }
      const outputTokens = Math.ceil(text.length / story.charsPerToken)
      return {
        text,
        value,
        usage: { inputTokens: 612, outputTokens, costUsd: 0.0009 + outputTokens * 0.00001 },
      }
    },
  }
}

if (import.meta.main) {
  for (const [name, svg] of await drawScreens()) writeFileSync(join(FOLDER, name), svg)
  await import('./picture.ts')
  await import('./studio-screens.ts')
}
