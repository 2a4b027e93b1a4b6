/**
 * Example A of the planner document: find the cause of a login error. Nobody knows it, so the Planner answers with hypotheses
 * (PLAN_PROBES). One look at the real log files decides three of them, which `update_plan` says; Reflect gives the verdicts. The
 * model is scripted.
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { builtinTools, createEngine } from 'thinkon'
import { ScriptedModel } from 'thinkon/testing'

const workspace = mkdtempSync(join(tmpdir(), 'thinkon-example-'))
writeFileSync(join(workspace, 'auth.log'), 'POST /token 200\nPOST /token 200\n')
writeFileSync(join(workspace, 'gateway.log'), 'GET / 200\nPOST /login 504 upstream timed out\n')
writeFileSync(join(workspace, 'db.log'), 'pool: 3 of 20 connections in use\n')

const goal = {
  intent: 'Find the cause of the login error',
  deliverable: 'an analysis of the cause',
  metric: 'it explains the error, and the error can be reproduced',
  constraint: 'production data is not changed',
}
const hypotheses = [
  'The auth service returns 401: the token is invalid or has expired',
  'The API gateway times out: the service behind it does not answer',
  'The front end sends parameters in a wrong format',
  'The pool of database connections is exhausted, and queries fail',
]

/** What the logs show of the hypotheses, by their numbers; they say nothing about the third. */
const verdicts = [
  { hypothesis: 1, verdict: 'refuted', evidence: 'there is no 401 in auth.log' },
  { hypothesis: 2, verdict: 'confirmed', evidence: 'gateway.log has a 504: upstream timed out' },
  { hypothesis: 4, verdict: 'refuted', evidence: 'db.log shows 3 of 20 connections in use' },
]

const sections = (done: string, what: string) =>
  `### Completion\nCompleted: ${done}\n\n### Deliverables\n- ${what}\n\n### Metrics\n- passed: the logs show it\n\n### Constraints\nkept: the logs were only read`

const planNext = (plan_type: string, new_block: object, more: object) => ({
  type: 'plan-next',
  plan_type,
  new_block: { ...new_block, done: [] },
  ...more,
})

const model = new ScriptedModel(({ kind, input }) => {
  const isRoot = (input as { path: object[] }).path.length === 0
  if (kind === 'planner/reflect')
    return {
      type: 'plan-return',
      status: 'completed',
      result: sections(
        'the cause is found',
        'the API gateway times out waiting for the service behind it (504)',
      ),
      ...(!isRoot && { verdicts }),
    }
  if (isRoot)
    return planNext(
      'PLAN_PROBES',
      { goal, plan: hypotheses },
      { success_signal: 'a log or a test confirms at least one hypothesis' },
    )
  const command = 'shell: grep -H "" auth.log gateway.log db.log'
  const executor_call = { command, inputs: {}, expected_observations: ['exit code 0'] }
  return planNext(
    'EXECUTE',
    { goal: 'Look at all logs at once', plan: [] },
    { executor_call, update_plan: [hypotheses[2]] },
  )
})

const engine = createEngine({ model, tools: builtinTools({ workspace }) })
const approval = { workspace, asks: 'yes' as const }
const run = await engine.start('The login fails: find out why', { strategy: 'planner', workspace, approval })
for await (const event of run.events) {
  if (event.type === 'block-start') console.log(`${event.path} ${JSON.stringify(event.goal).slice(0, 60)}`)
  if (event.type !== 'note' || event.name !== 'planner/probe-judged') continue
  const { hypothesis, verdict, evidence } = event.data as Record<string, string>
  console.log(`  ${hypothesis}\n  → ${verdict}: ${evidence}`)
}
const outcome = await run.outcome
console.log(`\n${outcome.status}, ${outcome.usage.calls} calls\n${outcome.result}`)
await engine.close()
rmSync(workspace, { recursive: true, force: true })
if (outcome.status !== 'completed') process.exitCode = 1
