/** A limit for the whole tree: the run ends as partial, names the limit, and returns what it has. */
import { solve } from 'thinkon'
import { ScriptedModel } from 'thinkon/testing'

/** Would never end. */
const model = new ScriptedModel((request) => {
  const { goal, done } = request.input as { goal: string; done: string[] }
  if (request.kind === 'minimal/close')
    return { do: 'return', result: `In short: ${done.length} parts are there.` }
  if (goal.startsWith('part')) return { do: 'return', result: `${goal} is there` }
  return { do: 'call', goals: [`part ${done.length + 1}`] }
})

const outcome = await solve('write an endless book', { strategy: 'minimal', model, budget: { calls: 12 } })

console.log(`${outcome.status} (${outcome.limit}): ${outcome.result}`)
console.log(outcome.reason)
