/** Starts runs for requests, goes on with those that wait for a client's tools, and ends those whose client has gone. */
import { readConversation } from '../../engine/dialogue/conversation.ts'
import { exchangeParts } from '../../engine/dialogue/exchange-parts.ts'
import { giveResults } from '../../engine/dialogue/give-results.ts'
import type { Run } from '../../engine.ts'
import { isOutage, ROOT_PATH, type RunConfig, ThinkonError } from '../../protocol/index.ts'
import { viewsOf } from '../../strategies/registry.ts'
import type { ExchangePart, ExchangeStart } from '../../views/exchange.ts'
import type { Limits } from '../http/limits.ts'
import { requireAllowed } from '../http/route.ts'
import { allows, type Caller } from '../scopes.ts'
import { isRunOf, type Service } from '../service.ts'
import type { AskedRequest } from './asked-request.ts'
import { readModel } from './model-names.ts'

export interface Conductor {
  /** Throws 403 if the caller may not do what the request does. */
  begin(request: AskedRequest, caller: Caller): Promise<Begun>
  /**
   * What the run gives for the request. If `signal` is aborted, the client has gone, and the run is cancelled, whether or not anything was
   * read. Throws LIMIT if too many streams are open.
   */
  exchange(begun: Begun, signal: AbortSignal): AsyncGenerator<ExchangePart>
}

export interface Begun {
  readonly run: Run
  readonly start: ExchangeStart
  /** The answer is a value. */
  readonly hasValue: boolean
  /** Its run ends if the client goes away. */
  readonly mayEnd: boolean
}

export interface ConductorOptions {
  readonly limits: Limits
  readonly asks: 'person' | 'nobody'
  /** How long a run whose client has gone in the middle of a loop of tools waits for it to come back. */
  readonly returnMs: number
}

export function createConductor(service: Service, { limits, asks, returnMs }: ConductorOptions): Conductor {
  const readers = new Map<string, number>()
  const views = () => viewsOf(service.strategies)

  function read(run: string): () => void {
    readers.set(run, (readers.get(run) ?? 0) + 1)
    let isHere = true
    return () => {
      if (!isHere) return
      isHere = false
      const others = (readers.get(run) ?? 1) - 1
      if (others === 0) readers.delete(run)
      else readers.set(run, others)
    }
  }

  /** Whoever retries a request with results finds the run as it was; nobody comes back to the first one. */
  function abandon({ run, start, mayEnd }: Begun): void {
    if (!mayEnd) return
    const cancel = () => {
      if (!readers.has(run.id)) run.cancel('its client has gone').catch(() => {})
    }
    if (start === 1) cancel()
    else setTimeout(cancel, returnMs).unref()
  }

  async function resultsGiven(asked: Parameters<typeof giveResults>[1], caller: Caller): Promise<Begun> {
    const config = await configOf(asked.run)
    const isTheirs = isRunOf(config as RunConfig, caller.client)
    requireAllowed(caller, isTheirs ? 'give results' : 'give results to a run of another client')
    const start = await giveResults(service.engine, asked)
    const hasValue = config.output !== undefined
    return { run: await service.attach(asked.run), start, hasValue, mayEnd: mayEnd(isTheirs, caller) }
  }

  async function configOf(run: string): Promise<Pick<RunConfig, 'output' | 'startedBy'>> {
    const [first] = await service.engine.events(run, 1, 1)
    return first?.type === 'run-start' ? first.config : {}
  }

  async function isThere(id: string): Promise<boolean> {
    try {
      await service.engine.row(id)
      return true
    } catch (thrown) {
      if (ThinkonError.isInstance(thrown) && thrown.code === 'UNKNOWN_RUN') return false
      throw thrown
    }
  }

  function mayEnd(isTheirs: boolean, { scopes }: Caller): boolean {
    return isTheirs || allows(scopes, 'end a run of another client')
  }

  async function* partsOf(
    { run, start }: Begun,
    signal: AbortSignal,
    reader: { isOver(): void; end(): void },
  ): AsyncGenerator<ExchangePart> {
    try {
      for await (const part of exchangeParts({ ...run, views }, start, signal)) {
        if (part.type === 'calls' || part.type === 'ended') reader.isOver()
        yield part
      }
    } catch (thrown) {
      // The client is told, and asks again: this run is not to go on for nobody when the model is back.
      if (isOutage(thrown))
        await service.engine.signal(run.id, ROOT_PATH, 'cancel', 'its client was told that the model is out')
      throw thrown
    } finally {
      reader.end()
    }
  }

  return {
    async begin({ model, turns, tools, start }, caller) {
      const chosen = readModel(model, service)
      const asked = readConversation(turns)
      if (asked.kind === 'results') return resultsGiven(asked, caller)
      limits.countStart()
      const isNew = start.id === undefined || !(await isThere(start.id))
      const isTheirs = isNew || isRunOf((await configOf(start.id as string)) as RunConfig, caller.client)
      const { client, scopes } = caller
      const more = { asks, client, scopes, ...(tools.length > 0 && { callerTools: tools }) }
      const run = await service.start(asked.goal, { ...start, ...chosen }, more)
      return {
        run: run as Run,
        start: 1,
        hasValue: start.output !== undefined,
        mayEnd: mayEnd(isTheirs, caller),
      }
    },
    exchange(begun, signal) {
      const leave = read(begun.run.id)
      let closeStream = () => {}
      let isOver = false
      const end = () => {
        leave()
        closeStream()
      }
      const gone = () => {
        end()
        if (!isOver) abandon(begun)
      }
      try {
        closeStream = limits.openStream()
      } catch (thrown) {
        gone()
        throw thrown
      }
      if (signal.aborted) gone()
      else signal.addEventListener('abort', gone, { once: true })
      return partsOf(begun, signal, {
        isOver() {
          isOver = true
        },
        end,
      })
    },
  }
}
