/** A goal in, an outcome out. The model is scripted: each reply is what a language model might have written. */
import { solve } from 'thinkon'
import { ScriptedModel } from 'thinkon/testing'

const model = new ScriptedModel([
  { do: 'plan', todo: ['name three colours', 'say which is warmest'] },
  { do: 'return', result: 'Red, green and blue; red is the warmest.' },
])

const outcome = await solve('Name three colours and say which is the warmest', { strategy: 'minimal', model })

console.log(`${outcome.status}: ${outcome.result}`)
console.log(`${outcome.usage.calls} calls, run ${outcome.run}`)
model.assertComplete()
