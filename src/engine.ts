/**
 * The engine: goal in, run handle out. This file is all that `import 'thinkon'` loads; engine/compose.ts puts the parts together
 * on first use.
 */
import type { Engine, EngineOptions, OutcomeOf, StartOptions } from './engine/api.ts'
import { CREATE_ENGINE, METHODS, SOLVE, startOptionsOf } from './engine/entrances.ts'
import type { GivenSchema } from './engine/schemas/given-schema.ts'
import { checkArguments } from './protocol/check-arguments.ts'
import { errorText, isOutage, ThinkonError } from './protocol/errors.ts'
import type { Goal } from './protocol/index.ts'
import type { OwnOptions, StrategyName } from './protocol/strategy-registry.ts'
import type { InferredStrategies } from './strategies/strategy-module.ts'

export type {
  ApprovalOptions,
  Engine,
  EngineOptions,
  Run,
  RunEvents,
  RunOutcome,
  StartOptions,
} from './engine/api.ts'

/** Solves one goal. */
export async function solve<
  const Strategies extends InferredStrategies,
  const Output extends GivenSchema = never,
  const Name extends StrategyName<OwnOptions<Strategies>> = 'auto',
>(
  goal: Goal,
  options: EngineOptions<Strategies> & StartOptions<Output, Name, OwnOptions<Strategies>> = {},
): Promise<OutcomeOf<Output>> {
  checkArguments('solve', SOLVE, [goal, options])
  refuseTwoPlaces('solve', options)
  refuseCallerTools(options)
  const engine = lazyEngine(options)
  try {
    const run = await engine.start(goal, startOptionsOf(options))
    return await run.outcome
  } catch (thrown) {
    const { store = ':memory:', host } = options
    throw isOutage(thrown) && store === ':memory:' && !host ? lostInMemory(thrown) : thrown
  } finally {
    await engine.close().catch(reportClosing)
  }
}

function refuseTwoPlaces(where: string, { store, host }: Pick<EngineOptions, 'store' | 'host'>): void {
  if (store === undefined || host === undefined) return
  throw new ThinkonError(
    'BAD_INPUT',
    `${where}: store and host exclude each other: a host brings its own store`,
  )
}

function refuseCallerTools({ callerTools = [] }: StartOptions<GivenSchema>): void {
  if (callerTools.length === 0) return
  const advice = 'use createEngine and engine.start, whose run takes them'
  throw new ThinkonError(
    'BAD_INPUT',
    `solve: callerTools: there is no run to give their results to: ${advice}`,
  )
}

/** How the run ended does not depend on it. */
function reportClosing(error: unknown): void {
  process.emitWarning(`the engine could not be closed: ${errorText(error)}`, { type: 'ThinkonWarning' })
}

/** The run ends with the engine: there is nothing to resume. */
function lostInMemory({ code, retryable, data }: ThinkonError): ThinkonError {
  const message = `${data.message}; the run was in memory: give solve a store file to resume it`
  return new ThinkonError(code, message, { retryable, data })
}

/** For all engines: also a module that is loaded takes its time to be found again. */
let composing: Promise<typeof import('./engine/compose.ts')> | null = null

export function createEngine<const Strategies extends InferredStrategies>(
  options: EngineOptions<Strategies> = {},
): Engine<OwnOptions<Strategies>> {
  checkArguments('createEngine', CREATE_ENGINE, [options])
  refuseTwoPlaces('createEngine', options)
  return lazyEngine(options)
}

/** Opened when it is first used, with arguments that are right. */
function lazyEngine(options: EngineOptions<InferredStrategies>): Engine {
  let composed: Promise<Engine> | null = null
  let isClosed = false
  function opened(): Promise<Engine> {
    composing ??= import('./engine/compose.ts')
    composed ??= composing.then(({ compose }) => compose(options as EngineOptions))
    return composed
  }
  const methods = Object.entries(METHODS).map(([name, expected]) => [
    name,
    async (...given: unknown[]) => {
      checkArguments(`engine.${name}`, expected, given)
      if (isClosed) throw new ThinkonError('BAD_INPUT', `engine.${name}: the engine is closed`)
      const engine = await opened()
      return (engine[name as keyof Engine] as (...given: unknown[]) => unknown)(...given)
    },
  ])
  return {
    ...Object.fromEntries(methods),
    async close() {
      isClosed = true
      // If composing failed there is nothing to close; whoever used the engine has got the error.
      const engine = await composed?.catch(() => null)
      await engine?.close()
    },
  }
}
