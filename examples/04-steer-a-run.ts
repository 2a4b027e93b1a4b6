/** A person in the loop: a run asks a question, gets an answer and a message, and one of its parts is skipped. */
import { createEngine } from 'thinkon'
import { ScriptedModel } from 'thinkon/testing'

const model = new ScriptedModel((request) => {
  const { goal, done, timeline } = request.input as { goal: string; done: string[]; timeline: string }
  if (goal === 'the endless part') return new Promise(() => {})
  if (goal !== 'paint the shed') return { do: 'return', result: `${goal}: painted` }
  if (!timeline.includes('Which colour?'))
    return { do: 'ask', question: { text: 'Which colour?', choices: ['red', 'blue'] } }
  if (done.length === 0) return { do: 'call', goals: ['the door', 'the endless part'] }
  return { do: 'return', result: `${done.join('; ')} — ${timeline.includes('"red"') ? 'in red' : 'in blue'}` }
})

const engine = createEngine({ model })
const run = await engine.start('paint the shed', { strategy: 'minimal' })

for await (const event of run.events) {
  if (event.type === 'signal-asked') {
    console.log(`it asks: ${event.question?.text}`)
    await run.answer('red', { question: event.seq })
  }
  if (event.type === 'block-start' && event.goal === 'the endless part') {
    console.log('that part never ends: skip it')
    await run.signal(event.path, 'skip', 'never mind')
  }
}

const outcome = await run.outcome
console.log(`${outcome.status}: ${outcome.result}`)
await engine.close()
