// The live view, in a terminal that `script` makes.
import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { stripVTControlCharacters } from 'node:util'
import { afterAll, describe, expect, it } from 'vitest'
import { makePlace } from './cli-process.ts'
import { hasScript, inTerminal as runInTerminal } from './terminal.ts'

const place = makePlace()
afterAll(() => place.remove())

const inTerminal = (args: string, env: NodeJS.ProcessEnv = {}) => runInTerminal(place, args, env)

describe.skipIf(!hasScript)('on a terminal (skipped where `script` of util-linux is missing)', () => {
  it('draws the tree, takes the answer from the keyboard, and ends with the result', async () => {
    const { child, ended, seen } = inTerminal('run ask')
    const drawn = await seen('3 maybe later')
    expect(stripVTControlCharacters(drawn)).toContain(
      '[?] 1 "ask" ‹minimal›  Go on? (yes / no / maybe later)',
    )
    child.stdin?.write('nope\r')
    await seen('“nope”?')
    child.stdin?.write('n')
    await seen('› n')
    child.stdin?.write('\r')
    const { code, stdout } = await ended
    const text = stripVTControlCharacters(stdout)
    expect(text).toMatch(/\[x\] 1 "ask" ‹minimal› {2}→ answer: no/)
    expect(text.trimEnd().split('\r\n').at(-1)).toBe('answer: no')
    expect(code).toBe(0)
  })

  it('Ctrl-C stops, gives the terminal back, and the run goes on later', async () => {
    const { child, ended, seen } = inTerminal('run wait')
    await seen('[-] 1-2 "wait for a word b"')
    child.stdin?.write('\u0003')
    const { code, stdout } = await ended
    expect(stdout).toMatch(/stopped; resume with: thinkon resume \S+/)
    // The cursor is shown again.
    expect(stdout.lastIndexOf('\u001b[?25h')).toBeGreaterThan(stdout.lastIndexOf('\u001b[?25l'))
    expect(code).toBe(130)
  })

  it('shows a run of another process, and answers it', async () => {
    const run = place.start(['run', 'ask'])
    await place.state('last', ({ goal, status }) => goal === 'ask' && status === 'waiting')
    const { child, ended, seen } = inTerminal('show last --watch')
    await seen('3 maybe later')
    child.stdin?.write('1\r')
    expect((await run.ended).stdout.trimEnd()).toMatch(/answer: yes$/)
    expect(stripVTControlCharacters((await ended).stdout)).toContain('[x] 1 "ask"')
  })

  it('shows the end of the text that comes in, on the line of its block', async () => {
    const { ended, seen } = inTerminal('run stream', { NO_COLOR: '1' })
    await seen('[-] 1 "stream" ‹minimal›  first words')
    writeFileSync(join(place.folder, 'seen-1'), '')
    const drawn = await seen('the very last words')
    const line = stripVTControlCharacters(drawn)
      .split(/\r?\n/)
      .find((text) => text.includes('the very last words'))
    expect(line).toMatch(/^\[-\] 1 "stream" ‹minimal› {2}….*lorem ipsum the very last words +\d\.\ds$/)
    expect(line?.length).toBeLessThan(100)
    writeFileSync(join(place.folder, 'seen-2'), '')
    const { code, stdout } = await ended
    expect(stdout).not.toContain('\u001b[31m')
    expect(stdout).not.toContain('\u0007')
    // What came in is gone when the run has ended.
    expect(stdout.slice(stdout.lastIndexOf('[x] 1'))).not.toContain('lorem')
    expect(code).toBe(0)
  })

  it('draws the tasks of a plan, and takes a review of several lines from the keyboard', async () => {
    const model = `module:${join(import.meta.dirname, 'dual-model.ts')}`
    const { child, ended, seen } = inTerminal('dual "do a, b, c" --review manual', { THINKON_MODEL: model })
    const drawn = stripVTControlCharacters(await seen('⏎ continue'))
    for (const text of ['[ ] "1-2 b"', '1 The plan: go on with it?', '  -[ ] 1-2. "b"(goal:"b is done")'])
      expect(drawn).toContain(text)
    child.stdin?.write('remove 1-9\r')
    await seen('! there is no task 1-9 in this plan')
    child.stdin?.write('remove 1-2\r')
    await seen('1-2. "c"')
    child.stdin?.write('continue\r')
    await seen('1-1 "a" completed: a done')
    child.stdin?.write('\r')
    await seen('1-2 "c" completed: c done')
    child.stdin?.write('\r')
    const { code, stdout } = await ended
    const text = stripVTControlCharacters(stdout)
    expect(text).toMatch(/\[x\] 1-1 "a: .*→ a done.*\r\n.*\[x\] 1-2 "c: .*→ c done/)
    expect(text.trimEnd().split('\r\n').at(-1)).toBe('a done | c done')
    expect(code).toBe(0)
  })

  it('asks for permission with all that will be done', async () => {
    const { child, ended, seen } = inTerminal('run "two files"')
    const drawn = stripVTControlCharacters(await seen('3 always'))
    for (const text of ['1 write_file (write) asks for permission:', 'a.txt (8 bytes)', '  one', '  two'])
      expect(drawn).toContain(text)
    child.stdin?.write('a\r')
    expect(stripVTControlCharacters((await ended).stdout)).toContain('written | written')
    for (const name of ['a.txt', 'b.txt']) rmSync(join(place.folder, name))
  })

  it('has colours on a terminal, and none with NO_COLOR', async () => {
    const sgr = new RegExp(`${String.fromCharCode(27)}\\[3\\dm`)
    expect((await inTerminal('list').ended).stdout).toMatch(sgr)
    expect((await inTerminal('list', { NO_COLOR: '1' }).ended).stdout).not.toMatch(sgr)
    expect((await inTerminal('run fine', { NO_COLOR: '1' }).ended).stdout).not.toMatch(sgr)
  })

  it('does not let a result drive the terminal', async () => {
    expect((await inTerminal('run escape', { NO_COLOR: '1' }).ended).stdout).not.toContain('\u001b[31m')
  })
})
