/**
 * A model that calls tools natively. If it is asked to reply through a tool (`thinkon_reply`), it does. Scripted.
 *
 *   thinkon run "what is 6 * 7?" --model module:examples/models/tool-calling.ts
 */
import { moveOf, nextStep, scriptedLanguageModel } from './scripted-language-model.ts'

const answer: Parameters<typeof scriptedLanguageModel>[1] = (options) => {
  const step = nextStep(options)
  const call = (toolName: string, input: object) => [
    { type: 'tool-call' as const, toolCallId: `call-${toolName}`, toolName, input: JSON.stringify(input) },
  ]
  if (step.do === 'calculate') return call('calculate', { expression: step.expression })
  const repliesByTool = options.tools?.some(({ name }) => name === 'thinkon_reply')
  if (repliesByTool) return call('thinkon_reply', moveOf(step, options))
  return [{ type: 'text', text: JSON.stringify(moveOf(step, options)) }]
}

export default scriptedLanguageModel('tool-calling', answer, { nativeTools: true })
