import { DEFAULT_MODEL } from '../../models/open-model.ts'
import type { CommandRun } from '../command.ts'
import { run } from './run.ts'

const GOAL = 'show how a goal is worked out'

/** The run command on the scripted model, whatever is configured. */
export const demo: CommandRun = async ({ name, values, args, out }) => {
  if (!out.json) out.print('A demonstration on a scripted model, not a language model; all else is real.')
  const code = await run({
    name,
    values: { ...values, model: DEFAULT_MODEL, strategy: 'minimal' },
    args: [args[0] ?? GOAL],
    out,
  })
  if (!out.json && code === 0) out.print('\nNow try: npx thinkon show last, events last, replay last, help')
  return code
}
