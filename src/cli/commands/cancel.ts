import type { RunOutcome } from '../../engine.ts'
import { type BlockState, ROOT_PATH } from '../../protocol/index.ts'
import { type CommandRun, textOption } from '../command.ts'
import { badInput } from '../options.ts'
import { withRun } from '../session.ts'
import { reportSignal } from '../steering.ts'

export const cancel: CommandRun = (call) => {
  const { values, args, out } = call
  return withRun(values, args[0] as string, async (session, row) => {
    const { engine, hint } = session
    const state = await engine.outline(row.id)
    if (state.outcome !== null) throw badInput(`run ${row.id} has ended already (${state.outcome.status})`)
    const message = textOption(values, 'message') ?? ''
    await engine.signal(row.id, ROOT_PATH, 'cancel', message)
    if (row.owned) {
      const block = state.blocks.get(ROOT_PATH) as BlockState
      reportSignal(
        call,
        { session, row, state, block },
        'cancel',
        message,
        `cancel sent: run ${row.id} ends with what it has`,
      )
      return 0
    }
    // No process works on it, so it is resumed to end it: a signal takes effect before any step.
    const outcome: RunOutcome = await (await engine.resume(row.id)).outcome
    if (out.json) out.data({ type: 'outcome', ...outcome })
    else out.print(`run ${row.id} is cancelled; see: ${hint(`show ${row.id}`)}`)
    return 0
  })
}
