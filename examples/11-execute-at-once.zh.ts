/**
 * 一条命令就能完成的目标：规划器直接回答 EXECUTE。文件真的会写出来，每一条预期观察都由程序核对。模型的回答是事先写好的。
 * 英文版：11-execute-at-once.ts
 */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { builtinTools, createEngine } from 'thinkon'
import { ScriptedModel } from 'thinkon/testing'

const goal = {
  intent: '创建 login.html 骨架',
  deliverable: 'login.html 文件',
  metric: '包含表单元素',
  constraint: 'HTML5 语法',
}
const html = '<!DOCTYPE html>\n<title>Login</title>\n<form><input name="user"></form>'
const executor_call = {
  command: `shell: cat > login.html << 'EOF'\n${html}\nEOF`,
  inputs: {},
  expected_observations: ['退出码 0', 'login.html 文件存在', '文件包含 <form> 标签'],
}
const result =
  '### 完成情况\n已完成：骨架已创建。\n\n### 提交物\n- login.html：含表单。\n\n### 指标情况\n- 通过：文件包含 <form>。\n\n### 约束符合性\n符合。'

const model = new ScriptedModel([
  { type: 'plan-next', plan_type: 'EXECUTE', new_block: { goal, plan: [], done: [] }, executor_call },
  { type: 'plan-return', status: 'completed', result },
])

const workspace = mkdtempSync(join(tmpdir(), 'thinkon-example-'))
const engine = createEngine({ model, tools: builtinTools({ workspace }) })
const approval = { workspace, asks: 'yes' as const }
const run = await engine.start(goal, { strategy: 'planner', workspace, approval })
const outcome = await run.outcome

console.log(`执行结果：\n\n${(await engine.state(run.id)).blocks.get('1-1')?.outcome?.result}\n`)
console.log(`login.html：\n\n${readFileSync(join(workspace, 'login.html'), 'utf8')}`)
console.log(`${outcome.status}，共 ${outcome.usage.calls} 次调用：两次模型、一条命令、一次核对、一次查看文件`)
model.assertComplete()
await engine.close()
rmSync(workspace, { recursive: true, force: true })
