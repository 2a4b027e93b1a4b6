/** A run of a service, with all that a run of an engine has. Nothing is asked before it is read. */
import type { EndedRun, RunEndingAs } from '../engine/api.ts'
import { typedOutcome, type ValueMaker } from '../engine/schemas/typed-outcome.ts'
import { checkArguments } from '../protocol/check-arguments.ts'
import { type Outcome, ThinkonError } from '../protocol/index.ts'
import { RUN_METHODS } from '../streams/run-methods.ts'
import { runQuestions } from '../streams/run-questions.ts'
import { runReadings } from '../streams/run-readings.ts'
import type { StrategyViews } from '../views/block-views.ts'
import type { Client } from './api.ts'
import { runEvents, type Service } from './run-events.ts'

export interface RunParts {
  readonly service: Service
  readonly client: Pick<Client, 'show' | 'questions' | 'answer' | 'signal' | 'cancel'>
  /** The views of the service's strategies. */
  views(): Promise<StrategyViews>
}

/** `output`: makes its value. */
export function runHandle<Ended>(
  { service, client, views }: RunParts,
  id: string,
  output: ValueMaker | null,
): RunEndingAs<Ended> {
  const events = runEvents(service, id)
  let outcome: Promise<Ended> | undefined

  const typed = async (recorded: Outcome) => (output === null ? recorded : typedOutcome(recorded, id, output))

  async function ended(): Promise<EndedRun> {
    for (;;) {
      const { outcome: recorded, roles, seq } = await patiently(service, () => client.show(id))
      if (recorded !== null) return { ...(await typed(recorded)), roles, run: id }
      for await (const event of events.with({ from: seq + 1 })) if (event.type === 'run-end') break
    }
  }

  const streamed = {
    id,
    events,
    views,
    /** From the first time on that somebody asks. */
    get outcome(): Promise<Ended> {
      if (outcome === undefined) {
        outcome = ended() as Promise<Ended>
        // Whoever awaits it gets the error.
        outcome.catch(() => {})
      }
      return outcome
    },
  }
  return {
    id,
    isFollowed: true,
    events,
    get outcome() {
      return streamed.outcome
    },
    ...runReadings(streamed),
    questions: runQuestions({
      events,
      last: async () => (await patiently(service, () => client.show(id))).seq,
      open: () => patiently(service, () => client.questions({ run: id })),
      answer: (value, options) => client.answer(id, value, options),
    }),
    async answer(value, options = {}) {
      checkArguments('run.answer', RUN_METHODS.answer, [value, options])
      await client.answer(id, value, options)
    },
    async signal(path, name, value) {
      checkArguments('run.signal', RUN_METHODS.signal, [path, name, value])
      await unlessOver(client.signal(id, path, name, value))
    },
    async cancel(reason) {
      checkArguments('run.cancel', RUN_METHODS.cancel, [reason])
      await unlessOver(client.cancel(id, reason))
    },
  }
}

async function patiently<T>(service: Service, ask: () => Promise<T>): Promise<T> {
  const patience = service.patience()
  const { signal } = new AbortController()
  for (;;) {
    try {
      return await ask()
    } catch (thrown) {
      await patience.wait(thrown, signal)
    }
  }
}

/** What has ended takes nothing any more, which is no error. */
async function unlessOver(sent: Promise<void>): Promise<void> {
  await sent.catch((thrown: unknown) => {
    if (!ThinkonError.isInstance(thrown) || thrown.data.conflict !== true) throw thrown
  })
}
