/** What a real model might say, for making recorded.jsonl without one: `MODEL=module:./scripted-model.ts node record.ts`. */
import { reply, ScriptedModel } from 'thinkon/testing'

const RESULT =
  'Seven rye breads are left, fewer than the twelve that the handbook wants. I have ordered twenty from the bakery.'

function calls(...list: { name: string; input: object }[]) {
  return reply('', { toolCalls: list.map((call, n) => ({ id: `call-${n}`, ...call })) })
}

export default new ScriptedModel({
  'fractal/think': [
    calls({ name: 'list_files', input: {} }),
    calls(
      { name: 'read_file', input: { path: 'large-orders.md' } },
      { name: 'stock', input: { item: 'rye bread' } },
    ),
    calls({ name: 'order', input: { item: 'rye bread', count: 20 } }),
    { type: 'RETURN', description: RESULT },
  ],
  'output/value': [{ answer: RESULT, sources: ['large-orders.md'], ordered: ['20 rye bread'] }],
})
