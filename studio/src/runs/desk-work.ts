/** Deleting, exporting and importing, one after another; what goes wrong with one is told with its name. */
import type { RunDesk } from '../data/source.ts'

export interface Done {
  readonly runs: readonly string[]
  readonly problems: readonly string[]
}

/** `atWork`: what is said of one that is worked on. */
export function deleteRuns(desk: RunDesk, runs: readonly string[], atWork: string): Promise<Done> {
  return each(runs, async (run) => {
    await desk.delete(run).catch((error) => {
      throw error.code === 'RUN_LOCKED' ? new Error(atWork) : error
    })
    return run
  })
}

export function exportRuns(desk: RunDesk, runs: readonly string[]): Promise<Done> {
  return each(runs, async (run) => {
    save(await desk.export(run), `${fileName(run)}.jsonl`)
    return run
  })
}

export function savePages(desk: RunDesk, runs: readonly string[]): Promise<Done> {
  return each(runs, async (run) => {
    save(await desk.page(run), `${fileName(run)}.html`)
    return run
  })
}

export function importRuns(desk: RunDesk, files: readonly File[]): Promise<Done> {
  return each(
    files,
    async (file) => (await desk.import(file)).run,
    ({ name }) => name,
  )
}

async function each<T>(
  items: readonly T[],
  work: (item: T) => Promise<string>,
  nameOf: (item: T) => string = String,
): Promise<Done> {
  const runs: string[] = []
  const problems: string[] = []
  for (const item of items) {
    try {
      runs.push(await work(item))
    } catch (error) {
      problems.push(`${nameOf(item)}: ${error instanceof Error ? error.message : String(error)}`)
    }
  }
  return { runs, problems }
}

function fileName(run: string): string {
  return `thinkon-${run.replace(/[^\w.-]+/g, '-')}`
}

function save(file: Blob, name: string): void {
  const link = document.createElement('a')
  link.href = URL.createObjectURL(file)
  link.download = name
  link.click()
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000)
}
