import { type CommandCall, type CommandRun, textOption } from '../command.ts'
import { commandWords } from '../command-words.ts'
import { jsonOrFile } from '../json-or-file.ts'
import { badInput, budgetOptions, refuseRaise, wholeNumber } from '../options.ts'
import { runWords } from '../run-words.ts'
import { langFor, type Session, withRun } from '../session.ts'
import { resumeRun, withWorkSession } from './resume.ts'

const EXAMPLE = '{"value": …}'

interface Asked {
  readonly id: string
  readonly at: number
  readonly edit: Record<string, unknown> | undefined
}

export const fork: CommandRun = async (call) => {
  const { values, args, out } = call
  const atText = textOption(values, 'at')
  if (atText === undefined)
    throw badInput('thinkon fork needs --at <seq>: the last event that is shared (thinkon events)')
  const at = wholeNumber('--at', atText, 1)
  const withText = textOption(values, 'with')
  const edit =
    withText === undefined ? undefined : await jsonOrFile('--with', withText, 'the JSON of an edit', EXAMPLE)
  if (values.resume !== true) {
    refuseRaise(values)
    await withRun(values, args[0] as string, (session, { id }) => makeFork(call, session, { id, at, edit }))
    return 0
  }
  const source = await withRun(values, args[0] as string, async ({ engine }, { id }) => {
    const { config } = await engine.outline(id)
    return { id, config, origin: await engine.origin(id) }
  })
  const { id } = source
  return withWorkSession(values, source, async (session) => {
    const made = await makeFork(call, session, { id, at, edit })
    return resumeRun(values, session, made, out)
  })
}

async function makeFork(
  { values, out }: CommandCall,
  session: Session,
  { id, at: asked, edit }: Asked,
): Promise<string> {
  const { engine, hint } = session
  const resumes = values.resume === true
  const run = await engine.fork(id, asked, edit, {
    toResume: resumes,
    strict: resumes && values.strict === true,
    budget: budgetOptions(values),
  })
  // The engine may fork one event earlier, if the given event belongs with the next one.
  const [last] = [...(await engine.events(run, asked))].slice(-1)
  const at = last?.type === 'run-fork' ? last.at : asked
  if (out.json) out.data({ type: 'fork', run, from: id, at, edited: edit !== undefined })
  else if (values.quiet !== true) {
    const lang = langFor(values, session, (await engine.outline(run)).goal)
    const words = commandWords(lang)
    out.print(words.fork(run, at, id, edit !== undefined))
    out.print(words.notRolledBack)
    if (!resumes) out.print(runWords(lang).resumeWith(hint(`resume ${run}`)))
  }
  return run
}
