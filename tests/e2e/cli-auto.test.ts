// The default on the command line: who solves a goal is found out, and routes, fallbacks and options come from the configuration.
import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, afterEach, describe, expect, it } from 'vitest'
import { jsonLines, makePlace } from './cli-process.ts'

const place = makePlace()
const CONFIG = join(place.folder, 'thinkon.config.json')
// Nobody says which strategy.
const { THINKON_STRATEGY: _, ...env } = place.env
const cli = (args: readonly string[]) => place.cli(args, undefined, env)
const ABACUS = ['--model', 'embedded:abacus']

afterEach(() => rmSync(CONFIG, { force: true }))
afterAll(() => place.remove())

const configure = (config: object) => writeFileSync(CONFIG, JSON.stringify(config, null, 2))

async function eventsOf(run = 'last') {
  return jsonLines((await cli(['events', run, '--json'])).stdout)
}

describe('thinkon run', () => {
  it.each<[goal: string, strategy: string, result: string, named: string[]]>([
    ['((3+4)*(8-6))-5', 'cot', '(3 + 4) × (8 - 6) - 5 = 9', []],
    ['Make 24 from 4, 9, 10 and 13', 'tot', '(10 - 4) × (13 - 9) = 24', ['--strategy', 'auto']],
    ['计算 (3+4)*2', 'cot', '(3 + 4) × 2 = 14', []],
  ])('finds out who solves %s: %s', async (goal, strategy, result, named) => {
    const { code, stdout, stderr } = await cli(['run', goal, ...named, ...ABACUS])
    expect(code, stderr).toBe(0)
    expect(stdout.trimEnd().split('\n').at(-1)).toBe(result)
    expect(stdout).toContain(`[-] 1-1 "${goal}" ‹${strategy}›`)
    expect(stdout).toMatch(goal.startsWith('计') ? /选择 ‹cot›: / : new RegExp(`chose ‹${strategy}›: `))
    expect((await cli(['replay', 'last'])).code).toBe(0)
    expect((await cli(['show', 'last'])).stdout).toContain(`‹${strategy}›`)
    expect((await cli(['show', 'last', '--audit'])).stdout).toContain('auto/strategy-chosen')
  })

  it('writes down what is to be written, also the answer of a puzzle', async () => {
    const goal = 'Make 24 from 4, 9, 10 and 13 and write it to puzzle.txt'
    const { code, stdout } = await cli(['run', goal, ...ABACUS, '--yes'])
    expect([code, stdout]).toEqual([0, expect.stringContaining('‹fractal›')])
    expect(readFileSync(join(place.folder, 'puzzle.txt'), 'utf8')).toContain('= 24')
  })
})

describe('a configuration', () => {
  const GOAL = '((3+4)*(8-6))-5'

  it('says which strategy serves which block, and which options strategies have', async () => {
    configure({
      strategy: 'fractal',
      options: { cot: { maxThoughts: 7 } },
      routes: [{ when: { caller: 'fractal', goal: '^compute 3 . 4$' }, use: 'cot' }],
    })
    const { code, stdout, stderr } = await cli(['run', GOAL, ...ABACUS])
    expect(code, stderr).toBe(0)
    expect(stdout).toContain('[-] 1-1 1-1-1 goes to ‹cot› (route 1, plan)')
    const blocks = (await eventsOf()).filter(({ type }) => type === 'block-start')
    const routed = blocks.filter(({ strategy }) => strategy === 'cot@5')
    expect(routed).toMatchObject([{ options: { maxThoughts: 7 } }])
    expect(stdout.trimEnd().split('\n').at(-1)).toContain('= 9')
  })

  it('says who gets a block that ended partial', async () => {
    configure({ options: { cot: { maxThoughts: 1 } }, fallbacks: { cot: 'fractal' } })
    const { code, stdout } = await cli(['run', GOAL, ...ABACUS])
    expect(code).toBe(0)
    expect(stdout).toMatch(/\[-\] 1 1-1 goes from ‹cot› to ‹fractal›: /)
    expect(stdout).toContain('[-] 1-1#2 "((3+4)*(8-6))-5" ‹fractal›')
    const [start] = await eventsOf()
    expect(start?.config).toMatchObject({
      fallbacks: { cot: 'fractal' },
      strategyOptions: { cot: { maxThoughts: 1 } },
    })
  })

  it("has options of the run's own strategy, which the command line goes before", async () => {
    configure({ strategy: 'cot', options: { cot: { maxThoughts: 1, maxRepeats: 4 } } })
    expect((await cli(['run', GOAL, ...ABACUS])).code).not.toBe(0)
    expect((await cli(['cot', GOAL, ...ABACUS, '--max-thoughts', '9'])).code).toBe(0)
    expect((await eventsOf())[0]).toMatchObject({ options: { maxThoughts: 9, maxRepeats: 4 } })
  })

  it('that is wrong is told with its line, before anything is begun', async () => {
    configure({ routes: [{ when: { kind: 'leav' }, use: 'cott' }], fallbacks: { cot: 'cot' } })
    const { code, stderr } = await cli(['run', GOAL, ...ABACUS])
    expect(code).toBe(2)
    expect(stderr).toContain(
      'thinkon.config.json:5:17: routes[0].when.kind must be "leaf" or "plan" or "search"',
    )
    expect(stderr).toContain(
      'thinkon.config.json:7:14: routes[0].use: strategy "cott" is unknown: did you mean',
    )
    expect(stderr).toContain('fallbacks.cot is "cot" itself')
  })

  it('with an option that a strategy has not is told, too', async () => {
    configure({ options: { tot: { bean: 3 } } })
    const { code, stderr } = await cli(['run', GOAL, ...ABACUS])
    expect(code).toBe(2)
    expect(stderr).toContain('tot has no option "bean" (did you mean "beam"?)')
  })
})
