// A run in one process, steered from others; and a run that is stopped and gone on with.
import { afterAll, describe, expect, it } from 'vitest'
import { jsonLines, makePlace, type ShownState } from './cli-process.ts'

const place = makePlace()
const { alone: cli, start, state } = place
afterAll(() => place.remove())

const bothWait = ({ blocks }: ShownState) => blocks.length === 3

/** Starts the run whose two children wait for a word. */
async function startWaiting() {
  const run = start(['run', 'wait', '--json'])
  const first: string = await new Promise((resolve) =>
    run.child.stdout?.once('data', (data) => resolve(String(data))),
  )
  const id = String(JSON.parse(first.split('\n')[0] as string).run)
  await state(id, bothWait)
  return { ...run, id }
}

function outcomeOf(stdout: string) {
  return jsonLines(stdout).at(-1)
}

describe('steering a run from another process', () => {
  it('message and redo reach the running blocks', async () => {
    const { id, ended } = await startWaiting()
    const told = await cli(['message', id, '1-1', '--message', 'hurry'])
    expect(told.stdout).toMatch(/^message sent to 1-1: it reads it before its next step; see: thinkon show/)
    const redone = await cli(['redo', id, '1-2', '-m', 'please differently'])
    expect(redone.stdout).toMatch(/^redo sent for 1-2: it is stopped, and 1 calls 1-2#2 in its place/)
    const { code, stdout } = await ended
    expect(outcomeOf(stdout)).toMatchObject({ status: 'completed' })
    const result = String(outcomeOf(stdout)?.result)
    for (const part of [
      'hurried',
      '[cancelled: to be done again: please differently]',
      'again: please differently',
    ]) {
      expect(result).toContain(part)
    }
    expect(code).toBe(0)
    const shown = (await cli(['show', id])).stdout
    expect(shown).toContain('[!] 1-2 "wait for a word b"')
    expect(shown).toContain('[x] 1-2#2 "wait for a word b" attempt 2')
    expect((await cli(['replay', id])).code).toBe(0)
  })

  it('skip ends a block, its parent goes on', async () => {
    const { id, ended } = await startWaiting()
    const skipped = await cli(['skip', id, '1-1', '--json'])
    expect(jsonLines(skipped.stdout)).toEqual([
      { type: 'signal', run: id, path: '1-1', name: 'skip', value: '', running: true },
    ])
    await state(id, ({ blocks }) => blocks[1]?.status === 'skipped')
    const again = await cli(['skip', id, '1-1'])
    expect([again.code, again.stderr]).toEqual([
      2,
      expect.stringMatching(/block 1-1 has ended \(skipped\); to redo it: thinkon redo/),
    ])
    expect((await cli(['redo', id, '1-1'])).stdout).toContain('1 calls 1-1#2 after its current step')
    await cli(['skip', id, '1-2', '-m', 'enough'])
    const { code, stdout } = await ended
    expect(outcomeOf(stdout)).toMatchObject({ status: 'completed' })
    expect(String(outcomeOf(stdout)?.result)).toContain('[skipped: enough]')
    expect(code).toBe(0)
  })

  it('skipping the root ends the run as skipped', async () => {
    const { id, ended } = await startWaiting()
    expect((await cli(['skip', id, '1'])).stdout).toContain('the whole run ends as skipped')
    expect((await ended).code).toBe(5)
  })

  it('cancel ends the run for good', async () => {
    const { id, ended } = await startWaiting()
    const refused = await cli(['redo', id, '1'])
    expect([refused.code, refused.stderr]).toEqual([
      2,
      expect.stringContaining('has not ended: cancel it first'),
    ])
    expect((await cli(['cancel', id, '-m', 'no more'])).stdout).toContain('cancel sent')
    const { code, stdout } = await ended
    expect(outcomeOf(stdout)).toMatchObject({ status: 'cancelled', reason: 'no more' })
    expect(code).toBe(130)
  })

  it('a run that another process works on can not be resumed here', async () => {
    const { id, child, ended } = await startWaiting()
    const { code, stderr } = await cli(['resume', id])
    expect([code, stderr]).toEqual([2, expect.stringMatching(/is being worked on by process \d+/)])
    child.kill('SIGKILL')
    await ended
  })

  it('answers a question; a choice may be begun, numbered or wrong', async () => {
    const run = start(['run', 'ask', '--ask'])
    await state('last', ({ goal, status }) => goal === 'ask' && status === 'waiting')
    expect((await cli(['list'])).stdout.split('\n')[0]).toMatch(/^\[\?\] \S+ +waiting/)
    const wrong = await cli(['answer', 'last', 'perhaps'])
    expect([wrong.code, wrong.stderr]).toEqual([2, expect.stringContaining('“perhaps” is no choice')])
    expect((await cli(['answer', 'last', 'may'])).stdout).toContain('answered "may"')
    const { code, stdout } = await run.ended
    expect(stdout).toMatch(/waiting: thinkon answer \S+ \d+ 'yes\|no\|maybe later'/)
    expect([code, stdout.trimEnd().split('\n').at(-1)]).toEqual([0, 'answer: maybe later'])
  })

  it('refuses an answer to a question that is not open, and lists the open ones', async () => {
    const { id, child, ended } = await startWaiting()
    const early = await cli(['answer', id, 'early'])
    expect([early.code, early.stderr]).toEqual([2, expect.stringContaining('has no open question')])
    expect((await cli(['questions'])).stderr).toContain('there are no open questions')
    child.kill('SIGKILL')
    await ended
    const run = start(['run', 'ask', '--ask'])
    await state('last', ({ goal, status }) => goal === 'ask' && status === 'waiting')
    const [line] = (await cli(['questions', '--json'])).stdout.trim().split('\n')
    const { run: asking, id: question, text } = JSON.parse(line ?? '')
    expect((await cli(['questions'])).stdout).toContain(`waiting: thinkon answer ${asking} ${question} `)
    expect(text).toBeTypeOf('string')
    expect((await cli(['answer', asking, '1', 'yes'])).stderr).toContain('question 1 of run')
    expect((await cli(['answer', asking, String(question), 'yes'])).code).toBe(0)
    expect((await cli(['answer', asking, String(question), 'no'])).code).toBe(2)
    await run.ended
  })
})

describe('stopping', () => {
  it.each(['SIGINT', 'SIGTERM'] as const)('%s leaves the run to be gone on with', async (signal) => {
    const { id, child, ended } = await startWaiting()
    child.kill(signal)
    const { code, stdout, stderr } = await ended
    expect(stderr).toBe(`stopped; resume with: thinkon resume ${id}\n`)
    expect(outcomeOf(stdout)).toEqual({ type: 'stopped', run: id })
    expect(code).toBe(130)
    expect((await cli(['list'])).stdout).toMatch(new RegExp(`${id} +stopped`))
    expect((await cli(['show', id])).stdout).toContain(`resume with: thinkon resume ${id}`)

    const told = await cli(['message', id, '1-1', '-m', 'hurry'])
    expect(told.stdout).toContain(
      `nothing is working on this run; it takes effect on resume: thinkon resume ${id}`,
    )
    await cli(['message', id, '1-2', '-m', 'hurry'])
    const resumed = await cli(['resume', id])
    expect(resumed.stdout).toContain('(as the run was begun)')
    expect([resumed.code, resumed.stdout.trimEnd().split('\n').at(-1)]).toEqual([0, 'hurried | hurried'])
  })

  it('cancel ends a stopped run at once', async () => {
    const { id, child, ended } = await startWaiting()
    child.kill('SIGINT')
    await ended
    expect((await cli(['cancel', id])).stdout).toContain(`run ${id} is cancelled`)
    expect(await state(id)).toMatchObject({ status: 'cancelled', owned: false })
  })

  it('a killed run goes on, and open questions are told again', async () => {
    const run = start(['run', 'ask', '--ask'])
    const { run: id } = await state('last', ({ goal, status }) => goal === 'ask' && status === 'waiting')
    run.child.kill('SIGKILL')
    await run.ended
    const resumed = start(['resume', id])
    await state(id, ({ owned }) => owned)
    await cli(['answer', id, '2'])
    const { code, stdout } = await resumed.ended
    expect(stdout).toContain(`waiting: thinkon answer ${id} `)
    expect([code, stdout.trimEnd().split('\n').at(-1)]).toEqual([0, 'answer: no'])
  })

  it('a killed run with an open question goes on with --yes', async () => {
    const run = start(['run', 'ask', '--ask'])
    const { run: id } = await state('last', ({ goal, status }) => goal === 'ask' && status === 'waiting')
    run.child.kill('SIGKILL')
    await run.ended
    expect(await cli(['resume', id, '--yes', '-q'])).toEqual({ code: 0, stdout: 'answer: yes\n', stderr: '' })
  })

  it('a reader that goes away stops the run cleanly, and it can be gone on with', async () => {
    const { child, ended } = start(['run', 'wait'])
    const first: string = await new Promise((resolve) =>
      child.stdout?.once('data', (data) => resolve(String(data))),
    )
    child.stdout?.destroy()
    const id = first.split(' ')[1] as string
    // It is noticed with the next line that is printed: here, that of a block that is skipped.
    await state(id, bothWait)
    await cli(['skip', id, '1-1'])
    const { code, stderr } = await ended
    expect(stderr).toBe(`stopped, nobody reads the output any more; resume with: thinkon resume ${id}\n`)
    expect(code).toBe(130)
    const resumed = start(['resume', id, '-q'])
    await cli(['message', id, '1-2', '-m', 'hurry'])
    expect((await resumed.ended).stdout).toMatch(/^\[skipped.*\] \| hurried\n$/)
  })

  it('a reader of a journal may go away at any time', async () => {
    const { child, ended } = start(['events', 'last'])
    child.stdout?.once('data', () => child.stdout?.destroy())
    const { code, stderr } = await ended
    expect([code, stderr]).toEqual([0, ''])
  })

  it('a run in memory that asks is refused where nobody can answer', async () => {
    const { code, stderr } = await cli(['run', 'ask', '--ask', '--store', ':memory:'])
    expect([code, stderr]).toEqual([2, expect.stringContaining('nobody can answer a run in memory')])
    expect((await cli(['run', 'ask', '--store', ':memory:', '--yes', '-q'])).stdout).toBe('answer: yes\n')
  })
})
