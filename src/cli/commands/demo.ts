import { DEFAULT_MODEL } from '../../models/open-model.ts'
import type { CommandRun } from '../command.ts'
import { run } from './run.ts'

const GOAL = 'show how a goal is worked out'

/** The run command on the scripted model, whatever is configured. */
export const demo: CommandRun = async ({ name, values, args, out }) => {
  if (!out.json)
    out.print('A demonstration: the model is a script, not a language model. Everything else is real.')
  const code = await run({
    name,
    values: { ...values, model: DEFAULT_MODEL, strategy: 'minimal' },
    args: [args[0] ?? GOAL],
    out,
  })
  if (!out.json && code === 0)
    out.print('\nNow try: thinkon show last · thinkon events last · thinkon replay last · thinkon help')
  return code
}
