// Runs the strategy `cot` with a scripted model, replays each run, and reads its notes.
import { expect } from 'vitest'
import { createEngine, type StartOptions } from '../../src/index.ts'
import { type Event, type ModelRequest, messageText } from '../../src/protocol/index.ts'
import type { PlanStep, Thought } from '../../src/strategies/chain-of-thought/schema.ts'
import { ScriptedModel } from '../../src/testing/index.ts'

export interface Input {
  problem: string
  thought_number: number
  isFirst: boolean
  thoughts: Thought[]
  plan: PlanStep[]
  next: { number: string; status: string } | null
  told?: string[]
}

export const PENDING: PlanStep = { description: 'count', status: 'Pending' }
export const DONE: PlanStep = { description: 'count', status: 'Done', result: '7' }

export function notes(events: readonly Event[], name: string): Record<string, unknown>[] {
  return events.flatMap((event) =>
    event.type === 'note' && event.name === name ? [event.data as Record<string, unknown>] : [],
  )
}

export function promptOf(request: ModelRequest | undefined): string {
  return request?.messages.map(messageText).join('\n') ?? ''
}

export async function solve(problem: string, script: ConstructorParameters<typeof ScriptedModel>[0]) {
  const model = new ScriptedModel(script)
  const solved = await solveWith(model, problem, {})
  model.assertComplete()
  return { ...solved, model }
}

export async function solveWith(model: ScriptedModel, problem: string, options: StartOptions) {
  const engine = createEngine({ model })
  const run = await engine.start(problem, { strategy: 'cot', ...options })
  const outcome = await run.outcome
  const events = [...(await engine.events(run.id))]
  expect((await engine.replay(run.id)).differences).toEqual([])
  await engine.close()
  return { outcome, events }
}
