/** Runs `tot` with scripted models, and checks that each run replays equal. */
import { expect } from 'vitest'
import { createEngine, type StartOptions } from '../../src/index.ts'
import type { Model } from '../../src/kernel/model.ts'
import { type Event, type ModelRequest, ThinkonError } from '../../src/protocol/index.ts'
import { checkMessage } from '../../src/strategies/tree-of-thoughts/messages.ts'
import { ScriptedModel } from '../../src/testing/index.ts'

export async function solve(goal: string, given: Script | Model, options: StartOptions = {}) {
  const model = typeof given === 'function' ? new ScriptedModel(given as never) : given
  const engine = createEngine({ model })
  const run = await engine.start(goal, { strategy: 'tot', ...options })
  const outcome = await run.outcome
  const events: Event[] = [...(await engine.events(run.id))]
  const state = await engine.state(run.id)
  expect((await engine.replay(run.id)).differences).toEqual([])
  await engine.close()
  const notes = (name: string) =>
    events.flatMap((event) => (event.type === 'note' && event.name === name ? [event.data] : []))
  const messages = notes('tot/message').map(checkMessage)
  return { outcome, events, state, notes, messages, model: model as ScriptedModel }
}

export type Script = (request: ModelRequest) => unknown

/** Ideas 1 to n, the later the better; the second sample scores one more. */
export function prover(decomposition: object = {}, verification: object = { is_valid: true }): Script {
  return ({ kind, input }) => {
    const given = input as Record<string, never>
    switch (kind) {
      case 'tot/decompose':
        return {
          thought_granularity: 'idea',
          intermediate_steps: [],
          depth_estimate: 3,
          constraints: [],
          success_criteria: 'it is proved',
          ...decomposition,
        }
      case 'tot/generate': {
        const {
          num_candidates: n,
          draw,
          thoughts,
        } = given as unknown as {
          num_candidates: number
          draw?: { n: number }
          thoughts: string[]
        }
        const above = thoughts.length === 0 ? '' : `${thoughts.at(-1)} `
        const names = draw === undefined ? Array.from({ length: n }, (_, i) => i + 1) : [draw.n]
        return { candidates: names.map((name) => ({ content: `${above}idea ${name}`, action_type: 'idea' })) }
      }
      case 'tot/evaluate': {
        const { content, sample } = given as unknown as { content: string; sample: number }
        const score = 4 + Number(/(\d)$/.exec(content)?.[1] ?? 1) + sample - 1
        return { score, confidence: 0.8, reasoning: 'so it seems' }
      }
      case 'tot/synthesize': {
        const { thoughts } = given as unknown as { thoughts: string[] }
        return { answer: thoughts.at(-1), reasoning_trace: thoughts, confidence: 0.9, verification }
      }
      default:
        return new Error(`not foreseen: ${kind}`)
    }
  }
}

/** Drafts by number; the second wins every vote. */
export function writer(): Script {
  return ({ kind, input }) => {
    if (kind === 'tot/task-type') return { task_type: 'creative_writing', reason: 'a slogan' }
    if (kind === 'tot/generate') {
      const { draw } = input as { draw: { n: number } }
      return {
        candidates: [{ content: `draft ${draw.n}`, action_type: 'paragraph' }],
      }
    }
    if (kind === 'tot/vote') {
      const { candidates } = input as { candidates: { node_id: string; thoughts: string[] }[] }
      return {
        evaluations: candidates.map(({ node_id, thoughts }) => {
          const wins = thoughts.every((thought) => thought === 'draft 2')
          return { node_id, score: wins ? 9 : 6, confidence: 0.8, reasoning: 'compared' }
        }),
      }
    }
    if (kind !== 'tot/synthesize') return prover({ depth_estimate: 2 })({ kind, input } as ModelRequest)
    const { thoughts } = input as { thoughts: string[] }
    return {
      answer: thoughts.join(' / '),
      reasoning_trace: thoughts,
      confidence: 0.9,
      verification: { is_valid: true },
    }
  }
}

/** The prover's model, which fails at requests of the kind where `fails` says so. */
export function failing(kind: string, fails: (input: unknown) => boolean): Script {
  return (request) =>
    request.kind === kind && fails(request.input)
      ? new ThinkonError('MODEL_ERROR', 'the model is gone')
      : prover()(request)
}
