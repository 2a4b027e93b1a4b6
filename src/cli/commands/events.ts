import type { Event, EventOf } from '../../protocol/index.ts'
import { viewsOf } from '../../strategies/registry.ts'
import type { StrategyViews } from '../../views/block-views.ts'
import { eventLine } from '../../views/event-line.ts'
import type { Line } from '../../views/line.ts'
import type { Lang } from '../../views/words.ts'
import { type CommandRun, textOption } from '../command.ts'
import { commandWords } from '../command-words.ts'
import { followEvents } from '../follow-events.ts'
import { badInput, wholeNumber } from '../options.ts'
import type { Output } from '../output.ts'
import { langFor, withRun } from '../session.ts'

/** In a pipe a line may be long: it is searched rather than read. */
const PIPE_WIDTH = 500

/** So often it is looked whether anybody still reads. */
const EVENTS_PER_TURN = 64

export const events: CommandRun = async ({ values, args, out }) => {
  const given = textOption(values, 'from')
  const from = given === undefined ? 1 : wholeNumber('--from', given, 1)
  return withRun(values, args[0] as string, async (session, { id, seq, goal }) => {
    const { engine, strategies } = session
    const lang = langFor(values, session, goal)
    if (from > seq && values.follow !== true) {
      throw badInput(commandWords(lang).pastEvents(id, seq, from))
    }
    let closed = false
    out.onClosed(() => {
      closed = true
    })
    const print =
      values.messages === true ? messagePrinter(out, await viewsOf(strategies)) : eventPrinter(out, lang)
    const isClosed = () => closed
    const source =
      values.follow === true ? followEvents(engine, id, from, isClosed) : await engine.events(id, from)
    let printed = 0
    for await (const event of source) {
      print(event)
      if (++printed % EVENTS_PER_TURN === 0) await out.turn()
      if (isClosed()) break
    }
    return 0
  })
}

const widthOf = (out: Output) => (out.live ? out.width() : PIPE_WIDTH)

function eventPrinter(out: Output, lang: Lang): (event: Event) => void {
  return (event) => {
    if (out.json) out.data(event)
    else out.printLines([eventLine(event, widthOf(out), lang)])
  }
}

function messagePrinter(out: Output, views: StrategyViews): (event: Event) => void {
  return (event) => {
    if (event.type !== 'note') return
    const line = messageLine(event, views, widthOf(out))
    if (line === null) return
    if (out.json) out.data(event.data)
    else out.printLines([line])
  }
}

/** The event as a message between agents, if a strategy says that it is one. */
function messageLine(event: EventOf<'note'>, views: StrategyViews, width: number): Line | null {
  for (const { message } of views.values()) {
    const line = message?.(event, width) ?? null
    if (line !== null) return line
  }
  return null
}
