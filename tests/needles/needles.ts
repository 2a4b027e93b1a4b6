/**
 * What tests of requests have in common: long texts with a word at their end that must not get lost, runs whose requests are kept,
 * and what must be true of every request.
 */
import { setImmediate } from 'node:timers/promises'
import { expect } from 'vitest'
import {
  createEngine,
  type EngineOptions,
  type ModelRequest,
  type RunOutcome,
  type StartOptions,
} from '../../src/index.ts'
import type { Model, ModelIo } from '../../src/kernel/model.ts'
import type { Store } from '../../src/kernel/store.ts'
import { countRequestTokens } from '../../src/models/tokens.ts'
import { type Event, messageText } from '../../src/protocol/index.ts'
import { memoryStore } from '../../src/store/memory.ts'
import { crashAt, type ScriptedFunction, ScriptedModel } from '../../src/testing/index.ts'

/** The goal of 3,131 bytes whose last instruction was lost, and the sections of 3,254 characters whose ends were. */
export const GOAL_CHARS = 3_131
export const SECTION_CHARS = 3_254

/** The word that stands at the very end of the text of this name, and nowhere else. */
export function needle(name: string): string {
  return `NEEDLE-${name}-END`
}

/** A text of so many characters, unlike those of other names, with the needle at its end. */
export function long(name: string, chars = SECTION_CHARS): string {
  const end = `The last instruction of ${name} is ${needle(name)}`
  const lines: string[] = []
  for (let i = 1, length = 0; length < chars; i++) {
    const line = `${name} line ${i}: a sentence about ${name}, with "quotes" and ${(i * 7919) % 1000} in it.`
    lines.push(line)
    length += line.length + 1
  }
  return `${lines.join('\n').slice(0, Math.max(0, chars - end.length - 1))}\n${end}`
}

/** One request as it was sent, with the step it belongs to. */
export interface Sent {
  readonly path: string
  readonly n: number
  readonly request: ModelRequest
}

/**
 * Answers a request like the functions of a ScriptedModel. It must judge by the request alone, so that a run can be interrupted and
 * resumed.
 */
export type Script = (request: ModelRequest, io: ModelIo) => unknown

export interface Given extends Omit<StartOptions, 'id' | 'onEvent'> {
  readonly goal: string
  readonly script: Script
  readonly tools?: EngineOptions['tools']
  readonly promptTokens?: number
  readonly window?: number
  readonly strategies?: EngineOptions['strategies']
  /** Answers to questions that are asked, by their text; other questions are answered with "yes". */
  readonly answers?: Readonly<Record<string, unknown>>
  /** Called with each event, to send messages at a certain point. */
  onEvent?(event: Event, signal: (path: string, name: string, value: unknown) => Promise<void>): void
}

export interface Ran {
  readonly outcome: RunOutcome
  readonly events: readonly Event[]
  readonly sent: readonly Sent[]
  /** The text behind a reference, as `read_result` gives it; undefined where there is none. */
  read(ref: string): string | undefined
  of(kind: string, path?: string): readonly ModelRequest[]
}

const RUN = 'needles'

/** Solves the goal, and checks that the run replays equal. */
export async function solve(given: Given): Promise<Ran> {
  return follow(given, memoryStore(), (engine, options) => engine.start(given.goal, options))
}

/**
 * The same with a crash right after the n-th event and a second process that resumes the run. `sent` has the requests of both
 * processes.
 */
export async function solveWithCrash(given: Given, atEvent: number): Promise<Ran> {
  const store = memoryStore()
  const before: Sent[] = []
  const crashing = engineOf(given, crashAt(store, atEvent), before)
  const options = startOptions(given)
  await (await crashing.start(given.goal, options).catch(() => null))?.outcome.catch(() => null)
  await crashing.close().catch(() => {})
  const after = await follow(given, store, (engine) =>
    store.has(RUN) ? engine.resume(RUN) : engine.start(given.goal, options),
  )
  return { ...after, sent: [...before, ...after.sent] }
}

/** All messages as one text. */
export function textOf({ messages }: ModelRequest): string {
  return messages.map(messageText).join('\n')
}

