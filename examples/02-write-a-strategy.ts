/**
 * A strategy is one function over a Context. This one asks for several drafts at once and lets the model judge the best. It has
 * no state of its own, so it can be killed, resumed, replayed and forked without any code for that.
 */
import { type Context, solve } from 'thinkon'
import { defineStrategy } from 'thinkon/strategies'
import { ScriptedModel } from 'thinkon/testing'

const bestOf = defineStrategy({
  name: 'best-of',
  version: 1,
  options: (given) => ({ drafts: Number(given.drafts ?? 3) }),
  async solve(context) {
    const asked = Array.from({ length: context.options.drafts }, (_, i) =>
      context.model(ask(context, `draft ${i + 1}`)),
    )
    const drafts = (await context.all(asked)).flatMap((result) => (result.ok ? [result.value.text] : []))
    context.plan(drafts.map((draft) => `weigh: ${draft}`))
    const verdict = await context.one(context.model(ask(context, `best of: ${drafts.join(' | ')}`)))
    return verdict.text
  },
})

function ask(context: Context, what: string) {
  const content = `Goal: ${context.block.goal}\n${what}`
  return {
    kind: `best-of/${what.split(' ')[0]}`,
    version: 1,
    role: 'act',
    messages: [{ role: 'user', content }],
  } as const
}

const model = new ScriptedModel(['Tea at dawn', 'Rain on slate', 'A slow train', 'Rain on slate'])
const outcome = await solve('A title of three words', { strategy: 'best-of', strategies: [bestOf], model })

console.log(`${outcome.status}: ${outcome.result}`)
