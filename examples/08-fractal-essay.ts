/**
 * The example of the fractal document: a short essay on AI and art in three paragraphs. The second paragraph fails, what it
 * lacked is found, and it is written again. The model is scripted; the strategy, the journal and the recursion are real.
 */
import { createEngine } from 'thinkon'
import { ScriptedModel } from 'thinkon/testing'

export const GOAL = 'Write a short essay on AI and art'
const [generative, assisted, criticism] = [
  'The paragraph on generative art, with DALL·E as its example',
  'The paragraph on assisted work, with a case that moves the reader',
  'The paragraph on art criticism',
]
const repair = 'Find a true case of an artist who works with AI'
const again = `${assisted}: use the case that was found`

/** scripts/picture.ts draws docs/images/essay.svg from it. */
export const script = {
  [GOAL]: [
    { type: 'TODO', description: 'Three paragraphs:\n1. generative art\n2. assisted work\n3. art criticism' },
    { type: 'CALL', description: generative },
    { type: 'CALL', description: assisted },
    { type: 'CALL', description: repair },
    { type: 'CALL', description: again },
    { type: 'CALL', description: criticism },
    { type: 'RETURN', description: 'The essay: three paragraphs, on making, on helping, on judging.' },
  ],
  [generative]: [
    { type: 'RETURN', description: 'DALL·E draws what nobody has seen, and asks who the author is.' },
  ],
  [assisted]: [{ type: 'RETURN', description: 'FAILED: no case at hand that is true and moving.' }],
  [repair]: [
    { type: 'TODO', description: '1. look for interviews\n2. pick one' },
    { type: 'CALL', description: 'Look for interviews with artists who use AI' },
    { type: 'RETURN', description: 'A painter who lost the use of her hands, and paints again.' },
  ],
  'Look for interviews with artists who use AI': [
    { type: 'RETURN', description: 'Five interviews, one of them hers.' },
  ],
  [again]: [
    {
      type: 'RETURN',
      description: 'She says the words, the machine moves the brush, and the picture is hers.',
    },
  ],
  [criticism]: [
    { type: 'RETURN', description: 'A critic now asks what was chosen, not only what was made.' },
  ],
}

const model = new ScriptedModel(script)
const engine = createEngine({ model })
const run = await engine.start(GOAL, { strategy: 'fractal', id: 'essay' })
const outcome = await run.outcome

const { blocks } = await engine.state(run.id)
for (const { path, goal, done, outcome: end } of blocks.values()) {
  console.log(
    `${'  '.repeat(path.split('-').length - 1)}${path} ${goal}\n${'  '.repeat(path.split('-').length)}→ ${end?.result}`,
  )
  if (done.length > 0)
    console.log(`${'  '.repeat(path.split('-').length)}done: ${done.length} results, in this order`)
}
console.log(`\n${outcome.status}: ${outcome.result} (${outcome.usage.calls} calls)`)
model.assertComplete()
await engine.close()
