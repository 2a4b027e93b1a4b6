/**
 * A model that knows neither JSON output nor tools: it writes prose with the answer somewhere in it. Scripted.
 *
 *   thinkon run "what is 6 * 7?" --model module:examples/models/plain-text.ts
 */
import { ABOUT, moveOf, nextStep, scriptedLanguageModel } from './scripted-language-model.ts'

export default scriptedLanguageModel('plain-text', (options) => {
  const move = JSON.stringify(moveOf(nextStep(options), options), null, 2)
  const text = `Let me think about that. I would say:\n\n\`\`\`json\n${move}\n\`\`\`\n\nI hope this helps! ${ABOUT}`
  return [{ type: 'text', text }]
})
