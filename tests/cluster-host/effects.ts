// What the worker processes of the tests can do: a strategy of model calls and tools, one that asks a person, and a line in a file for each
// effect that begins or ends, so that what happened can be counted across processes.

import { appendFileSync, existsSync, readFileSync } from 'node:fs'
import { setTimeout as pause } from 'node:timers/promises'
import type { Model, ModelIo, Strategy, Tool } from '../../src/index.ts'
import type { Event } from '../../src/protocol/index.ts'

export interface Effect {
  readonly what: 'begin' | 'end' | 'abort'
  readonly name: string
  readonly step: string
  readonly pid: number
  readonly atMs: number
}

interface Chain {
  readonly steps: number
  readonly ms: number
}

/** Each step: a model call, a tool that reads and one that writes. Says how many writes were interrupted. */
const chain: Strategy<Chain> = {
  name: 'chain',
  version: 1,
  options: (given) => ({ steps: 3, ms: 20, ...given }),
  async solve(context) {
    const { steps, ms } = context.options
    let interrupted = 0
    for (let step = 1; step <= steps; step++) {
      await context.one(
        context.model({ kind: 'test/say', version: 1, role: 'act', input: { ms }, messages: [] }),
      )
      await context.one(context.tool('look', { step, ms }))
      const [sent] = await context.all([context.tool('send', { step, ms })])
      if (sent?.ok === false) interrupted++
    }
    return `${steps} steps, ${interrupted} interrupted`
  },
}

function asks(version: number): Strategy<object> {
  return {
    name: 'asks',
    version,
    options: (given) => given,
    async solve(context) {
      const answer = await context.one(context.ask({ text: 'What?' }))
      const said = await context.one(context.tool('look', { step: 1, ms: 1 }))
      return `${answer} ${said}`
    },
  }
}

export function strategiesOf(version = 1): Strategy<never>[] {
  return [chain, asks(version)] as unknown as Strategy<never>[]
}

/** `log`: null for a client, which performs nothing. */
export function effectsOn(log: string | null): { model: Model; tools: Tool[] } {
  const note = (what: Effect['what'], name: string, step: string) => {
    const effect: Effect = { what, name, step, pid: process.pid, atMs: Date.now() }
    if (log !== null) appendFileSync(log, `${JSON.stringify(effect)}\n`)
  }
  const effect = async (name: string, input: unknown, io: Pick<ModelIo, 'run' | 'path' | 'n' | 'signal'>) => {
    const step = `${io.run}/${io.path}/${io.n}`
    note('begin', name, step)
    io.signal.addEventListener('abort', () => note('abort', name, step), { once: true })
    await pause((input as Chain).ms)
    note('end', name, step)
    return 'ok'
  }
  const tool = (name: string, access: 'read' | 'write'): Tool => ({
    name,
    description: name,
    access,
    run: (input, io) => effect(name, input, io),
  })
  return {
    tools: [tool('look', 'read'), tool('send', 'write')],
    model: {
      id: 'test',
      async call(request, io) {
        io.onDelta?.('half ')
        await effect('model', request.input, io)
        return { text: 'ok', usage: { inputTokens: 10, outputTokens: 5 } }
      },
    },
  }
}

export function readEffects(log: string): Effect[] {
  if (!existsSync(log)) return []
  const lines = readFileSync(log, 'utf8').split('\n').filter(Boolean)
  return lines.map((line) => JSON.parse(line) as Effect)
}

/** Writes that were begun more than once, and steps that were begun though the journal had their end: there must be none (K2). */
export function repeated(events: readonly Event[], effects: readonly Effect[]): string[] {
  const endMs = new Map<string, number>()
  for (const event of events)
    if (event.type === 'tool-end' || event.type === 'model-end')
      endMs.set(`${event.run}/${event.path}/${event.n}`, Date.parse(event.ts))
  const begun = effects.filter(({ what, step }) => what === 'begin' && step.startsWith(`${events[0]?.run}/`))
  const writes = begun.filter(({ name }) => name === 'send').map(({ step }) => step)
  const twice = writes.filter((step, at) => writes.indexOf(step) !== at)
  const isAgain = (step: string, at: number) => begun.findIndex((effect) => effect.step === step) < at
  const late = begun.filter(
    ({ step, atMs }, at) => isAgain(step, at) && atMs > (endMs.get(step) ?? Number.POSITIVE_INFINITY),
  )
  return [
    ...twice.map((step) => `written twice: ${step}`),
    ...late.map(({ name, step }) => `${name} again: ${step}`),
  ]
}
