import assert from 'node:assert/strict'
import { test } from 'node:test'
import { reply, ScriptedModel } from 'thinkon/testing'
import { ask, createAssistant } from './assistant.ts'

test('a question is answered from the folder, with its source', async () => {
  const model = new ScriptedModel({
    'fractal/think': [
      reply('', { toolCalls: [{ id: '1', name: 'read_file', input: { path: 'opening-hours.md' } }] }),
      { type: 'RETURN', description: 'No: the shop is closed on Mondays.' },
    ],
    'output/value': [{ answer: 'No, not on Mondays.', sources: ['opening-hours.md'], ordered: [] }],
  })
  const run = await ask(createAssistant({ model }), 'Are you open on Monday?')
  const outcome = await run.outcome

  assert.equal(outcome.status, 'completed')
  assert.deepEqual(outcome.value?.sources, ['opening-hours.md'])
  assert.match(JSON.stringify(model.calls[1]?.messages), /Closed on Mondays/) // the model has read the file
  model.assertComplete()
})

test('nothing is ordered if the person says no', async () => {
  const model = new ScriptedModel({
    'fractal/think': [
      reply('', { toolCalls: [{ id: '1', name: 'order', input: { item: 'rye bread', count: 20 } }] }),
      { type: 'RETURN', description: 'I may not order any.' },
    ],
    'output/value': [{ answer: 'I may not order any.', sources: [], ordered: [] }],
  })
  const run = await ask(createAssistant({ model }), 'Order rye bread.')
  for await (const event of run.events) {
    if (event.type === 'signal-asked') await run.answer('no', { question: event.seq })
    if (event.type === 'tool-start' && event.name === 'order') assert.ok(event.denied)
  }
  assert.equal((await run.outcome).status, 'completed')
})

test('the recorded conversation gives the same answer again', async () => {
  const model = `replay:${import.meta.dirname}/recorded.jsonl`
  const run = await ask(createAssistant({ model }), 'Are there enough rye breads? If not, order some.')
  for await (const question of run.questions) await question.answer('yes')
  const outcome = await run.outcome

  assert.deepEqual(outcome.value?.ordered, ['20 rye bread'])
})
