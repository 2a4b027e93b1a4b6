/** What the snippets take for granted: values that the reader's own program has. Only what a snippet names is imported. */
import { createEngine } from 'thinkon'
import type { AgentFunction, Plan } from 'thinkon/strategies'
import { ScriptedModel } from 'thinkon/testing'

const THOUGHT = {
  current_thinking: 'The second offer is the best.',
  planning: [{ description: 'Compare', status: 'Done', result: 'compared' }],
  next_thought_needed: false,
}

/** Answers whatever it is asked, in the form of each strategy. */
export const model = new ScriptedModel({
  'auto/classify': () => ({ strategy: 'fractal', needs: [], reason: 'it is a question' }),
  'fractal/think': () => ({ type: 'RETURN', description: 'The second offer is the best.' }),
  'minimal/next': () => ({ do: 'return', result: 'The second offer is the best.' }),
  'cot/thought': () => THOUGHT,
})

export const apiKey = 'none'

export async function callLlm(): Promise<string> {
  return `\`\`\`yaml\n${JSON.stringify(THOUGHT)}\n\`\`\``
}

/** A run that has ended. */
export const run = await createEngine({ model }).start('Which offer is the best?', { strategy: 'minimal' })
await run.outcome

export const releasePlan: Plan = {
  main_task: 'Release',
  main_task_goal: 'The release is out.',
  tasks: [{ subtask_name: 'Tag', subtask_goal: 'The tag is set.' }],
}

export function notify(_status: string): void {}

export const generator: AgentFunction<'generate_thoughts'> = () => ({
  candidates: [{ temp_id: '1', content: 'Qh7#', action_type: 'move' }],
})

export const evaluator: AgentFunction<'evaluate_thoughts'> = ({ payload }) => ({
  evaluations: payload.candidates.map(({ id }) => ({
    node_id: id,
    score: 9,
    confidence: 1,
    reasoning: 'it is mate',
  })),
  ranking: [],
  pruning_suggestions: [],
})

export function isMate(answer: string): boolean {
  return answer.includes('#')
}
