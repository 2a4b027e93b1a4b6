/** Asks a real model once, and writes what it says to recorded.jsonl, for the tests. */
import { ask, createAssistant } from './assistant.ts'

const assistant = createAssistant({ model: process.env.MODEL ?? 'openai:gpt-5', record: 'recorded.jsonl' })
const run = await ask(assistant, 'Are there enough rye breads? If not, order some.')
for await (const question of run.questions) await question.answer('yes')
console.log(await run.outcome)
await assistant.close()
