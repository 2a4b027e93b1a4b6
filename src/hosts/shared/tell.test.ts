import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { createEngine } from '../../engine.ts'
import type { Listener } from '../../kernel/durable.ts'

describe('a listener that fails', () => {
  const warnings: (Error & { code?: string })[] = []
  const warned = (warning: Error) => void warnings.push(warning)

  beforeEach(() => {
    warnings.length = 0
    process.on('warning', warned)
  })

  afterEach(() => {
    process.off('warning', warned)
  })

  for (const [how, fail] of [
    ['throws', raise],
    ['rejects', async () => raise()],
  ] as const) {
    it(`is reported once and told on, and the run ends as it would (${how})`, async () => {
      const told: string[] = []
      const watching: Listener = (event) => {
        told.push(event.type)
        return fail()
      }
      const engine = createEngine({ model: 'embedded:mini' })
      const run = await engine.start('1 + 2', { onEvent: watching, id: `run-${how}` })
      expect((await run.outcome).status).toBe('completed')
      await engine.close()
      await new Promise((resolve) => setImmediate(resolve))
      expect(told.at(-1)).toBe('run-end')
      expect(warnings).toHaveLength(1)
      expect(warnings[0]).toMatchObject({ name: 'ThinkonWarning', code: 'LISTENER_FAILED' })
      expect(warnings[0]?.message).toContain(`watching of run run-${how} failed at run-start: no paper left`)
    })
  }

  it('is reported also if the run keeps files in a workspace', async () => {
    const workspace = mkdtempSync(join(tmpdir(), 'thinkon-tell-'))
    const engine = createEngine({ model: 'embedded:mini' })
    const run = await engine.start('1 + 2', { onEvent: async () => raise(), workspace })
    expect((await run.outcome).status).toBe('completed')
    await engine.close()
    await new Promise((resolve) => setImmediate(resolve))
    rmSync(workspace, { recursive: true })
    expect(warnings.map(({ code }) => code)).toEqual(['LISTENER_FAILED'])
  })
})

function raise(): never {
  throw new Error('no paper left')
}
