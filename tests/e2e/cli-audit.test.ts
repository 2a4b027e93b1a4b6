// thinkon show --audit, as users start it.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { jsonLines, makePlace } from './cli-process.ts'

const place = makePlace()
const { cli } = place
afterAll(() => place.remove())

describe('thinkon show --audit', () => {
  beforeAll(async () => {
    const { code } = await cli(['fractal', '(3+4)*2', '--model', 'embedded:abacus', '-q'])
    expect(code).toBe(0)
  })

  it('prints every block with what was given, answered and archived, plain in a pipe', async () => {
    const { code, stdout, stderr } = await cli(['show', 'last', '--audit'])
    expect([code, stderr]).toEqual([0, ''])
    expect(stdout).toMatch(/^\S+ completed\nfractal@\d+ · embedded:abacus/)
    expect(stdout).toMatch(/^┌─ \[x\] 1 "\(3\+4\)\*2" ‹fractal@\d+›$/m)
    expect(stdout).toMatch(/^ {3}┌─ \[x\] 1-1 /m)
    expect(stdout).toMatch(/done \+= \[1-1\] 3 \+ 4 = 7\n.*→ fractal\/eval/)
    expect(stdout).toContain('characters: --full]')
    expect(stdout).not.toContain('\u001b')
  })

  it('has the numbers and times of thinkon events', async () => {
    const { stdout } = await cli(['show', 'last', '--audit'])
    const events = (await cli(['events', 'last'])).stdout
    const stamps = [...stdout.matchAll(/│( +\d+ {2}[\d:.]{12}) /g)].map(([, stamp]) => stamp as string)
    expect(stamps.length).toBeGreaterThan(10)
    for (const stamp of stamps) expect(events).toContain(stamp)
  })

  it('prints one block, whole, in the language that is asked for', async () => {
    const { stdout } = await cli(['show', 'last', '--audit', '--path', '1-1', '--full', '--lang', 'zh'])
    expect(stdout.match(/┌─/g)).toHaveLength(1)
    expect(stdout).toContain('RETURN a text that says so plainly and why')
    expect(stdout).toContain('已完成')
  })

  it('prints a JSON object for each block', async () => {
    const { code, stdout } = await cli(['show', 'last', '--audit', '--json'])
    const blocks = jsonLines(stdout) as { path: string; goal: string; entries: { type: string }[] }[]
    expect(code).toBe(0)
    expect(blocks.map(({ path }) => path)).toEqual(['1', '1-1'])
    expect(blocks[0]).toMatchObject({ goal: '(3+4)*2', status: 'completed' })
    expect(blocks[0]?.entries.find(({ type }) => type === 'done-add')).toMatchObject({
      items: [{ from: '1-1', status: 'completed', text: '3 + 4 = 7' }],
    })
  })

  it('works for another strategy', async () => {
    await cli(['minimal', 'by name', '-q', '--store', 'other.db'])
    const { stdout } = await cli(['show', 'last', '--audit', '--store', 'other.db'])
    expect(stdout).toMatch(/→ minimal\/\w+ v\d+/)
    expect(stdout).toContain('reached: by name')
  })

  it.each([
    ['a block that is not there', ['--audit', '--path', '1-9'], 'has no block 1-9'],
    ['what is no path', ['--audit', '--path', 'x'], "must be a block's path"],
    ['--path alone', ['--path', '1'], '--path needs --audit'],
    ['--full alone', ['--full'], '--full needs --audit'],
    ['--watch too', ['--audit', '--watch'], 'exclude each other'],
    ['--lines too', ['--audit', '--lines', '5'], '--lines limits the tree'],
  ])('refuses %s', async (_, options, message) => {
    const { code, stdout, stderr } = await cli(['show', 'last', ...options])
    expect([code, stdout]).toEqual([2, ''])
    expect(stderr).toContain(message)
  })
})
