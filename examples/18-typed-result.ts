/** A result for a program: checked against a schema, asked for again with what was wrong, and typed. */
import { solve } from 'thinkon'
import { ScriptedModel } from 'thinkon/testing'
import { z } from 'zod'

const output = z
  .object({
    shop: z.string(),
    price: z.number().positive().describe('in euros'),
    pros: z.array(z.string()).min(1),
  })
  .refine(({ shop }) => shop !== 'Closed Ltd', 'Closed Ltd has closed: choose another shop')

// In place of a language model: it answers in prose first, and its value is refused once.
const model = new ScriptedModel({
  'minimal/next': [{ do: 'return', result: 'Take the one of Corner Shop: 4 euros, and it is near.' }],
  'output/value': [
    { shop: 'Closed Ltd', price: 3, pros: ['cheap'] },
    { shop: 'Corner Shop', price: 4, pros: ['near'] },
  ],
})

const outcome = await solve('Which offer is the best?', { strategy: 'minimal', model, output })

if (outcome.status !== 'completed') throw new Error(outcome.reason)
const { shop, price, pros } = outcome.value
console.log(`${shop}: ${price.toFixed(2)} euros, ${pros.join(', ')}`)
console.log(outcome.result)
