// Tasks of a plan are skipped and done again from another process; reviews are answered there, and outlive their process.

import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import type { Event } from '../../src/protocol/index.ts'
import { kindOf } from '../answers.ts'
import { until } from '../conformance/async.ts'
import { jsonLines, makePlace } from './cli-process.ts'

const place = makePlace()
const { cli, start } = place
afterAll(() => place.remove())
place.env.THINKON_MODEL = `module:${join(import.meta.dirname, 'dual-model.ts')}`

async function events(run: string): Promise<Event[]> {
  const { stdout } = await cli(['events', run, '--json'])
  return stdout.trim() === '' ? [] : (jsonLines(stdout) as unknown as Event[])
}

/** Starts a run, and waits until `holds` is true of its events. */
async function begin(args: readonly string[], holds: (events: readonly Event[]) => boolean) {
  const run = start([...args, '--json', '--option', 'maxIterations=1000'])
  const first: string = await new Promise((resolve) =>
    run.child.stdout?.once('data', (data) => resolve(String(data))),
  )
  const id = String(JSON.parse(first.split('\n')[0] as string).run)
  await once(id, holds)
  return { ...run, id }
}

const once = (id: string, holds: (events: readonly Event[]) => boolean) =>
  until(async () => holds(await events(id)), `the events of run ${id} that the test waits for`)

const began = (goal: string) => (all: readonly Event[]) =>
  all.some((event) => event.type === 'block-start' && event.goal === goal)
const asks = (name: string) => (all: readonly Event[]) =>
  all.findLast((event) => event.type.startsWith('signal'))?.type === 'signal-asked' &&
  all.some((event) => event.type === 'signal-asked' && event.name === name)
const SLOW = 'slow: slow is done'

