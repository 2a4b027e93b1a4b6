/**
 * Strategies that call strategies: a fractal essay whose hard paragraph is found by a tree search. Eval names the strategy for a
 * sub-goal ("strategy": "tot"); the search generates openings, judges them, prunes the worst and continues with the best. It is
 * still one run: one budget, one journal. The model is scripted; strategies, search and journal are real.
 */
import { createEngine } from 'thinkon'
import { ScriptedModel } from 'thinkon/testing'

const GOAL = 'Write a short essay on lighthouses'
const easy = 'The paragraph on how a lighthouse works'
const hard = 'The closing paragraph, which must move the reader without a cliché'

/** The candidates of the search by their parent, each with the judge's score. */
const openings: Record<string, Record<string, number>> = {
  '': {
    'Every light is a promise.': 3,
    'The last keeper left on a Tuesday, and the light did not notice.': 8,
    'Ships need no stars any more.': 6,
  },
  'The last keeper left on a Tuesday, and the light did not notice.': {
    'It turned that night as on all nights, for nobody in particular, and somebody was saved.': 9,
    'It was an LED by then.': 5,
  },
  'Ships need no stars any more.': { 'They have satellites, and the satellites have no doubts.': 6 },
}

interface Input {
  goal: string
  done: string[]
  thoughts: string[]
}

const model = new ScriptedModel(({ kind, input }) => {
  const { goal, done, thoughts } = input as Input
  switch (kind) {
    case 'fractal/think':
      if (goal === easy)
        return { type: 'RETURN', description: 'A lamp, a lens, and a clockwork to turn them.' }
      return { type: 'TODO', description: '1. how it works\n2. a close that moves the reader' }
    case 'fractal/eval':
      if (done.length === 0) return { type: 'CALL', description: easy }
      if (done.length === 1) return { type: 'CALL', description: hard, strategy: 'tot' }
      return { type: 'RETURN', description: done.join('\n\n') }
    case 'tot/decompose':
      return {
        thought_granularity: 'a sentence',
        intermediate_steps: ['an opening', 'a close'],
        depth_estimate: 2,
        constraints: ['no cliché'],
        success_criteria: 'the reader is moved',
      }
    case 'tot/generate': {
      const sentences = openings[thoughts.at(-1) ?? ''] ?? {}
      return { candidates: Object.keys(sentences).map((content) => ({ content })) }
    }
    case 'tot/evaluate': {
      const scores = openings[thoughts.at(-2) ?? ''] ?? {}
      return { score: scores[thoughts.at(-1) ?? ''] ?? 0, confidence: 0.9, reasoning: 'read aloud' }
    }
    case 'tot/synthesize':
      return {
        answer: thoughts.join(' '),
        reasoning_trace: thoughts,
        confidence: 0.9,
        verification: { is_valid: true },
      }
    default:
      throw new Error(`nobody foresaw ${kind}`)
  }
})

const engine = createEngine({ model })
const run = await engine.start(GOAL, {
  strategy: 'fractal',
  // Wherever a tree search is chosen: two sentences; two candidates survive a round, each judged on its own.
  strategyOptions: {
    tot: {
      task_type: 'creative_writing',
      generation: 'sequential_proposal',
      evaluation: 'independent_scoring',
      beam: 2,
    },
  },
  budget: { tokens: 200_000 },
})
const outcome = await run.outcome
for (const { path, goal, strategy, outcome: end } of (await engine.state(run.id)).blocks.values())
  console.log(`${path} ‹${strategy}› ${goal} (${end?.usage.calls} calls)`)
console.log(`\n${outcome.result}\n\n${outcome.status}, ${outcome.usage.calls} calls in all`)
await engine.close()
if (!outcome.result.endsWith('somebody was saved.')) process.exitCode = 1
