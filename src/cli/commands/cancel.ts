import type { RunOutcome } from '../../engine.ts'
import { type BlockState, ROOT_PATH } from '../../protocol/index.ts'
import { type CommandRun, textOption } from '../command.ts'
import { commandWords } from '../command-words.ts'
import { badInput } from '../options.ts'
import { langFor, withRun } from '../session.ts'
import { reportSignal } from '../steering.ts'

export const cancel: CommandRun = (call) => {
  const { values, args, out } = call
  return withRun(values, args[0] as string, async (session, row) => {
    const { engine, hint } = session
    const state = await engine.outline(row.id)
    const lang = langFor(values, session, state.goal)
    const words = commandWords(lang)
    if (state.outcome !== null) throw badInput(words.hasEnded(row.id, state.outcome.status))
    const message = textOption(values, 'message') ?? ''
    await engine.signal(row.id, ROOT_PATH, 'cancel', message)
    if (row.owned) {
      const block = state.blocks.get(ROOT_PATH) as BlockState
      reportSignal(call, { session, row, state, block, lang }, 'cancel', message, words.cancelSent(row.id))
      return 0
    }
    // No process works on it, so it is resumed to end it: a signal takes effect before any step.
    const outcome: RunOutcome = await (await engine.resume(row.id)).outcome
    if (out.json) out.data({ type: 'outcome', ...outcome })
    else out.print(words.cancelled(row.id, hint(`show ${row.id}`)))
    return 0
  })
}
