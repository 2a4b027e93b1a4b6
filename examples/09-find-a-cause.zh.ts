/**
 * 登录报错，原因不明：规划器先给出几个假设（PLAN_PROBES），看一遍真实的日志就能判定其中三个（见 `update_plan`），最后由反思给出结论。
 * 模型的回答是事先写好的，其余部分都是真实运行。英文版：09-find-a-cause.ts
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

/** 日志能说明哪些假设（按编号）；第三个在日志里看不出来。 */
const verdicts = [
  { hypothesis: 1, verdict: 'refuted', evidence: 'auth.log 中没有 401' },
  { hypothesis: 2, verdict: 'confirmed', evidence: 'gateway.log 有 504 超时' },
  { hypothesis: 4, verdict: 'refuted', evidence: 'db.log 显示连接池只用了 3/20' },
]

const sections = (done: string, what: string) =>
  `### 完成情况\n已完成：${done}\n\n### 提交物\n- ${what}\n\n### 指标情况\n- 通过：日志可复核\n\n### 约束符合性\n符合：只读了日志。`

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
      result: sections('找到原因', '根因：API 网关等后端超时（504）'),
      ...(!isRoot && { verdicts }),
    }
  if (isRoot)
    return planNext(
      'PLAN_PROBES',
      { goal, plan: hypotheses },
      { success_signal: '能通过日志或测试复现并确认至少一个假设' },
    )
  const command = 'shell: grep -H "" auth.log gateway.log db.log'
  const executor_call = { command, inputs: {}, expected_observations: ['退出码 0'] }
  return planNext(
    'EXECUTE',
    { goal: '一次查看全部日志', plan: [] },
    { executor_call, update_plan: [hypotheses[2]] },
  )
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
console.log(`\n${outcome.status}，共 ${outcome.usage.calls} 次调用\n${outcome.result}`)
await engine.close()
rmSync(workspace, { recursive: true, force: true })
if (outcome.status !== 'completed') process.exitCode = 1
