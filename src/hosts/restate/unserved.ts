import type { SharedStore } from '../../kernel/store.ts'
import type { KnownTool } from '../../protocol/index.ts'

const LOOK_MS = 5_000

/**
 * Says so while a run has tools that are bound to a class of workers of which none is there: their calls wait until one is. Once for each
 * time that the class is missing. Ends with what it returns.
 */
export function tellUnserved(store: SharedStore, run: string): () => void {
  let timer: NodeJS.Timeout | undefined
  let isOver = false
  const told = new Set<string>()

  async function look(tools: readonly KnownTool[]): Promise<void> {
    const served = await store.workerClasses()
    if (isOver) return
    for (const [workers, names] of classesOf(tools)) {
      if (served.has(workers)) told.delete(workers)
      else if (!told.has(workers)) {
        told.add(workers)
        say(run, workers, names)
      }
    }
    timer = setTimeout(() => void look(tools).catch(() => {}), LOOK_MS).unref()
  }

  async function begin(): Promise<void> {
    for await (const event of store.read(run, 1, 1)) {
      const tools = event.type === 'run-start' ? (event.config.tools ?? []) : []
      if (tools.some(({ workers }) => workers !== undefined)) await look(tools)
    }
  }

  // How the run goes on does not depend on it.
  if (store.workerClasses !== undefined) void begin().catch(() => {})
  return () => {
    isOver = true
    clearTimeout(timer)
  }
}

function classesOf(tools: readonly KnownTool[]): Map<string, string[]> {
  const classes = new Map<string, string[]>()
  for (const { name, workers } of tools) {
    if (workers !== undefined) classes.set(workers, [...(classes.get(workers) ?? []), name])
  }
  return classes
}

function say(run: string, workers: string, names: readonly string[]): void {
  process.emitWarning(
    `run ${run} may call tools that run on workers of the class "${workers}" (${names.join(', ')}), and none is there: such a call waits until one is. Start one: THINKON_WORKER_CLASS=${workers} thinkon worker`,
    { type: 'ThinkonWarning', code: 'NO_WORKERS' },
  )
}
