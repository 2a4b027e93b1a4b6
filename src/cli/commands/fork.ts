import { type CommandRun, textOption } from '../command.ts'
import { badInput, jsonObject, wholeNumber } from '../options.ts'
import { withRun } from '../session.ts'
import { resumeRun } from './resume.ts'

export const fork: CommandRun = async ({ values, args, out }) => {
  const atText = textOption(values, 'at')
  if (atText === undefined)
    throw badInput('thinkon fork needs --at <seq>: the last event that is shared (thinkon events)')
  const asked = wholeNumber('--at', atText, 1)
  const withText = textOption(values, 'with')
  const edit = withText === undefined ? undefined : jsonObject('--with', withText)
  const made = await withRun(values, args[0] as string, async ({ engine, hint }, { id }) => {
    const run = await engine.fork(id, asked, edit)
    // The engine may fork one event earlier, if the given event belongs with the next one.
    const at = (await engine.state(run)).fork?.at ?? asked
    if (out.json) out.data({ type: 'fork', run, from: id, at, edited: edit !== undefined })
    else if (values.quiet !== true) {
      out.print(
        `run ${run} shares events 1 to ${at} of ${id}${edit === undefined ? '' : `, with event ${at} edited`}`,
      )
      out.print('files and other side effects are not rolled back')
      if (values.resume !== true) out.print(`resume with: ${hint(`resume ${run}`)}`)
    }
    return run
  })
  return values.resume === true ? resumeRun(values, made, out) : 0
}
