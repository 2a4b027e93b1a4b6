/**
 * A model that answers with JSON and nothing else, and calls no tools natively. Scripted.
 *
 *   thinkon run "what is 6 * 7?" --model module:examples/models/json-only.ts
 */
import { moveOf, nextStep, scriptedLanguageModel } from './scripted-language-model.ts'

export default scriptedLanguageModel('json-only', (options) => [
  { type: 'text', text: JSON.stringify(moveOf(nextStep(options), options)) },
])