describe('a task of a plan, from another process', () => {
  it('is skipped, before it begins and while it runs; its block may be left out', async () => {
    const { ended, id } = await begin(['dual', 'do a, slow, c'], began(SLOW))
    const skipped = await cli(['skip', id, '--task', '1-3', '-m', 'not needed'])
    expect(skipped.stdout).toContain('skip sent for task 1-3 "c": it will not be begun; see: thinkon show')
    const json = await cli(['skip', id, '1', '--task', '1-2', '--json'])
    expect(jsonLines(json.stdout)).toEqual([
      {
        type: 'signal',
        run: id,
        path: '1',
        name: 'subtask',
        value: { do: 'skip', subtask_index: '1-2', reason: '' },
        running: true,
      },
    ])
    const outcome = jsonLines((await ended).stdout).at(-1)
    expect(outcome).toMatchObject({ status: 'completed', result: expect.stringMatching(/^a done \| \[/) })
    const { stdout } = await cli(['show', id])
    expect(stdout).toMatch(/\[x\] 1-1 "a: .*→ a done/)
    expect(stdout).toMatch(/\] 1-2 "slow.*" skipped/)
    expect(stdout).toContain('-[/] 1-3. c  skipped: not needed')
    expect((await cli(['replay', id])).code).toBe(0)
  })

  it('is done again with a message: an ended one, and one that runs', async () => {
    const { ended, id } = await begin(['dual', 'do a, slow'], began(SLOW))
    const redone = await cli(['redo', id, '--task', '1-1', '-m', 'with more care'])
    expect(redone.stdout).toContain('redo sent for task 1-1 "a": it is done again, with your message')
    await cli(['redo', id, '1', '--task', '1-2', '-m', 'quickly'])
    const { stdout } = await ended
    expect(jsonLines(stdout).at(-1)).toMatchObject({ status: 'completed' })
    const results = jsonLines(stdout).flatMap((event) =>
      event.type === 'block-end' ? [(event.outcome as { result: string }).result] : [],
    )
    expect(results).toEqual(expect.arrayContaining(['a done', 'again: with more care', 'again: quickly']))
    const shown = (await cli(['show', id])).stdout
    expect(shown).toMatch(/\[x\] task 1-1 "a.*‹1-\d› attempt 2.*→ again/)
    expect(shown).toMatch(/\[x\] task 1-2 "slow.*‹1-\d› attempt 2.*→ again/)
  })

  it('that is not there, or can not be steered, is refused with what can be done', async () => {
    const { ended, id } = await begin(['dual', 'do a, slow, c'], began(SLOW))
    const refused = async (...args: string[]) => {
      const { code, stderr } = await cli(args)
      expect(code).toBe(2)
      return stderr
    }
    expect(await refused('skip', id, '--task', '1-9')).toContain(
      'the plan of block 1 has no task "1-9"; did you mean 1-1? It has: 1, 1-1, 1-2, 1-3',
    )
    expect(await refused('skip', id, '--task', '1-1')).toMatch(
      /task 1-1 "a" is completed already; to have it done again: thinkon redo \S+ 1 --task 1-1/,
    )
    expect(await refused('redo', id, '--task', '1-2')).toContain(
      'needs a message that says what to do better',
    )
    expect(await refused('redo', id, '--task', '1-3', '-m', 'x')).toContain('task 1-3 "c" has not begun yet')
    expect(await refused('skip', id, '1-2', '--task', '1-1')).toMatch(
      /block 1-2 carries out task 1-2 of block 1 and has no plan of its own/,
    )
    expect(await refused('skip', id)).toContain('thinkon skip needs <run> <path>')
    await cli(['cancel', id])
    await ended
    expect(await refused('redo', id, '--task', '1-2', '-m', 'x')).toMatch(
      /has ended \(cancelled\): task 1-2 can't be steered any more; its block 1-2 can be done again by a fork: thinkon redo/,
    )
    const { stdout } = await cli(['run', 'compute 1+1', '--model', 'embedded:abacus', '--json'])
    const other = String(jsonLines(stdout)[0]?.run)
    expect(await refused('skip', other, '--task', '1-1')).toContain('has ended (completed): it has no plan')
  })
})

describe('a review of a plan, with --review manual', () => {
  it('is answered from another process; words revise the plan, edits change it', async () => {
    const { ended, id } = await begin(['dual', 'do a, b', '--review', 'manual', '--ask'], asks('review-plan'))
    const shown = (await cli(['show', id])).stdout
    expect(shown).toContain('-[ ] 1-2. "b"')
    expect(shown).toMatch(/waiting: thinkon answer \S+ \d+ '…'/)
    await cli(['answer', id, 'incomplete: c'])
    await once(id, (all) => asked(all) === 2)
    await cli(['answer', id, 'remove 1-2'])
    await once(id, (all) => asked(all) === 3)
    await cli(['answer', id, 'continue'])
    for (const task of ['a', 'c']) {
      await once(id, (all) => questionOf(all).includes(`"${task}" completed`))
      await cli(['answer', id, 'continue'])
    }
    expect(jsonLines((await ended).stdout).at(-1)).toMatchObject({
      status: 'completed',
      result: 'a done | c done',
    })
  })

  it('outlives its process: stopped, resumed, answered', async () => {
    const first = await begin(['dual', 'do a', '--review', 'manual', '--ask'], asks('review-plan'))
    const { id } = first
    first.child.kill('SIGINT')
    expect((await first.ended).code).toBe(130)
    const kept = await cli(['answer', id, 'rename 1-1: tidy up'])
    expect(kept.stdout).toContain('nothing is working on this run; it takes effect on resume: thinkon resume')
    const second = start(['resume', id, '--json'])
    await once(id, (all) => asked(all) === 2)
    expect(questionOf(await events(id))).toContain('"tidy up"')
    second.child.kill('SIGKILL')
    await second.ended
    await cli(['answer', id, 'continue'])
    const last = await cli(['resume', id, '--yes', '--quiet'])
    expect([last.code, last.stdout.trim()]).toEqual([0, 'tidy up done'])
  })

  it('is continued by --yes, and not asked with --review auto', async () => {
    const yes = await cli(['dual', 'do a', '--review', 'manual', '--yes', '--json'])
    expect(asked(jsonLines(yes.stdout) as unknown as Event[])).toBe(1)
    expect(jsonLines(yes.stdout).at(-1)).toMatchObject({ status: 'completed', result: 'a done' })
    const auto = await cli(['dual', 'do a', '--review', 'auto', '--json'])
    expect(asked(jsonLines(auto.stdout) as unknown as Event[])).toBe(0)
  })

  it('with --review ai asks where the model sees a risk, and nowhere else', async () => {
    const harmless = await cli(['dual', 'do a', '--review', 'ai', '--json'])
    expect(asked(jsonLines(harmless.stdout) as unknown as Event[])).toBe(0)
    expect(harmless.stdout).toContain('dual/risk-judged')
    const { ended, id } = await begin(['dual', 'do risky', '--review', 'ai', '--ask'], asks('review-plan'))
    await cli(['answer', id, 'end'])
    const outcome = jsonLines((await ended).stdout).at(-1)
    expect(outcome).toMatchObject({ status: 'partial', reason: '1: the plan was not accepted' })
  })
})

function asked(all: readonly Event[]): number {
  return all.filter((event) => event.type === 'signal-asked' && kindOf(event.name) === 'review-plan').length
}

/** The text of the last question. */
function questionOf(all: readonly Event[]): string {
  const question = all.findLast((event) => event.type === 'signal-asked' && event.question !== undefined)
  return question?.type === 'signal-asked' ? (question.question?.text ?? '') : ''
}
