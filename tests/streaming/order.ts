/** What is wrong with the order of what a listener or a reader got; empty if nothing is. */
import type { Ephemeral, Event } from '../../src/protocol/index.ts'

export function orderProblems(told: readonly (Event | Ephemeral)[]): string[] {
  const problems: string[] = []
  const blocks = new Set<string>()
  const steps = new Set<string>()
  let seq = 0
  for (const event of told) {
    const { type, path } = event
    if ('seq' in event) {
      if (event.seq !== seq + 1) problems.push(`${type} ${event.seq} after ${seq}`)
      seq = event.seq
    }
    if (type === 'block-start') blocks.add(path)
    else if (!type.startsWith('run-') && !blocks.has(path))
      problems.push(`${type} of ${path} before its start`)
    const step = 'n' in event ? `${path}/${event.n}` : ''
    if (type === 'model-start') steps.add(step)
    if (type === 'model-end') steps.delete(step)
    if ((type === 'text-delta' || type === 'model-retry') && !steps.has(step))
      problems.push(`${type} of ${step} while it was not under way`)
  }
  return problems
}

export async function all<T>(items: AsyncIterable<T>): Promise<T[]> {
  const got: T[] = []
  for await (const item of items) got.push(item)
  return got
}
