/** Gives a run the results of its caller's tools. */
import { ROOT_PATH, ThinkonError } from '../../protocol/index.ts'
import { type CallerCalls, type CallKey, callKey, createCallerCalls } from '../../views/caller-calls.ts'
import type { Engine } from '../api.ts'
import { callId } from './call-id.ts'
import type { Asked } from './conversation.ts'

/**
 * Returns the calls that were answered, with which the exchange begins. A result that was given before is not given again: whoever sends
 * a request twice gets the same exchange. Throws BAD_INPUT for a call that the run has not made, TIMEOUT for one that it no longer waits for.
 */
export async function giveResults(
  engine: Pick<Engine, 'events' | 'signal'>,
  { run, results, message }: Asked & { kind: 'results' },
): Promise<ReadonlySet<string>> {
  const calls = createCallerCalls()
  for (const event of await engine.events(run)) calls.follow(event)
  for (const result of results) requireCall(calls, run, result)
  const open = results.filter((result) => calls.statusOf(result) === 'open')
  // Said before the results: the model reads both when it goes on.
  if (message.trim() !== '' && open.length > 0) await engine.signal(run, ROOT_PATH, 'message', message)
  for (const { path, signal, output } of open) await engine.signal(run, path, signal, output ?? null)
  return new Set(results.map(callKey))
}

function requireCall(calls: CallerCalls, run: string, place: CallKey): void {
  const status = calls.statusOf(place)
  const id = callId(run, place)
  if (status === undefined)
    throw new ThinkonError('BAD_INPUT', `no tool call "${id}" is waited for: run ${run} has not made it`)
  if (status !== 'given up') return
  const message = `the result of the tool call "${id}" comes too late: run ${run} no longer waits for it. Ask again`
  throw new ThinkonError('TIMEOUT', message, { data: { run } })
}