/** Each of the texts stands in the request from its first to its last character. */
export function expectWhole(
  request: ModelRequest | undefined,
  texts: Readonly<Record<string, string>>,
): void {
  const shown = textOf(present(request))
  const missing = Object.entries(texts).filter(([, text]) => !shown.includes(text))
  expect(
    missing.map(([name]) => name),
    `not whole in ${request?.kind}`,
  ).toEqual([])
}

/** The ends of the texts of these names are there, whatever was left out before them. */
export function expectNeedles(request: ModelRequest | undefined, names: readonly string[]): void {
  const shown = textOf(present(request))
  expect(
    names.filter((name) => !shown.includes(needle(name))),
    `needles missing in ${request?.kind}`,
  ).toEqual([])
}

/** Nothing was left out of these requests. */
export function expectNothingLeftOut(requests: readonly ModelRequest[]): void {
  for (const request of requests) expect(textOf(request)).not.toMatch(/left out/)
}

/** The requests take no more tokens than they may, with all messages, tools and the schema. */
export function expectBound(requests: readonly ModelRequest[], promptTokens: number): void {
  const sizes = requests.map((request) => ({ kind: request.kind, tokens: countRequestTokens(request) }))
  expect(sizes.filter(({ tokens }) => tokens > promptTokens)).toEqual([])
}

/** A mark of something left out. */
export interface LeftOut {
  readonly chars: number
  readonly of: number
  readonly ref: string | undefined
  readonly from: number | undefined
  /** What stands right before and right after the mark. */
  readonly before: string
  readonly after: string
}

const MARK =
  /\[(?:[0-9a-f]{12} )?… ([\d,]+) of ([\d,]+) characters left out(?:; read_result "([^"]+)"(?: from (\d+))?)?\]/g

export function leftOutOf(request: ModelRequest): LeftOut[] {
  const text = textOf(request)
  return [...text.matchAll(MARK)].map(([mark, chars = '', of = '', ref, from], i, all) => {
    const at = all[i]?.index ?? 0
    return {
      chars: Number(chars.replaceAll(',', '')),
      of: Number(of.replaceAll(',', '')),
      ref,
      from: from === undefined ? undefined : Number(from),
      before: text.slice(0, at),
      after: text.slice(at + mark.length),
    }
  })
}

/**
 * Where something was left out, `read_result` is offered, and the reference that stands there gives the exact text: of the size that
 * is said, with what stands before and after the mark in it; what is only counted has a reference that lists it (B3, B4).
 */
export function expectReadable({ sent, read }: Ran): void {
  for (const { request } of sent) {
    const marks = leftOutOf(request)
    if (marks.length > 0 && !isClosing(request))
      expect(
        request.tools?.map(({ name }) => name),
        `${request.kind} offers a reader`,
      ).toContain('read_result')
    for (const mark of marks) expect(wrongWith(mark, read), request.kind).toBeNull()
    for (const [line, ref] of textOf(request).matchAll(COUNT))
      expect(read(ref ?? ''), `${request.kind}: ${line}`).toMatch(/./)
  }
}

/** What stands for older items that have not even a line. */
const COUNT = /\(\d+ earlier (?:items?|lines?) left out(?:; read_result "([^"]+)" [^)]*)?\)/g

function isClosing({ kind }: ModelRequest): boolean {
  return kind.endsWith('/close')
}

const COMPARED = 60

function wrongWith({ chars, of, ref, from, before, after }: LeftOut, read: Ran['read']): string | null {
  if (ref === undefined) return `no reference: …${before.slice(-200)}`
  const text = read(ref)
  if (text === undefined) return `${ref} is not there`
  if (text.length !== of) return `${ref} has ${text.length} characters, not ${of}`
  if (from === undefined) return null
  const head = text.slice(Math.max(0, from - COMPARED), from)
  const tail = text.slice(from + chars, from + chars + COMPARED)
  if (from + chars < of && !after.startsWith(`\n${tail}`)) return `${ref}: another tail than ${tail}`
  return before.includes(head) ? null : `${ref}: another head than ${head}`
}

