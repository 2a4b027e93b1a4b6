/** skip and message: signals to a block that has not ended. */
import { ROOT_PATH } from '../../protocol/index.ts'
import { type CommandRun, textOption } from '../command.ts'
import { commandWords } from '../command-words.ts'
import { badInput } from '../options.ts'
import { refuseEndedBlock, refuseEndedRun, reportSignal, withBlock } from '../steering.ts'
import { signalTarget, targetOf } from './steer-target.ts'

export const skip: CommandRun = (call) => {
  const inside = targetOf(call)
  if (inside !== null) return signalTarget(call, 'skip', inside)
  return withBlock(call, async (target) => {
    refuseEndedRun(target)
    refuseEndedBlock(target)
    const { session, row, block } = target
    const message = textOption(call.values, 'message') ?? ''
    await session.engine.signal(row.id, block.path, 'skip', message)
    const parent = block.path === ROOT_PATH ? null : block.parent
    reportSignal(call, target, 'skip', message, commandWords(target.lang).skipSent(block.path, parent))
    return 0
  })
}

export const message: CommandRun = (call) => {
  const text = textOption(call.values, 'message') ?? call.args[2] ?? ''
  if (text.trim() === '') throw badInput('thinkon message needs a text: --message "…"')
  return withBlock(call, async (target) => {
    refuseEndedRun(target)
    refuseEndedBlock(target)
    const { session, row, block } = target
    await session.engine.signal(row.id, block.path, 'message', text)
    reportSignal(call, target, 'message', text, commandWords(target.lang).messageSent(block.path))
    return 0
  })
}
