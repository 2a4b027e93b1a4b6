// A strategy of a user's own, named in the configuration: its command, flags, help, lines and format, with no other change.
import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, afterEach, describe, expect, it } from 'vitest'
import { makePlace } from './cli-process.ts'

const place = makePlace()
const { cli, folder } = place
const CONFIG = join(folder, 'thinkon.config.json')
const MODULE = join(import.meta.dirname, '../../examples/16-own-strategy/index.ts')
const OUTLINER = `module:${join(import.meta.dirname, '../../examples/models/outliner.ts')}`
const GOAL = 'the sea, the sky, the shore'

const configure = (config: object) => writeFileSync(CONFIG, JSON.stringify(config))
afterEach(() => rmSync(CONFIG, { force: true }))
afterAll(() => place.remove())

describe('a strategy that the configuration names', () => {
  it('has a command with its own flags, lines in the tree and format', async () => {
    configure({ strategies: [MODULE], model: OUTLINER })
    const { code, stdout, stderr } = await cli(['outline', GOAL, '--parts', '3'])
    expect(code, stderr).toBe(0)
    expect(stdout).toContain('[-] 1 3 parts at once')
    expect(stdout.trimEnd().split('\n').at(-1)).toBe('About the sea. About the sky. About the shore.')
    expect((await cli(['show', 'last'])).stdout).toContain('▰▰▰ 3 of 3 parts')
    expect((await cli(['show', 'last', '--format', 'outline'])).stdout).toBe(
      `${GOAL}: About the sea. About the sky. About the shore.\n  the sea: About the sea.\n  the sky: About the sky.\n  the shore: About the shore.\n`,
    )
    expect((await cli(['replay', 'last'])).code).toBe(0)
  })

  it('is in help, and its flags are checked', async () => {
    configure({ strategies: [MODULE], model: OUTLINER })
    expect((await cli(['help'])).stdout).toMatch(/^ {2}outline +splits a goal into parts/m)
    expect((await cli(['outline', '--help'])).stdout).toContain('--parts <n>')
    const wrong = await cli(['outline', GOAL, '--parts', '1'])
    expect([wrong.code, wrong.stderr]).toEqual([2, expect.stringContaining('from 2 to 20')])
  })

  it('may be the one of every run, and serve routes', async () => {
    configure({ strategies: [MODULE], strategy: 'outline', model: OUTLINER })
    const { THINKON_STRATEGY: _, ...env } = place.env
    const { code, stdout } = await place.cli(['run', GOAL], '', env)
    expect([code, stdout]).toEqual([0, expect.stringContaining('3 parts at once')])
  })

  it.each([
    [['./nowhere.ts'], "strategies[0] can't be loaded from ./nowhere.ts"],
    [
      [{ name: 'x' }],
      'strategies[0] must be a strategy: an object with a name, a version, and load() or solve()',
    ],
  ])('must be one: %j', async (strategies, message) => {
    configure({ strategies })
    const { code, stderr } = await cli(['outline', GOAL])
    expect([code, stderr]).toEqual([2, expect.stringContaining(message)])
    expect((await cli(['help'])).code).toBe(0)
  })
})