/** From one request of a loop to the next all that came before the last message stays as it is; true up to a compaction. */
export function expectGrowing(requests: readonly ModelRequest[]): void {
  for (const [i, request] of requests.entries()) {
    const earlier = requests[i - 1]?.messages.slice(0, -1) ?? []
    expect(request.messages.slice(0, earlier.length), `request ${i + 1} of ${request.kind}`).toEqual(earlier)
  }
}

/** Killed after each of the events given (all, unless said) and resumed, the run makes the same requests, byte for byte. */
export async function expectSameAfterCrash(given: Given, events?: readonly number[]): Promise<void> {
  const whole = await solve(given)
  const expected = byStep(whole.sent)
  const points = events ?? Array.from({ length: whole.events.length - 1 }, (_, i) => i + 1)
  for (const n of points) {
    const crashed = await solveWithCrash(given, n)
    expect(byStep(crashed.sent), `killed after event ${n}`).toEqual(expected)
    expect(crashed.outcome.result).toBe(whole.outcome.result)
  }
}

/** A request that was sent twice, because the crash came before its reply, must be the same both times. */
function byStep(sent: readonly Sent[]): Record<string, string> {
  const requests: Record<string, string> = {}
  for (const { path, n, request } of sent) {
    const bytes = JSON.stringify({ ...request, input: undefined })
    expect(requests[`${path}/${n}`] ?? bytes).toBe(bytes)
    requests[`${path}/${n}`] = bytes
  }
  return requests
}

type Engine = ReturnType<typeof createEngine>
type Begin = (engine: Engine, options: StartOptions) => ReturnType<Engine['start']>

async function follow(given: Given, store: Store, begin: Begin): Promise<Ran> {
  const sent: Sent[] = []
  const engine = engineOf(given, store, sent)
  try {
    const run = await begin(engine, startOptions(given))
    const signal = (path: string, name: string, value: unknown) => run.signal(path, name, value)
    for await (const event of run.events) {
      if (!('seq' in event)) continue
      if (event.type === 'signal-asked' && event.question !== undefined)
        await run.answer(given.answers?.[event.question.text] ?? 'yes', { question: event.seq })
      given.onEvent?.(event, signal)
    }
    const outcome = await run.outcome
    const events = [...(await engine.events(run.id))]
    expect((await engine.replay(run.id)).differences).toEqual([])
    const read = await readerOf(engine, run.id)
    const of = (kind: string, path?: string) =>
      sent
        .filter(({ request, path: at }) => request.kind === kind && (path === undefined || at === path))
        .map(({ request }) => request)
    return { outcome, events, sent, read, of }
  } finally {
    await engine.close()
  }
}

function engineOf({ script, tools, promptTokens, window, strategies }: Given, store: Store, sent: Sent[]) {
  const scripted = new ScriptedModel(script as ScriptedFunction)
  const model: Model = {
    id: 'needles',
    ...(window !== undefined && { window }),
    async call(request, io) {
      sent.push({ path: io.path, n: io.n, request: structuredClone(request) })
      // Like any model it takes a while, in which whoever reads the events may say something.
      await setImmediate()
      return scripted.call(request, io)
    },
  }
  return createEngine({
    model,
    store,
    ...(tools !== undefined && { tools }),
    ...(promptTokens !== undefined && { promptTokens }),
    ...(strategies !== undefined && { strategies }),
  })
}

function startOptions(given: Given): StartOptions {
  const { strategy, options, strategyOptions, routes, fallbacks, budget, seed, workspace, approval } = given
  const chosen = { strategy, options, strategyOptions, routes, fallbacks, seed, workspace, approval }
  const present = Object.fromEntries(Object.entries(chosen).filter(([, value]) => value !== undefined))
  return { ...present, id: RUN, budget: { tokens: 1e9, calls: 1e5, ...budget } } as StartOptions
}

/** Reads from the journal like the tool does. */
async function readerOf(engine: Engine, run: string): Promise<Ran['read']> {
  const { recordedText } = await import('../../src/engine/tools/recorded-text.ts')
  const events = [...(await engine.events(run))]
  return (ref) => {
    const search = recordedText(ref)
    for (const event of events) search.follow(event)
    return search.text()
  }
}

function present(request: ModelRequest | undefined): ModelRequest {
  expect(request, 'no such request').toBeDefined()
  return request as ModelRequest
}
