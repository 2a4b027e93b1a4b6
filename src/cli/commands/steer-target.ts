/** skip and redo of something inside a block, such as a task of its plan: the strategy turns it into a signal. */
import { ROOT_PATH } from '../../protocol/index.ts'
import type { StrategyModule } from '../../strategies/strategy-module.ts'
import { type CommandCall, textOption } from '../command.ts'
import { badInput } from '../options.ts'
import { refuseEndedBlock, reportSignal, withBlock } from '../steering.ts'

export interface SteerTarget {
  readonly flag: string
  readonly name: string
  readonly strategy: StrategyModule
}

/** The target named by a strategy's flag; null if the block itself is meant. */
export function targetOf({ values, strategies }: CommandCall): SteerTarget | null {
  for (const strategy of strategies.values()) {
    for (const flag of Object.keys(strategy.targets ?? {})) {
      const name = textOption(values, flag)
      if (name !== undefined) return { flag, name, strategy }
    }
  }
  return null
}

export function signalTarget(
  call: CommandCall,
  act: 'skip' | 'redo',
  { flag, name, strategy }: SteerTarget,
): Promise<number> {
  if (call.values.resume === true)
    throw badInput(`--resume is for redoing a block, not for --${flag}: the run is not forked`)
  const message = textOption(call.values, 'message') ?? ''
  const [run = '', path = ROOT_PATH] = call.args
  return withBlock({ ...call, args: [run, path] }, async (target) => {
    const { session, row, state, block } = target
    const { steer } = (await strategy.view?.()) ?? {}
    if (steer === undefined) throw badInput(`${strategy.name} has nothing to steer by --${flag}`)
    // For an ended run, the strategy knows what can still be done.
    if (state.outcome === null) refuseEndedBlock(target)
    const journal = [...(await session.engine.events(row.id))]
    const about = { path: block.path, state, journal, hint: session.hint, lang: target.lang }
    const request = { act, target: name, message, ...about }
    const { path: to = block.path, name: signal, value, notice } = steer(request)
    await session.engine.signal(row.id, to, signal, value)
    reportSignal(call, { ...target, block: state.blocks.get(to) ?? block }, signal, value, notice)
    return 0
  })
}
