/** Everything that can be read of a run, read at once, and what is wrong with it. */
import { readUIMessageStream, type UIMessage, validateUIMessages } from 'ai'
import type { Run } from '../../src/engine.ts'
import { type Outcome, ThinkonError } from '../../src/protocol/index.ts'
import { orderProblems } from '../streaming/order.ts'

interface Reading<T> {
  readonly items: readonly T[]
  readonly error: unknown
}

async function readAll<T>(items: AsyncIterable<T>): Promise<Reading<T>> {
  const got: T[] = []
  try {
    for await (const item of items) got.push(item)
    return { items: got, error: null }
  } catch (error) {
    return { items: got, error }
  }
}

async function leaves(items: AsyncIterable<unknown>, after: number): Promise<void> {
  let left = after
  try {
    for await (const _ of items) if (left-- === 0) break
  } catch {
    // It is over before.
  }
}

export async function readRun(run: Run) {
  const [text, thoughts, chunks, events, outcome] = await Promise.all([
    readAll(run.text),
    readAll(run.thoughts),
    readAll(run.toUIMessageStream() as unknown as AsyncIterable<object>),
    readAll(run.events.with({ deltas: true })),
    run.outcome.catch((error: unknown) => ({ error })),
    leaves(run.text, 0),
    leaves(run.thoughts, 3),
    leaves(run.events.with({ deltas: true }), 5),
  ])
  return { text, thoughts, chunks, events, outcome }
}

export type Read = Awaited<ReturnType<typeof readRun>>

export async function problemsOf({ text, thoughts, chunks, events, outcome }: Read): Promise<string[]> {
  const problems = [...orderProblems(events.items)]
  if ('error' in outcome) {
    if (text.error !== outcome.error) problems.push(`the text ends with ${text.error}`)
    return problems
  }
  problems.push(...textProblems(text, outcome))
  if (thoughts.error !== null) problems.push(`the thoughts end with ${thoughts.error}`)
  const last = thoughts.items.findLast(({ kind }) => kind === 'result')
  if (last?.text !== outcome.result) problems.push(`the last step is ${JSON.stringify(last)}`)
  problems.push(...(await messageProblems(chunks, outcome)))
  return problems
}

function textProblems({ items, error }: Reading<string>, { status, result }: Outcome): string[] {
  const text = items.join('')
  if (error === null) return text === result ? [] : [`the text is "${text}", the result "${result}"`]
  const code = status === 'cancelled' ? 'CANCELLED' : 'TEXT_REPLACED'
  const isRight = ThinkonError.isInstance(error) && error.code === code && error.data.result === result
  return isRight && text !== '' && !result.startsWith(text)
    ? []
    : [`after "${text}" of "${result}": ${error}`]
}

async function messageProblems({ items, error }: Reading<object>, outcome: Outcome): Promise<string[]> {
  const problems: string[] = error === null ? [] : [`the message ends with ${error}`]
  let message: UIMessage | undefined
  const stream = ReadableStream.from(items) as never
  const onError = (thrown: unknown) =>
    problems.push(...(String(thrown).includes('UIMessageStreamError') ? [String(thrown)] : []))
  for await (const next of readUIMessageStream({ stream, onError })) message = next
  if (message === undefined) return [...problems, 'there is no message']
  await validateUIMessages({ messages: [message] })
  const texts = message.parts.flatMap((part) => (part.type === 'text' ? part.text : []))
  if (texts.at(-1) !== outcome.result && outcome.result !== '')
    problems.push(`the message says ${JSON.stringify(texts)}, the result is "${outcome.result}"`)
  const open = message.parts.filter((part) => 'state' in part && /streaming/.test(String(part.state)))
  if (open.length > 0) problems.push(`left open: ${JSON.stringify(open)}`)
  return problems
}
