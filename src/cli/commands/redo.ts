import { attemptOf, attemptPath, type BlockState, ROOT_PATH, type RunState } from '../../protocol/index.ts'
import { type CommandCall, type CommandRun, textOption } from '../command.ts'
import { commandWords } from '../command-words.ts'
import { badInput, budgetOptions, refuseRaise } from '../options.ts'
import { runWords } from '../run-words.ts'
import { langFor, type Session } from '../session.ts'
import { latestAttempt, reportSignal, type Target, withBlock } from '../steering.ts'
import { resumeRun, withWorkSession } from './resume.ts'
import { signalTarget, targetOf } from './steer-target.ts'

export const redo: CommandRun = async (call) => {
  const inside = targetOf(call)
  if (inside !== null) return signalTarget(call, 'redo', inside)
  const message = textOption(call.values, 'message') ?? ''
  const { values, out } = call
  if (values.resume !== true) refuseRaise(values)
  const ended = await withBlock(call, async (target) => {
    const { state, block, session } = target
    if (state.outcome === null) await signalRedo(call, target, message)
    else if (values.resume === true) return foundAt(session, state, block.path)
    else await forkWithout(call, session, { id: state.run, path: block.path }, message)
    return null
  })
  if (ended === null) return 0
  return withWorkSession(values, ended, async (session) => {
    const run = await forkWithout(call, session, ended, message)
    return resumeRun(values, session, run, out)
  })
}

async function foundAt({ engine }: Session, { run: id, config }: RunState, path: string) {
  return { id, path, config, origin: await engine.origin(id) }
}

/** The run has not ended: the block's parent calls the next attempt. */
async function signalRedo(call: CommandCall, target: Target, message: string): Promise<void> {
  const { session, row, state } = target
  const words = commandWords(target.lang)
  const block = latestAttempt(state, target.block.path)
  if (block.path === ROOT_PATH) {
    throw badInput(words.redoRoot(row.id, session.hint(`cancel ${row.id}`), ROOT_PATH))
  }
  const parent = state.blocks.get(block.parent as string) as BlockState
  if (parent.outcome !== null) {
    const path = redoablePath(state, parent)
    const instead = path === null ? null : { path, command: session.hint(`redo ${row.id} ${path}`) }
    throw badInput(words.noRedo(block.path, parent.path, instead))
  }
  await session.engine.redo(row.id, block.path, message)
  const next = attemptPath(block.path, attemptOf(block.path) + 1)
  const say = block.outcome === null ? words.redoStops : words.redoAfter
  reportSignal(call, { ...target, block }, 'redo', message, say(block.path, parent.path, next))
}

/** The run has ended: a new one keeps what does not depend on the block. */
async function forkWithout(
  { out, values }: CommandCall,
  session: Session,
  { id, path }: { id: string; path: string },
  message: string,
): Promise<string> {
  const run = await session.engine.redo(id, path, message, {
    toResume: values.resume === true,
    strict: values.resume === true && values.strict === true,
    budget: budgetOptions(values),
  })
  if (out.json) out.data({ type: 'fork', run, from: id, path })
  else if (values.quiet !== true) {
    const lang = langFor(values, session, (await session.engine.outline(run)).goal)
    const words = commandWords(lang)
    out.print(words.redoFork(id, run, path))
    out.print(words.notRolledBack)
    if (values.resume !== true) out.print(runWords(lang).resumeWith(session.hint(`resume ${run}`)))
  }
  return run
}

/** The nearest block above whose parent has not ended. */
function redoablePath(state: RunState, from: BlockState): string | null {
  for (
    let block: BlockState | undefined = from;
    block?.parent != null;
    block = state.blocks.get(block.parent)
  ) {
    if (state.blocks.get(block.parent)?.outcome === null) return block.path
  }
  return null
}
