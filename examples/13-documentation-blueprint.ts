/**
 * The blueprint `documentation` on a part of this project: its plan is fixed beforehand, its parameters are taken from the goal,
 * and only the tools it names may be used. The model is a program; the tools and the files are real.
 */
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { builtinTools, createEngine } from 'thinkon'
import { documenter } from './models/documenter.ts'

const workspace = mkdtempSync(join(tmpdir(), 'thinkon-docs-'))
cpSync(join(import.meta.dirname, '../src/kernel'), join(workspace, 'src/kernel'), { recursive: true })

const engine = createEngine({ model: documenter, tools: builtinTools({ workspace }) })
const run = await engine.start('document src/kernel into docs/kernel', {
  strategy: 'dual',
  workspace,
  approval: 'allow-all',
  options: { blueprint: 'documentation' },
})
for await (const event of run.events) {
  if (event.type !== 'note') continue
  const { mark, about, index, to } = event.data as Record<string, string>
  if (event.name === 'dual/blueprint-marked') console.log(`${mark} ${about}`)
  if (event.name === 'dual/task-changed' && to === 'completed') console.log(`task ${index} completed`)
}
const { status, usage } = await run.outcome
console.log(`\n${status}, ${usage.calls} calls`)
for (const file of readdirSync(join(workspace, 'docs/kernel'))) {
  const text = readFileSync(join(workspace, 'docs/kernel', file), 'utf8')
  console.log(`docs/kernel/${file}: ${text.split('\n').length} lines, "${text.split('\n')[0]}"`)
}
await engine.close()
rmSync(workspace, { recursive: true, force: true })
