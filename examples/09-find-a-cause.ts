/**
 * Example A of the planner document: find the cause of a login error. Nobody knows it, so the Planner answers with hypotheses
 * (PLAN_PROBES); each is tested by a child that greps real log files, until one is confirmed. The model is scripted.
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
  intent: '定位登录报错原因',
  deliverable: '根因分析报告',
  metric: '能复现并解释错误',
  constraint: '不修改生产数据',
}
const hypotheses = [
  '假设：鉴权服务返回 401，Token 过期或无效',
  '假设：API 网关超时，后端服务未响应',
  '假设：前端请求参数格式错误',
  '假设：数据库连接池耗尽导致查询失败',
]

/** How each hypothesis is tested, and what the test shows. */
const tests = [
  {
    command: 'shell: grep -c " 401" auth.log',
    expected: '退出码 1',
    verdict: 'refuted',
    evidence: 'auth.log 中没有 401',
  },
  {
    command: 'shell: grep " 504" gateway.log',
    expected: '输出包含 "504"',
    verdict: 'confirmed',
    evidence: 'gateway.log 有 504 超时',
  },
]

const sections = (done: string, what: string) =>
  `### 完成情况\n已完成：${done}\n\n### 提交物\n- ${what}\n\n### 指标情况\n- 通过：日志可复核\n\n### 约束符合性\n符合：只读了日志。`

interface Input {
  think: { goal: string | typeof goal; done: string[] }
  path: object[]
}

const model = new ScriptedModel(({ kind, input }) => {
  const { think, path } = input as Input
  const intent = typeof think.goal === 'string' ? think.goal : think.goal.intent
  const n = hypotheses.findIndex((hypothesis) => intent.endsWith(hypothesis.replace('假设：', '')))
  const test = tests[n]
  if (kind === 'planner/plan') {
    if (test === undefined) {
      const new_block = { goal, plan: hypotheses, done: [] }
      const success_signal = '能通过日志或测试复现并确认至少一个假设'
      return { type: 'plan-next', plan_type: 'PLAN_PROBES', new_block, success_signal }
    }
    const new_block = { goal: `查日志：${test.command}`, plan: [], done: [] }
    const executor_call = { command: test.command, inputs: {}, expected_observations: [test.expected] }
    return { type: 'plan-next', plan_type: 'EXECUTE', new_block, executor_call }
  }
  if (test !== undefined) {
    const { verdict, evidence } = test
    return {
      type: 'plan-return',
      status: 'completed',
      result: sections('已检验', evidence),
      verdict,
      evidence,
    }
  }
  const isFound = path.length === 0 || think.done.at(-1)?.startsWith('**证实**')
  if (!isFound) return { type: 'go-on' }
  return {
    type: 'plan-return',
    status: 'completed',
    result: sections('找到原因', '根因：API 网关等后端超时（504）'),
  }
})

const engine = createEngine({ model, tools: builtinTools({ workspace }) })
const approval = { workspace, asks: 'yes' as const }
const run = await engine.start('登录报错，查明原因', { strategy: 'planner', workspace, approval })
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
