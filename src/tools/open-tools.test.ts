import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { toolIo } from '../testing/tool-io.ts'
import { MEMORY_TOOLS } from './memory/memory-tools.ts'
import { openTools, STRATEGY_TOOLS } from './open-tools.ts'

let workspace = ''
beforeEach(() => {
  workspace = mkdtempSync(join(tmpdir(), 'thinkon-open-tools-'))
})
afterEach(() => rmSync(workspace, { recursive: true, force: true }))

describe('the tools that strategies call by name', () => {
  it('are there with a workspace, hidden, also when no built-in tool is, and touch no file until used', async () => {
    const { tools, close } = await openTools({ workspace, builtin: () => false })
    const hidden = tools.filter((tool) => tool.hidden).map(({ name }) => name)
    expect(hidden).toEqual(expect.arrayContaining([...STRATEGY_TOOLS]))
    expect(tools.filter((tool) => !tool.hidden)).toEqual([])
    await close()
    expect(readdirSync(workspace)).toEqual([])
  })

  it('have no generic shell where the shell is switched off; what executors.yaml defines stays', async () => {
    const names = async () => {
      const { tools, close } = await openTools({ workspace, builtin: (name) => name !== 'shell' })
      await close()
      return tools.map(({ name }) => name).filter((name) => /shell|^executor__(?!observe)/.test(name))
    }
    expect(await names()).toEqual([])
    mkdirSync(join(workspace, '.thinkon/executors'), { recursive: true })
    const yaml = '- { id: count, description: Counts, command: wc -l a, side_effects: none }\n'
    writeFileSync(join(workspace, '.thinkon/executors/executors.yaml'), yaml)
    expect(await names()).toEqual(['executor__count'])
  })

  it('are without memory when that is switched off', async () => {
    const { tools, close } = await openTools({ workspace, memory: false })
    const names = tools.map(({ name }) => name)
    for (const name of MEMORY_TOOLS) expect(names).not.toContain(name)
    expect(names).toContain('blueprint__list')
    await close()
  })

  it('let go of the memory’s file when they are closed', async () => {
    const { tools, close } = await openTools({ workspace })
    const save = tools.find(({ name }) => name === 'memory__save')
    const io = toolIo({ workspace })
    await save?.run({ items: [{ text: 'The build needs node 24' }] }, io)
    await close()
    // The last to close takes the files beside it away.
    expect(readdirSync(join(workspace, '.thinkon'))).toEqual(['memory.db'])
  })
})
