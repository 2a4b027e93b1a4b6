/**
 * Strategies that call strategies: a planner whose probes are chains of thought. Nobody knows why the till is short, so the
 * Planner makes hypotheses; none of them needs a command, so each is thought through by `cot` (the option `probeStrategy`),
 * until Reflect finds the success signal met. The model is scripted.
 */
import { createEngine } from 'thinkon'
import { ScriptedModel } from 'thinkon/testing'

const GOAL = 'Find out why the till is 27 dollars short although every receipt is there'
const hypotheses = [
  'A banknote fell behind the drawer',
  'Two digits of an amount were swapped when it was typed in',
  'A refund was paid twice',
]

const CAUSE = 'one receipt says 41 dollars, and 14 were typed in'

/** Each chain: the steps of its plan with their results; the last is the conclusion. */
const chains = [
  [
    ['Which notes make up 27', 'no note is 27; it would take at least four: 20 + 5 + 1 + 1'],
    ['Is that likely', 'Refuted: four notes of three kinds do not fall behind a drawer at once.'],
  ],
  [
    ['What swapping does', '10a + b becomes 10b + a: the difference is 9 × (a − b)'],
    ['Does 27 fit', '27 = 9 × 3: the digits differ by 3, as in 41 and 14'],
    ['Is there such a receipt', `Confirmed: ${CAUSE}.`],
  ],
  [],
] as const

const sections = (text: string) =>
  `### Completion\nCompleted: ${text}\n\n### Deliverables\n- the cause\n\n### Metrics\n- it explains 27 exactly\n\n### Constraints\nkept`

interface Input {
  think: { done: string[] }
  problem: string
  plan: { description: string; status: string; result?: string }[]
}

const model = new ScriptedModel(({ kind, input }) => {
  const { think, problem, plan } = input as Input
  if (kind === 'cot/think') {
    const chain = chains[hypotheses.findIndex((hypothesis) => problem.includes(hypothesis))] ?? []
    const done = plan.filter(({ status }) => status === 'Done').length + (plan.length === 0 ? 0 : 1)
    const planning = chain.map(([description, result], i) =>
      i < done ? { description, status: 'Done', result } : { description, status: 'Pending' },
    )
    const next_thought_needed = done < chain.length
    return { current_thinking: chain[Math.max(0, done - 1)]?.[1], planning, next_thought_needed }
  }
  if (kind === 'planner/plan') {
    const new_block = { goal: `${GOAL}: test what may be the cause`, plan: hypotheses, done: [] }
    return { type: 'plan-next', plan_type: 'PLAN_PROBES', new_block, success_signal: 'one is confirmed' }
  }
  if (!think.done.some((text) => text.includes(CAUSE)))
    return { type: 'go-on', reason: 'no hypothesis is confirmed yet' }
  return { type: 'plan-return', status: 'completed', deliverable: CAUSE, result: sections(CAUSE) }
})

const engine = createEngine({ model })
const run = await engine.start(GOAL, { strategy: 'planner', options: { probeStrategy: 'cot' } })
for await (const event of run.events) {
  if (event.type === 'block-start') {
    const { path, strategy, goal } = event
    console.log(`${path} ‹${strategy}› ${typeof goal === 'string' ? goal : goal.intent}`)
  }
  if (event.type === 'block-end' && event.path.startsWith('1-1-')) console.log(`  → ${event.outcome.result}`)
}
const outcome = await run.outcome
console.log(`\n${outcome.status}, ${outcome.usage.calls} calls\n${outcome.result}`)
await engine.close()
if (outcome.status !== 'completed') process.exitCode = 1
