/** A prompt for each strategy: editors offer them as `/tot`, `/planner` … */
import {
  type GetPromptResult,
  type ListPromptsResult,
  ProtocolError,
  ProtocolErrorCode,
} from '@modelcontextprotocol/server'
import { nearest } from '../../protocol/index.ts'
import type { Service } from '../service.ts'

export function listPrompts({ strategies }: Service): ListPromptsResult {
  return {
    prompts: [...strategies.values()].map(({ name, summary = '' }) => ({
      name,
      title: `Thinkon: ${name}`,
      description: summary,
      arguments: [{ name: 'goal', description: 'What is to be reached', required: true }],
    })),
  }
}

export function getPrompt(
  { strategies }: Service,
  name: string,
  given: Record<string, string> = {},
): GetPromptResult {
  const strategy = strategies.get(name)
  if (strategy === undefined) {
    const near = nearest(name, strategies.keys())
    const hint =
      near === undefined ? `; there are: ${[...strategies.keys()].join(', ')}` : `: did you mean "${near}"?`
    throw invalid(`there is no prompt "${name}"${hint}`)
  }
  const { goal = '' } = given
  if (goal.trim() === '') throw invalid(`the prompt "${name}" needs a goal: say what you want done`)
  const text = [
    `Have Thinkon work out this goal with its strategy "${name}": call the tool "run" with`,
    JSON.stringify({ strategy: name, goal }),
    'While the status is "running", call "wait" with the run\'s handle. If there are questions, ask me, and pass my answers on with "answer".',
    'In the end give me the result as it is, and say so if the run did not complete.',
  ].join('\n')
  return {
    description: strategy.summary ?? name,
    messages: [{ role: 'user', content: { type: 'text', text } }],
  }
}

function invalid(message: string): ProtocolError {
  return new ProtocolError(ProtocolErrorCode.InvalidParams, message)
}
