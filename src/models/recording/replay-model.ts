import type { Model } from '../../kernel/model.ts'
import { defined, goalTitle, type ModelSettings, ThinkonError } from '../../protocol/index.ts'
import { knownSecrets, redactDeep } from '../secrets.ts'
import { refsIn, withoutNumbers, withRefs } from './numbered-refs.ts'
import {
  type Exchange,
  keyOf,
  type RecordedMessage,
  type RecordedRequest,
  readTraffic,
  recordedRequest,
} from './traffic-file.ts'

/**
 * Answers from recorded traffic, and fails on a request that is not in it. Of several replies to the same request, each
 * goes to the place (path and number) it was recorded at, otherwise they are given in recorded order: so concurrent blocks
 * get their own replies whatever the timing.
 */
export async function replayModel(file: string): Promise<Model> {
  const id = `replay:${file}`
  const exchanges = await readTraffic(file)
  const byKey = Map.groupBy(exchanges, ({ request }) => keyWithoutCap(request))
  let byOrder: typeof byKey | undefined
  const used = new Set<Exchange>()

  function take(request: RecordedRequest, path: string, n: number): Exchange {
    const list = byKey.get(keyWithoutCap(request)) ?? otherwiseNumbered(request)
    const here = (exchange: Exchange) => exchange.path === path && exchange.n === n
    const unused = list.filter((exchange) => !used.has(exchange))
    // A place that asks again after all replies were given belongs to another run of the same recording.
    const found = unused.find(here) ?? unused[0] ?? list.findLast(here)
    if (found === undefined) throw unknownRequest(id, request, exchanges, list.length)
    used.add(found)
    return found
  }

  function otherwiseNumbered(request: RecordedRequest): readonly Exchange[] {
    byOrder ??= Map.groupBy(exchanges, (one) => keyWithoutNumbers(one.request))
    return byOrder.get(keyWithoutNumbers(request)) ?? []
  }

  const windows = new Set(exchanges.map(({ window }) => window))
  const [window] = windows.size === 1 ? windows : []
  return {
    id,
    free: true,
    ...defined({ window }),
    async call(request, io) {
      io.signal.throwIfAborted()
      const asked = redactDeep(recordedRequest(request), knownSecrets())
      const found = take(asked, io.path, io.n)
      const refs = refsIn(asked)
      const {
        parts = [],
        reply,
        error,
      } = withRefs(
        defined({ parts: found.parts, reply: found.reply, error: found.error }),
        refsIn(found.request),
        (at) => refs[at] as string,
      )
      for (const part of parts) await io.part(async () => part)
      if (reply === undefined) throw ThinkonError.fromJSON(error as NonNullable<typeof error>)
      if (reply.text !== '') io.onDelta(reply.text)
      return reply
    },
  }
}

/** The cap is configured with the model, which is not here, and older recordings have none. */
function keyWithoutCap({ settings, ...request }: RecordedRequest): string {
  const { maxOutputTokens: _, ...rest }: ModelSettings = settings ?? {}
  return keyOf(Object.keys(rest).length === 0 ? request : { ...request, settings: rest })
}

function keyWithoutNumbers(request: RecordedRequest): string {
  return keyWithoutCap(withoutNumbers(request))
}

function unknownRequest(
  id: string,
  request: RecordedRequest,
  exchanges: readonly Exchange[],
  times: number,
): ThinkonError {
  const asked = `${request.kind}@${request.version} (${request.role})`
  if (times > 0) {
    const message = `${id} has ${times} ${times === 1 ? 'reply' : 'replies'} to this ${asked} request, and all were given`
    return new ThinkonError('MODEL_ERROR', message, { data: { kind: request.kind, times } })
  }
  const nearest = nearestTo(request, exchanges)
  const hint =
    nearest === undefined
      ? 'the recording is empty'
      : `the nearest is ${nearest.kind}@${nearest.version} (${nearest.role}): ${difference(request, nearest)}`
  return new ThinkonError('MODEL_ERROR', `${id} does not know this ${asked} request; ${hint}`, {
    data: { kind: request.kind, ...(nearest === undefined ? {} : { nearest: nearest.kind }) },
  })
}

/** A request of the same kind is nearer than any other; then the one with the longest common beginning. */
function nearestTo(request: RecordedRequest, exchanges: readonly Exchange[]): RecordedRequest | undefined {
  let best: { request: RecordedRequest; score: number } | undefined
  const text = wholeText(request)
  for (const exchange of exchanges) {
    const same = exchange.request.kind === request.kind ? 1 : 0
    const score = same * 1e9 + samePrefix(text, wholeText(exchange.request))
    if (best === undefined || score > best.score) best = { request: exchange.request, score }
  }
  return best?.request
}

/** Describes the first difference between the two. */
function difference(asked: RecordedRequest, known: RecordedRequest): string {
  if (asked.kind !== known.kind) return `no ${asked.kind} was recorded`
  for (let i = 0; i < Math.max(asked.messages.length, known.messages.length); i++) {
    const [a, b] = [asked.messages[i], known.messages[i]]
    if (a === undefined) return `message ${i + 1} (${b?.role}) is only in the recording`
    if (b === undefined) return `message ${i + 1} (${a.role}) is not in the recording`
    if (a.role !== b.role) return `message ${i + 1} is ${a.role}, recorded as ${b.role}`
    const [said, recorded] = [textOf(a), textOf(b)]
    if (said === recorded) continue
    const at = samePrefix(said, recorded)
    return `message ${i + 1} (${a.role}) differs at character ${at + 1}: "${around(said, at)}", recorded "${around(recorded, at)}"`
  }
  for (const part of ['version', 'role', 'schema', 'tools', 'settings'] as const) {
    const [a, b] = [JSON.stringify(asked[part]), JSON.stringify(known[part])]
    if (a !== b) return `${part} is ${goalTitle(a ?? 'missing')}, recorded as ${goalTitle(b ?? 'missing')}`
  }
  return 'the order of its fields'
}

const BEFORE = 20
const AFTER = 40

function around(text: string, at: number): string {
  const from = Math.max(0, at - BEFORE)
  const piece = text.slice(from, at + AFTER).replace(/\s+/g, ' ')
  return `${from > 0 ? '…' : ''}${piece}${at + AFTER < text.length ? '…' : ''}`
}

function wholeText(request: RecordedRequest): string {
  return request.messages.map((message) => `${message.role}\n${textOf(message)}`).join('\n')
}

function textOf({ text, calls, answers }: RecordedMessage): string {
  const asked = calls === undefined ? '' : ` calls ${JSON.stringify(calls)}`
  return `${text}${asked}${answers === undefined ? '' : ` (result of ${answers})`}`
}

function samePrefix(a: string, b: string): number {
  const most = Math.min(a.length, b.length)
  let i = 0
  while (i < most && a[i] === b[i]) i++
  return i
}
