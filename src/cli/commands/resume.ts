import { EXIT_CODES, ThinkonError } from '../../protocol/index.ts'
import { langOf } from '../../views/words.ts'
import type { CommandRun, Values } from '../command.ts'
import { driveRun } from '../drive-run.ts'
import { langOption } from '../options.ts'
import type { Output } from '../output.ts'
import { openSession, withRun } from '../session.ts'

export const resume: CommandRun = async ({ values, args, out }) => {
  const known = await withRun(values, args[0] as string, async ({ engine, hint }, { id }) => {
    const { outcome, roles } = await engine.state(id)
    return { id, outcome, roles, show: hint(`show ${id}`) }
  })
  const { id, outcome, roles, show } = known
  if (outcome === null) return resumeRun(values, id, out)
  out.remark(`run ${id} has ended already (${outcome.status}): ${show}`)
  if (out.json) out.data({ type: 'outcome', ...outcome, roles, run: id })
  else if (outcome.result !== '') out.print(outcome.result)
  return EXIT_CODES[outcome.status]
}

/** Resumes a run in this process, with the model it was started with. */
export async function resumeRun(values: Values, id: string, out: Output): Promise<number> {
  const { config, goal, seq } = await withRun(values, id, ({ engine }) => engine.state(id))
  const session = await openSession(values, config.model)
  try {
    return await driveRun({
      out,
      session,
      lang: langOption(values) ?? langOf(goal),
      yes: values.yes === true,
      quiet: values.quiet === true,
      knownSeq: seq,
      begin: (onEvent) => session.engine.resume(id, { onEvent }),
    })
  } catch (thrown) {
    throw withAdvice(thrown, values)
  } finally {
    await session.engine.close()
  }
}

/** A run started by a program may name a model that only that program has. */
function withAdvice(thrown: unknown, values: Values): unknown {
  if (!ThinkonError.isInstance(thrown) || thrown.code !== 'NO_MODEL' || values.model !== undefined)
    return thrown
  return new ThinkonError(
    'NO_MODEL',
    `${thrown.message}; the run was started with it: choose another with --model`,
    {
      data: thrown.data,
    },
  )
}
