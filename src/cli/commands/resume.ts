import type { Missing } from '../../kernel/durable.ts'
import { cannotResume } from '../../kernel/missing-parts.ts'
import { EXIT_CODES, printedResult, ThinkonError } from '../../protocol/index.ts'
import type { CommandRun, Values } from '../command.ts'
import { commandWords } from '../command-words.ts'
import { driveRun } from '../drive-run.ts'
import { budgetOptions } from '../options.ts'
import type { Output } from '../output.ts'
import { shownAnswer } from '../run-view.ts'
import { langFor, openSessionFor, openSessionWithoutModel, type Session, withRun } from '../session.ts'
import { readSetting, trustOptions } from '../setting.ts'
import { ensureOwnRun, type FoundRun } from '../trust/own-runs.ts'

export const resume: CommandRun = async ({ values, args, out }) => {
  const known = await withRun(values, args[0] as string, async (session, { id }) => {
    const { engine, hint } = session
    const { goal, outcome, roles, config } = await engine.outline(id)
    const lang = langFor(values, session, goal)
    const fork = hint(`fork ${id} --at <seq> --resume`)
    const origin = await engine.origin(id)
    return { id, lang, outcome, roles, config, origin, show: hint(`show ${id}`), fork }
  })
  const { id, lang, outcome, roles, show, fork } = known
  const words = commandWords(lang)
  if (outcome === null)
    return withWorkSession(values, known, (session) => resumeRun(values, session, id, out))
  out.remark(words.hasEnded(id, outcome.status, show))
  if (Object.keys(budgetOptions(values)).length > 0) out.remark(words.noMore(fork))
  if (out.json) out.data({ type: 'outcome', ...outcome, roles, run: id })
  else if (printedResult(outcome) !== '') out.print(shownAnswer(outcome, lang))
  return EXIT_CODES[outcome.status]
}

/** Resumes a run in this process. */
export async function resumeRun(values: Values, session: Session, id: string, out: Output): Promise<number> {
  const { goal } = await session.engine.outline(id)
  return driveRun({
    out,
    session,
    lang: langFor(values, session, goal),
    yes: values.yes === true,
    quiet: values.quiet === true,
    resumes: id,
    begin: (listening) =>
      session.engine.resume(id, {
        ...listening,
        strict: values.strict === true,
        budget: budgetOptions(values),
        follow: false,
      }),
  })
}

/** Opens the engine to work on run `id`, with the model it was started with, and always closes it. Throws UNTRUSTED. */
export async function withWorkSession<T>(
  values: Values,
  found: FoundRun,
  use: (session: Session) => Promise<T>,
): Promise<T> {
  const { id, config } = found
  const { model: recorded } = config
  const { cluster } = await readSetting(values)
  // Whoever attaches to a run of a cluster executes nothing of it.
  if (cluster === null) await ensureOwnRun(found, trustOptions(values))
  const session = await openSessionFor(values, recorded)
  try {
    return await use(session)
  } catch (thrown) {
    const isRecorded = values.model === undefined && recorded !== undefined
    throw isRecorded && isNoModel(thrown) ? await withoutModel(values, id, recorded, thrown) : thrown
  } finally {
    await session.engine.close()
  }
}

/** A run that a program started may name a model that only that program has: what else is missing is said with it. */
async function withoutModel(
  values: Values,
  id: string,
  recorded: string,
  { message, data }: ThinkonError,
): Promise<ThinkonError> {
  if (data.missing !== undefined) return new ThinkonError('NO_MODEL', message, { data })
  const session = await openSessionWithoutModel(values)
  try {
    const others = await session.engine.check(id).then(() => [], missingOf)
    return cannotResume(id, [...others, { code: 'NO_MODEL', what: `the model "${recorded}" (${message})` }])
  } finally {
    await session.engine.close()
  }
}

function missingOf(thrown: unknown): Missing[] {
  if (ThinkonError.isInstance(thrown) && Array.isArray(thrown.data.missing)) return thrown.data.missing
  throw thrown
}

function isNoModel(thrown: unknown): thrown is ThinkonError {
  return ThinkonError.isInstance(thrown) && thrown.code === 'NO_MODEL'
}
