import type { CommandRun } from '../command.ts'
import { run } from './run.ts'

const GOAL = 'compute ((3+4)*(8-6))-5 and (12-5)*(2+1)/3'
/** Fixed, so that a first run never costs money; slowed down to be watched. */
const MODEL = 'embedded:abacus#250'

/** `run` with the abacus, whatever is configured. */
export const demo: CommandRun = async (call) => {
  const { values, args, out } = call
  if (!out.json)
    out.print(
      'A demonstration: embedded:abacus is a calculator, it is not a language model; everything else is real.',
    )
  const code = await run({
    ...call,
    values: { ...values, model: MODEL, strategy: 'minimal' },
    args: [args[0] ?? GOAL],
  })
  if (!out.json && code === 0) out.print('\nNow try: npx thinkon show last, events last, replay last, help')
  return code
}
