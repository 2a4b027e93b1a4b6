/**
 * Your own strategy: the folder 16-own-strategy/ next to this file. It is one object, passed to the engine here. Named in the
 * configuration, it also gets flags, help and its drawing on the command line: `strategies: ['./16-own-strategy/index.ts']`.
 */
import { createEngine } from 'thinkon'
import type { ModelRequest } from 'thinkon/protocol'
import { ScriptedModel } from 'thinkon/testing'
import { formatRun } from 'thinkon/views'
import outline from './16-own-strategy/index.ts'

const model = new ScriptedModel(({ kind, input }: ModelRequest) => {
  const { goal, done } = input as { goal: string; done: string[] }
  if (kind === 'outline/merge') return { text: done.join(' ') }
  if (goal === 'A day in three lines') return { parts: ['The morning', 'The noon', 'The night'] }
  return { text: `${goal} comes and goes.` }
})

const engine = createEngine({ model, strategies: [outline] })
const run = await engine.start('A day in three lines', { strategy: 'outline', options: { maxParts: 3 } })
const { status, result } = await run.outcome
console.log(`${status}: ${result}\n`)

const views = new Map([['outline', (await outline.view?.()) ?? {}]])
console.log(formatRun(await engine.events(run.id), views, { format: 'outline', lang: () => 'en' }).text)
await engine.close()
