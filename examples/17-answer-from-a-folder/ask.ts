/** `node ask.ts "<question>"` answers it. A run that was stopped is continued first. */
import { createInterface } from 'node:readline/promises'
import { Answer, ask, createAssistant } from './assistant.ts'

const [question = 'What can I ask?'] = process.argv.slice(2)
const assistant = createAssistant({ model: process.env.MODEL ?? 'openai:gpt-5', store: 'runs.db' })

const [stopped] = await assistant.list({ status: ['stopped', 'waiting'], limit: 1 })
const run = stopped ? await assistant.resume(stopped.id, { output: Answer }) : await ask(assistant, question)
console.log(stopped ? `continuing ${run.id}` : `run ${run.id}`)

const [outcome] = await Promise.all([run.outcome, show(), review()])
if (outcome.status === 'completed') {
  console.log(outcome.value.answer)
  console.log(`sources: ${outcome.value.sources.join(', ')}`)
} else console.log(`${outcome.status}: ${outcome.reason}\n${outcome.result}`)
console.log(`${outcome.usage.calls} calls`)
await assistant.close()

/** What it does, a line for each call of a tool. */
async function show() {
  for await (const step of run.thoughts) if (step.kind === 'tool' && step.done) console.log(`· ${step.text}`)
}

/** A person permits what is more than reading, or does not. */
async function review() {
  const terminal = createInterface({ input: process.stdin, output: process.stdout })
  for await (const { text, choices = [], answer } of run.questions) {
    await answer(await terminal.question(`${text}\n${choices.join(' / ')}? `))
  }
  terminal.close()
}
