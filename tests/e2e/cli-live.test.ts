// The live view, in a terminal that `script` makes.
import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { stripVTControlCharacters } from 'node:util'
import { afterAll, describe, expect, it } from 'vitest'
import { textWidth } from '../../src/views/text-width.ts'
import { makePlace } from './cli-process.ts'
import { hasScript, inTerminal as runInTerminal, type TerminalOptions } from './terminal.ts'

const place = makePlace()
afterAll(() => place.remove())

const inTerminal = (args: string, env: NodeJS.ProcessEnv = {}, options?: TerminalOptions) =>
  runInTerminal(place, args, env, options)

describe.skipIf(!hasScript)('on a terminal (skipped where `script` of util-linux is missing)', () => {
  it('draws the tree, takes the answer from the keyboard, and ends with the result', async () => {
    const { child, ended, seen } = inTerminal('run ask')
    const drawn = await seen('3 maybe later')
    expect(stripVTControlCharacters(drawn)).toContain(
      '[?] 1 "ask" ‹minimal›  Go on? (yes / no / maybe later)',
    )
    child.stdin?.write('nope\r')
    await seen(
      '“nope” is no choice; answer with a number, a choice or its beginning: 1 yes, 2 no, 3 maybe later',
    )
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
    const { child, ended, seen, screen } = inTerminal('run wait')
    await seen('[-] 1-2 "wait for a word b"')
    child.stdin?.write('\u0003')
    const { code, stdout } = await ended
    expect(stdout).toMatch(/stopped; resume with: thinkon resume \S+/)
    expect(screen).toMatchObject({ alternate: false, cursor: { visible: true } })
    expect(code).toBe(130)
  })

  it('draws again what a resize has cut or left free, and leaves nothing behind', async () => {
    const { child, ended, screen, shown, resize } = inTerminal('run wait')
    const wide = await shown((rows) => rows.length === 5 && /calls/.test(rows[1] as string))
    expect(wide[0]).toMatch(/^\[-\] 1 "wait" ‹minimal› .* calls .* tok +\$/)
    resize(40, 8)
    // Between two calls of the model there is nothing beside the goal, which then need not be cut.
    const isNarrow = (rows: readonly string[]) => rows.length > 3 && rows.every((row) => row.length < 40)
    const narrow = await shown((rows) => isNarrow(rows) && /decid/.test(rows[1] as string))
    expect(narrow[1]).toMatch(/^├─ \[-\] 1-1 "wait for.*…" .*s$/)
    resize(100, 4)
    const low = await shown((rows) => /calls/.test(rows[0] as string))
    expect(low.length).toBeLessThanOrEqual(4)
    expect(low.at(-1)).toContain('running')
    resize(140, 40)
    await shown((rows) => rows.length === 5 && (rows[0] as string).length > 130)
    child.stdin?.write('\u0003')
    await ended
    const history = screen.history().join('\n')
    expect(history.match(/1-1 "wait for a word a"/g)).toHaveLength(1)
    expect(history).not.toMatch(/[⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏]/)
  })

  it('Ctrl-Z gives the terminal back until the run is continued', async () => {
    const { child, ended, screen, seen, shown, settings } = inTerminal('run wait', {}, { stops: true })
    await seen('[-] 1-2 "wait for a word b"')
    expect(settings()).toMatch(/ -icanon /)
    child.stdin?.write('\u001a')
    await seen('stopped: 148')
    expect(screen).toMatchObject({ alternate: false, cursor: { visible: true } })
    expect(settings()).toMatch(/ icanon /)
    child.stdin?.write('\n')
    await shown((rows) => screen.alternate && rows.join().includes('[-] 1-2 "wait for a word b"'))
    expect(settings()).toMatch(/ -icanon /)
    child.stdin?.write('\u0003')
    expect((await ended).code).toBe(130)
    expect(screen).toMatchObject({ alternate: false, cursor: { visible: true } })
  })

  it('goes on at Ctrl-Z where nobody could continue it', async () => {
    const { child, ended, screen, seen, shown } = inTerminal('run wait')
    await seen('[-] 1-2 "wait for a word b"')
    let written = ''
    child.stdout?.on('data', (chunk) => (written += chunk))
    child.stdin?.write('\u001a')
    await shown(() => written.includes('\u001b[2J\u001b[?1049l') && screen.alternate)
    child.stdin?.write('\u0003')
    expect((await ended).code).toBe(130)
  })

  it('gives the terminal back at a crash and a signal, and then prints what was printed meanwhile', async () => {
    const crashed = inTerminal('run crash')
    const { code } = await crashed.ended
    const printed = crashed.screen.history().join('\n')
    expect(printed).toMatch(/printed by a model\n(?:.*\n)*thinkon: Error: thrown by a timer/)
    expect(crashed.screen).toMatchObject({ alternate: false, cursor: { visible: true } })
    expect(code).toBe(1)

    const killed = inTerminal('run wait')
    await killed.seen('[-] 1-2 "wait for a word b"')
    killed.terminate()
    expect((await killed.ended).stdout).toMatch(/stopped; resume with/)
    expect(killed.screen).toMatchObject({ alternate: false, cursor: { visible: true } })

    const quit = inTerminal('run wait')
    await quit.seen('[-] 1-2 "wait for a word b"')
    const watching = inTerminal('show last --watch')
    await watching.seen('[-] 1-2 "wait for a word b"')
    watching.terminate('SIGHUP')
    await watching.ended
    expect(watching.screen).toMatchObject({ alternate: false, cursor: { visible: true } })
    quit.terminate('SIGQUIT')
    await quit.ended
    expect(quit.screen).toMatchObject({ alternate: false, cursor: { visible: true } })
  })

  it('leaves its run to be resumed when the terminal is closed', async () => {
    const { child, ended, seen } = inTerminal('run wait')
    await seen('[-] 1-2 "wait for a word b"')
    const { run } = await place.state('last', ({ owned }) => owned)
    child.kill('SIGKILL')
    await ended
    const left = await place.state(run, ({ owned }) => !owned)
    expect(left).toMatchObject({ status: 'stopped', outcome: null })
  })

  it('gives the terminal back when the program that launched it is gone, and leaves its run', async () => {
    const { child, ended, seen, screen, shown, terminate } = inTerminal('run wait', {}, { launched: true })
    await seen('[-] 1-2 "wait for a word b"')
    // Of a process that ends by this one, the shell says nothing.
    terminate('SIGPIPE')
    await shown((rows) => /stopped; resume with/.test(rows.join()))
    expect(screen).toMatchObject({ alternate: false, cursor: { visible: true } })
    child.stdin?.write('\n')
    await ended
    await place.state('last', ({ owned }) => !owned)
  })

  it('shows a run of another process, and answers it', async () => {
    const run = place.start(['run', 'ask', '--ask'])
    await place.state('last', ({ goal, status }) => goal === 'ask' && status === 'waiting')
    const { child, ended, seen } = inTerminal('show last --watch')
    await seen('3 maybe later')
    child.stdin?.write('1\r')
    expect((await run.ended).stdout.trimEnd()).toMatch(/answer: yes$/)
    expect(stripVTControlCharacters((await ended).stdout)).toContain('[x] 1 "ask"')
  })

  it('shows the text that comes in: a short one on the row of its block, a long one in the free space below', async () => {
    const { ended, seen, shown } = inTerminal('run stream', { NO_COLOR: '1' })
    await seen('[-] 1 "stream" ‹minimal›  first words')
    writeFileSync(join(place.folder, 'seen-1'), '')
    const rows = await shown((rows) => rows.join().includes('the very last words'))
    expect(rows[0]).toMatch(/^\[-\] 1 "stream" ‹minimal› {2}writing … +\d\.\ds$/)
    expect(rows.slice(1, 4)).toEqual(['', `── 1 stream ${'─'.repeat(87)}`, 'first words'])
    const text = rows.slice(4, -2).join(' ')
    expect(text.match(/lorem ipsum/g)).toHaveLength(50)
    expect(rows.at(-3)).toMatch(/ the very last words$/)
    expect(rows.every((row) => row.length < 100)).toBe(true)
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

  it('breaks what it says before and after a run between words, on a narrow terminal', async () => {
    const model = ['--model', 'embedded:mini', '--strategy', 'minimal'].join(' ')
    const { ended, screen } = inTerminal(`run 1+1 ${model}`, {}, { size: [60, 20] })
    expect((await ended).code).toBe(0)
    const said = screen.history()
    for (const line of said) expect(line.length).toBeLessThan(60)
    expect(said.join(' ')).toMatch(/run \S+ · model embedded:mini .*resume: thinkon resume \S+/)
  })

  it.each(['en', 'zh'])(
    'fits the demonstration into 80 columns, with colours, and leaves it there: %s',
    async (lang) => {
      const { ended, screen, seen } = inTerminal(`demo --lang ${lang}`, {}, { size: [80, 24] })
      // The question and the first answer stay in view while the tree grows.
      expect(await seen('1-2')).toContain('\u001b[31m✗')
      expect((await ended).code).toBe(0)
      const said = screen.history()
      for (const line of said) expect(textWidth(line)).toBeLessThan(80)
      for (const text of ['✗ 620', '✓ 592', '✗ (12 - 4)', '✓ (12 - (5', 'npx thinkon studio'])
        expect(said.join('\n')).toContain(text)
    },
  )

  it('leaves the demonstration at Ctrl-C, and resumes its run', async () => {
    const { child, ended, seen } = inTerminal('demo --lang en')
    await seen('1-2')
    child.stdin?.write('\u0003')
    const { code, stdout } = await ended
    expect(stripVTControlCharacters(stdout)).toMatch(/thinkon resume \S+/)
    expect(stdout).not.toContain('Now try')
    expect(code).toBe(130)
    const resumed = await place.cli(['resume', 'last'])
    expect(resumed.stdout).toContain('= 592')
    expect(resumed.code).toBe(0)
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
