/**
 * The engine: goal in, run handle out. This file is all that `import 'thinkon'` loads; engine/compose.ts puts the parts together
 * on first use.
 */
import type { Engine, EngineOptions, RunOutcome, StartOptions } from './engine/api.ts'
import { errorText, isOutage, ThinkonError } from './protocol/errors.ts'
import type { Goal } from './protocol/index.ts'

export type { Engine, EngineOptions, Run, RunOutcome, StartOptions } from './engine/api.ts'

/** Solves one goal. */
export async function solve(goal: Goal, options: EngineOptions & StartOptions = {}): Promise<RunOutcome> {
  const engine = createEngine(options)
  try {
    const run = await engine.start(goal, options)
    return await run.outcome
  } catch (thrown) {
    const { store = ':memory:' } = options
    throw isOutage(thrown) && store === ':memory:' ? lostInMemory(thrown) : thrown
  } finally {
    await engine.close().catch(reportClosing)
  }
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

export function createEngine(options: EngineOptions = {}): Engine {
  let composed: Promise<Engine> | null = null
  function engine(): Promise<Engine> {
    composing ??= import('./engine/compose.ts')
    composed ??= composing.then(({ compose }) => compose(options))
    return composed
  }
  return {
    start: async (goal, given) => (await engine()).start(goal, given),
    resume: async (run, given) => (await engine()).resume(run, given),
    check: async (run, given) => (await engine()).check(run, given),
    replay: async (run) => (await engine()).replay(run),
    fork: async (run, at, edit, given) => (await engine()).fork(run, at, edit, given),
    redo: async (run, path, message, given) => (await engine()).redo(run, path, message, given),
    signal: async (run, path, name, value) => (await engine()).signal(run, path, name, value),
    list: async (query) => (await engine()).list(query),
    count: async (query) => (await engine()).count(query),
    state: async (run) => (await engine()).state(run),
    outline: async (run, follow) => (await engine()).outline(run, follow),
    events: async (run, from) => (await engine()).events(run, from),
    delete: async (runs, given) => (await engine()).delete(runs, given),
    prune: async (given) => (await engine()).prune(given),
    compact: async () => (await engine()).compact(),
    export: async (run) => (await engine()).export(run),
    import: async (file, given) => (await engine()).import(file, given),
    async close() {
      // If composing failed there is nothing to close; whoever used the engine has got the error.
      const opened = await composed?.catch(() => null)
      await opened?.close()
    },
  }
}
