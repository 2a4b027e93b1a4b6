/** Gives a run the results of its caller's tools. */
import { ROOT_PATH, ThinkonError } from '../../protocol/index.ts'
import { type CallerCalls, createCallerCalls } from '../../views/caller-calls.ts'
import type { Engine } from '../api.ts'
import { callId } from './call-id.ts'
import type { Asked } from './conversation.ts'

/**
 * Returns the calls that were answered, with which the exchange begins. A result that was given before is not given again: whoever sends
 * a request twice gets the same exchange. Throws BAD_INPUT for a call that the run has not made, TIMEOUT for one that it no longer waits for.
 */
export async function giveResults(
  engine: Pick<Engine, 'events' | 'answer' | 'signal'>,
  { run, results, message }: Asked & { kind: 'results' },
): Promise<ReadonlySet<number>> {
  const calls = createCallerCalls()
  for (const event of await engine.events(run)) calls.follow(event)
  for (const { question } of results) requireCall(calls, run, question)
  const open = results.filter(({ question }) => calls.statusOf(question) === 'open')
  // Said before the results: the model reads both when it goes on.
  if (message.trim() !== '' && open.length > 0) await engine.signal(run, ROOT_PATH, 'message', message)
  for (const { question, output } of open) await giveResult(engine, run, question, output)
  return new Set(results.map(({ question }) => question))
}

/** Another request may have given the same result meanwhile. */
async function giveResult(
  engine: Pick<Engine, 'answer'>,
  run: string,
  question: number,
  output: unknown,
): Promise<void> {
  try {
    await engine.answer(run, output ?? null, { question })
  } catch (thrown) {
    if (!ThinkonError.isInstance(thrown) || thrown.code !== 'QUESTION_NOT_OPEN') throw thrown
  }
}

function requireCall(calls: CallerCalls, run: string, question: number): void {
  const status = calls.statusOf(question)
  const id = callId(run, question)
  if (status === undefined)
    throw new ThinkonError('BAD_INPUT', `no tool call "${id}" is waited for: run ${run} has not made it`)
  if (status !== 'given up') return
  const message = `the result of the tool call "${id}" comes too late: run ${run} no longer waits for it. Ask again`
  throw new ThinkonError('TIMEOUT', message, { data: { run } })
}
