/** `message`, `skip`, `redo`, `cancel` and `answer`: what a person does to a run. */
import { defined, errorText, ROOT_PATH } from '../../protocol/index.ts'
import { RUN_ID } from '../start-request.ts'
import { blockAt, openBlock } from '../steer.ts'
import type { Caller, Door } from './door.ts'
import { type McpTool, textResult } from './tool.ts'

const RUN = { ...RUN_ID, description: 'The handle of the run.' } as const
const PATH = {
  type: 'string',
  maxLength: 1_000,
  description: "The block's path, as the tree shows it: 1 is the root, 1-2 its second child.",
} as const
const STEERS = { readOnlyHint: false, destructiveHint: false, openWorldHint: false } as const
const ENDS = { ...STEERS, destructiveHint: true } as const
const words = (description: string) => ({ type: 'string', maxLength: 100_000, description }) as const
const input = (properties: Record<string, object>, ...required: string[]) =>
  ({ type: 'object', properties, required, additionalProperties: false }) as const

export const STEER_TOOLS: readonly McpTool[] = [
  {
    name: 'message',
    title: 'Send a message to a run',
    description: 'Sends a message to a block of a run, which reads it before its next step.',
    does: 'signal',
    annotations: STEERS,
    inputSchema: input(
      {
        run: RUN,
        message: { ...words('What to tell it.'), minLength: 1 },
        path: { ...PATH, description: `${PATH.description} The root, unless given.` },
      },
      'run',
      'message',
    ),
    async call(door, { run, message, path = ROOT_PATH }) {
      const { block } = await openBlock(door.service.engine, run as string, path as string)
      await door.service.engine.signal(run as string, block.path, 'message', message)
      return sent(door, run as string, `sent to block ${block.path}, which reads it before its next step`)
    },
  },
  {
    name: 'skip',
    title: 'Skip a block',
    description: 'Ends a block of a run now, with what it has; its parent continues.',
    does: 'signal',
    annotations: ENDS,
    inputSchema: input(
      { run: RUN, path: PATH, reason: words('Why, for those who read the run.') },
      'run',
      'path',
    ),
    async call(door, { run, path, reason = '' }) {
      const { block } = await openBlock(door.service.engine, run as string, path as string)
      await door.service.engine.signal(run as string, block.path, 'skip', reason)
      return sent(door, run as string, `block ${block.path} is told to end with what it has`)
    },
  },
  {
    name: 'redo',
    title: 'Solve a block again',
    description:
      'Solves a block of a run again. If the run has ended, this happens in a fork of it, a new run. Files and other side effects are not rolled back.',
    does: 'redo',
    annotations: ENDS,
    inputSchema: input({ run: RUN, path: PATH, message: words('What to do differently.') }, 'run', 'path'),
    call: (door, { run, path, message = '' }, caller) =>
      redo(door, caller, { run: run as string, path: path as string, message: message as string }),
  },
  {
    name: 'cancel',
    title: 'Cancel a run',
    description: 'Ends a run for good, with what it has.',
    does: 'cancel',
    annotations: ENDS,
    inputSchema: input({ run: RUN, reason: words('Why, for those who read the run.') }, 'run'),
    async call(door, { run, reason = '' }) {
      const { block } = await openBlock(door.service.engine, run as string, ROOT_PATH)
      await door.service.engine.signal(run as string, block.path, 'cancel', reason)
      // One that nobody works on is taken up to end it: a signal takes effect before any step.
      return sent(door, run as string, 'the run is told to end', true)
    },
  },
  {
    name: 'answer',
    title: 'Answer a question of a run',
    description:
      'Answers an open question of a run: what a model asks, the review of a plan, the permission for a tool. ' +
      'Only the person knows the answer: ask them first, and pass on what they say.',
    does: 'answer',
    annotations: ENDS,
    inputSchema: input(
      {
        run: RUN,
        answer: words("One of the question's choices, or a text if it has none or allows others."),
        question: {
          type: 'integer',
          minimum: 1,
          description: 'The id of the question, if several are open.',
        },
      },
      'run',
      'answer',
    ),
    async call(door, { run, answer, question }) {
      await door.service.engine.answer(
        run as string,
        answer,
        defined({ question: question as number | undefined }),
      )
      return sent(door, run as string, 'the question has its answer')
    },
  },
]

async function redo(
  door: Door,
  caller: Caller,
  { run, path, message }: { run: string; path: string; message: string },
) {
  const { engine } = door.service
  const { state } = await blockAt(engine, run, path)
  if (state.outcome !== null) {
    caller.require('redo in a fork')
    await door.service.requireOwn(run)
    door.limits?.countStart()
  }
  const at = await engine.redo(run, path, message)
  if (at === run) return sent(door, run, `block ${path} is solved again`)
  door.updates.listChanged()
  return sent(door, at, `run ${run} has ended: block ${path} is solved again in its fork ${at}`, true)
}

/** Says what was done, and goes on with a run that nobody works on if `takeUp` is set. */
async function sent({ service }: Door, run: string, said: string, takeUp = false) {
  const { owned } = await service.engine.row(run)
  if (owned) return textResult(said)
  const later = `${said}; nobody works on run ${run} now: "wait" takes it up again`
  if (!takeUp) return textResult(later)
  try {
    const taken = await service.attach(run)
    taken.outcome.catch(() => {})
    return textResult(said)
  } catch (thrown) {
    return textResult(`${later} (not done here: ${errorText(thrown)})`)
  }
}
