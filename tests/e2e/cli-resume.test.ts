// Runs of a program that the command line has not everything for.
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { createEngine } from '../../src/engine.ts'
import { ScriptedModel } from '../../src/testing/index.ts'
import { strategyOf } from '../conformance/kernel/lab.ts'
import { jsonLines, makePlace } from './cli-process.ts'

const place = makePlace()
const { cli, folder } = place
const store = join(folder, 'program.db')
afterAll(() => place.remove())

const family = strategyOf('family', async (context) => {
  if (context.level > 0) return String(await context.one(context.ask({ text: 'well?' })))
  return String((await context.all([context.call('a'), context.call('b')])).length)
})
const lookup = { name: 'lookup', description: 'looks up', access: 'read' as const, run: () => 'found' }

/** A run that a program has started and left. */
async function programsRun(): Promise<string> {
  const engine = createEngine({
    store,
    model: new ScriptedModel(() => 'yes'),
    strategies: [family],
    tools: [lookup],
  })
  const run = await engine.start('a goal', { strategy: 'family' })
  for await (const event of run.events) if (event.type === 'signal-asked' && event.path === '1-2') break
  await engine.close()
  return run.id
}

const journal = async (id: string) =>
  jsonLines((await cli(['events', id, '--json', '--store', store])).stdout)

describe('a run of a program', () => {
  it('is not resumed where its strategy, tool and model are not there: one error says all, nothing is written', async () => {
    const id = await programsRun()
    const before = await journal(id)
    const { code, stderr, stdout } = await cli(['resume', id, '--store', store, '--json'])
    expect(code).toBe(2)
    expect(stderr).toMatch(
      /can't be resumed here and was left as it is\. Not here: the strategy "family" of blocks 1, 1-1, 1-2; the tool "lookup"; the model "scripted" \(.*\)\. Resume it with the program/,
    )
    expect(jsonLines(stdout).at(-1)).toMatchObject({ type: 'error', code: 'NO_SUCH_STRATEGY' })
    const chosen = await cli(['resume', id, '--store', store, '--model', 'embedded:abacus'])
    expect(chosen.stderr).toMatch(
      /Not here: the strategy "family" of blocks 1, 1-1, 1-2; the tool "lookup"\. /,
    )
    expect(chosen.code).toBe(2)
    expect(await journal(id)).toEqual(before)
  })

  it('is not forked to be resumed either', async () => {
    const id = await programsRun()
    const at = String((await journal(id)).length)
    const { code, stderr } = await cli(['fork', id, '--at', at, '--resume', '--store', store])
    expect(code).toBe(2)
    expect(stderr).toContain('the strategy "family" of blocks 1, 1-1, 1-2')
    const runs = jsonLines((await cli(['list', '--json', '--store', store])).stdout)
    expect(runs.some(({ forkOf }) => forkOf === id)).toBe(false)
    expect((await cli(['fork', id, '--at', at, '--store', store])).code).toBe(0)
  })
})

describe('a run that is resumed with another model', () => {
  it('says so, with the blocks that continue with it; --strict refuses', async () => {
    const going = place.start(['fractal', '(1 + 2) * (3 + 4)', '--model', 'embedded:abacus#2000'])
    const { run: id } = await place.state('last', ({ blocks }) => blocks.length > 1)
    going.child.kill('SIGKILL')
    await going.ended
    const before = jsonLines((await cli(['events', id, '--json'])).stdout)
    for (const view of [[], ['--audit']])
      expect((await cli(['show', id, ...view])).stdout).toMatch(new RegExp(`^${id} stopped`))
    const refused = await cli(['resume', id, '--model', 'embedded:abacus', '--strict'])
    expect(refused.code).toBe(4)
    expect(refused.stderr).toMatch(
      /was left as it is, .*the model of blocks? 1.*, from embedded:abacus#2000 to/,
    )
    expect(jsonLines((await cli(['events', id, '--json'])).stdout)).toEqual(before)
    const resumed = await cli(['resume', id, '--model', 'embedded:abacus'])
    expect(resumed.stdout).toMatch(/changed: the model of blocks? 1/)
    expect(resumed.code).toBe(0)
  })
})

describe('limits', () => {
  it('are raised by resume and by a fork that is resumed at once, and refused where they would be lost or lowered', async () => {
    const model = ['--model', 'embedded:abacus', '--store', store]
    const run = await cli([
      'run',
      '2 + 3 * 4',
      '--strategy',
      'fractal',
      '--max-calls',
      '1',
      '--json',
      ...model,
    ])
    const { run: id, limit } = jsonLines(run.stdout).at(-1) as { run: string; limit: string }
    expect(limit).toBe('calls')
    const lost = await cli(['fork', id, '--at', '2', '--max-calls', '50', '--store', store])
    expect(lost).toMatchObject({
      code: 2,
      stderr: expect.stringMatching(/--max-calls is for a run that is resumed/),
    })
    const lower = await cli(['fork', id, '--at', '2', '--resume', '--max-calls', '0', ...model])
    expect(lower).toMatchObject({ code: 2, stderr: expect.stringMatching(/can't be lowered to 0/) })
    const runs = jsonLines((await cli(['list', '--json', '--store', store])).stdout)
    expect(runs.some(({ forkOf }) => forkOf === id)).toBe(false)
    const ended = await cli(['resume', id, '--max-calls', '50', ...model])
    expect(ended).toMatchObject({
      code: 3,
      stderr: expect.stringMatching(/it can't be given more; .* fork /),
    })
    const raised = await cli(['fork', id, '--at', '2', '--resume', '--max-calls', '50', '--json', ...model])
    expect(raised.code).toBe(0)
    const fork = (jsonLines(raised.stdout).at(-1) as { run: string }).run
    const resumes = (await journal(fork)).filter(({ type }) => type === 'run-resume')
    expect(resumes).toMatchObject([{ limits: { calls: 50 } }])
  })
})
