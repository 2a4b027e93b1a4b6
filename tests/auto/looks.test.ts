// Goals that need tools, with the built-in tools in a workspace: they are looked at, not guessed.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { createEngine } from '../../src/engine.ts'
import { ScriptedModel } from '../../src/testing/index.ts'
import { openTools } from '../../src/tools/open-tools.ts'

it.each(['How many rows does sales.csv have?', 'sales.csv 里有多少行？'])(
  'a small look is two calls and one tool: %s',
  async (goal) => {
    const workspace = mkdtempSync(join(tmpdir(), 'thinkon-looks-'))
    onTestFinished(() => rmSync(workspace, { recursive: true, force: true }))
    writeFileSync(join(workspace, 'sales.csv'), 'a,b\n1,2\n3,4\n')
    const model = new ScriptedModel({
      'fractal/think': [
        { type: 'TOOL', name: 'read_file', input: { path: 'sales.csv' } },
        { type: 'RETURN', description: '2' },
      ],
    })
    const engine = createEngine({ model, tools: () => openTools({ workspace }) })
    onTestFinished(() => engine.close())
    const run = await engine.start(goal, { workspace, approval: { workspace, asks: 'nobody' } })
    expect(await run.outcome).toMatchObject({ status: 'completed', result: '2' })
    const events = [...(await engine.events(run.id))]
    const read = events.find((event) => event.type === 'tool-start')
    expect(read).toMatchObject({ name: 'read_file' })
    expect(model.calls).toHaveLength(2)
  },
)
