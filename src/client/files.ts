/** Runs as files. */
import { DecodingBudget } from '../protocol/decoding-budget.ts'
import { ThinkonError } from '../protocol/index.ts'
import { Lines } from './lines.ts'
import { unreachable } from './problem.ts'

/** The lines of an export, with their ends, as they come. */
export async function* exportedLines({ body }: Response, run: string): AsyncGenerator<string> {
  const reader = body?.getReader()
  const decoder = new TextDecoder()
  const lines = new Lines(new DecodingBudget(`a line of the export of run ${run}`))
  try {
    for (let next = await reader?.read(); next && !next.done; next = await reader?.read())
      yield* lines.add(decoder.decode(next.value, { stream: true }))
  } catch (thrown) {
    if (ThinkonError.isInstance(thrown)) throw thrown
    throw unreachable(`the export of run ${run}`, thrown)
  } finally {
    // Whoever stops reading needs no more of it.
    reader?.cancel().catch(() => {})
  }
  const rest = lines.rest()
  if (rest !== '') yield rest
}

/** As a whole: browsers send no body whose end they don't know. */
export async function fileOf(
  file: AsyncIterable<string | Uint8Array> | Iterable<string | Uint8Array>,
  type: string,
): Promise<Blob> {
  if (typeof file === 'string') return new Blob([file], { type })
  const chunks: (string | Uint8Array<ArrayBuffer>)[] = []
  for await (const chunk of file) chunks.push(chunk as (typeof chunks)[number])
  return new Blob(chunks, { type })
}
