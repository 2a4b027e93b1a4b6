// What a run remembers is worth it: of earlier runs, about the goal, judged; looked up at every iteration; and paid for only where it is.
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { describe, expect, it } from 'vitest'
import { builtinTools } from '../../src/index.ts'
import type { ModelRequest } from '../../src/protocol/index.ts'
import { ScriptedModel } from '../../src/testing/index.ts'
import { call, type DualRun, finish, newWorkspace, plan, promptText, solveDual } from './dual-runs.ts'

const fact = (text: string, more: object = {}) => ({
  text,
  kind: 'fact',
  relevance: 0.9,
  importance: 0.9,
  ...more,
})

/** A run of these tasks, each of which looks so many times and then finishes with these memories. */
function working(memories: Readonly<Record<string, readonly unknown[]>>, looks = 0): ScriptedModel {
  return new ScriptedModel(({ kind, input }: ModelRequest) => {
    const { name, history = [] } = input as { name: string; history: readonly unknown[] }
    if (kind === 'dual/plan') return plan(...Object.keys(memories))
    if (kind !== 'dual/decide') return { result: 'all of it', advice: '', spinning: false, fits: true }
    if (history.length < looks) return call('calculate', { expression: `${history.length} + 1` })
    return finish(`${name} is done with care`, { memories: memories[name] })
  })
}

/** What the workspace remembers. */
function kept(workspace: string): unknown[] {
  const database = new DatabaseSync(join(workspace, '.thinkon/memory.db'), { readOnly: true })
  const rows = database.prepare('SELECT text FROM entities ORDER BY no').all()
  database.close()
  return rows.map(({ text }) => text)
}

const steps = ({ events }: DualRun, name: string) =>
  events.flatMap((event) => (event.type === 'tool-start' && event.name === name ? [event] : []))

const seen = (run: DualRun, text: string) =>
  run.requests('dual/decide').filter((request) => promptText(request).includes(text)).length

it('what this run has learned itself is not told to it as a memory', async () => {
  const workspace = newWorkspace()
  const learned = { 'sweep the hall': [fact('The hall is swept with the red broom.')], 'mop the hall': [] }
  const run = await solveDual('clean the hall', working(learned), { workspace })
  expect(run.outcome.status).toBe('completed')
  expect(seen(run, 'Remembered from earlier runs')).toBe(0)
  await run.engine.close()
  const later = await solveDual('clean the hall', working({ 'sweep the hall': [] }), { workspace })
  expect(seen(later, '- fact: The hall is swept with the red broom.')).toBe(1)
})

it('nor does a search of the loop find it', async () => {
  const workspace = newWorkspace()
  const search = { action: 'knowledge_enhance', query: 'broom' }
  const model = new ScriptedModel(({ kind, input }: ModelRequest) => {
    const { name, history } = input as { name: string; history: readonly unknown[] }
    if (kind === 'dual/plan') return plan('sweep', 'mop')
    if (kind !== 'dual/decide') return { result: 'clean', advice: '', spinning: false }
    if (name === 'mop' && history.length === 0) return search
    return finish('done', { memories: [fact('The hall is swept with the red broom.')] })
  })
  const run = await solveDual('clean up', model, { workspace })
  expect(seen(run, 'the red broom')).toBe(0)
})

it('facts that were judged worth it are kept, and no stub for every task', async () => {
  const workspace = newWorkspace()
  const proposals = [
    fact('The hall is swept with the red broom.'),
    fact('The broom stood left of the door at noon.', { relevance: 0.1, importance: 0.2 }),
    fact('The hall was swept.', { kind: 'result' }),
    fact('sweep is done with care'),
    { kind: 'fact' },
    'a text',
  ]
  const run = await solveDual('clean up', working({ sweep: proposals, mop: [], dust: [] }), { workspace })
  expect(run.outcome.status).toBe('completed')
  expect(kept(workspace)).toEqual(['The hall is swept with the red broom.'])
  expect(steps(run, 'memory__save')).toHaveLength(1)
})

it('nothing foreign to the goal is told', async () => {
  const workspace = newWorkspace()
  const memories = [
    fact('The kitten gets milk at noon.'),
    fact('Every task of the user is done, and its result is written to a file.'),
    fact('Release notes are signed by Ada.'),
  ]
  await (await solveDual('look around', working({ look: memories }), { workspace })).engine.close()
  const goal = 'write the release notes to a file before noon'
  const run = await solveDual(goal, working({ 'write the notes': [] }), { workspace })
  const [prompt = ''] = run.prompts('dual/decide')
  expect(prompt).toContain('- fact: Release notes are signed by Ada.')
  expect(prompt).not.toContain('kitten')
  expect(prompt).not.toContain('Every task of the user')
  // Who plans knows it, too.
  expect(run.prompts('dual/plan')[0]).toContain('- fact: Release notes are signed by Ada.')
})

describe('memory is loaded at every iteration', () => {
  it('with its 200 ms, without using up calls, and what is known already is not told again', async () => {
    const workspace = newWorkspace()
    const known = [fact('The red broom is for the hall.')]
    await (await solveDual('clean the hall', working({ sweep: known }), { workspace })).engine.close()
    const run = await solveDual('clean the hall', working({ 'sweep the hall': [] }, 11), { workspace })
    const loads = steps(run, 'memory__load').filter(({ path }) => path === '1-1')
    expect(loads).toHaveLength(12)
    for (const { input, reserve } of loads) {
      expect(input).toMatchObject({ timeoutMs: 200 })
      expect(reserve.calls).toBe(0)
    }
    expect(run.prompts('dual/decide').at(-1)?.split('The red broom is for the hall.')).toHaveLength(2)
    // The plan, 12 decisions, a reflection at the eighth, and 11 calls of a tool.
    expect(run.outcome.usage.calls).toBe(1 + 12 + 1 + 11)
    expect((await run.engine.replay(run.id)).differences).toEqual([])
  })

  it('so that what another run has learned meanwhile is known in the next iteration', async () => {
    const workspace = newWorkspace()
    let learn = async () => {}
    const model = new ScriptedModel(async ({ kind, input }: ModelRequest) => {
      const { history = [] } = input as { history: readonly unknown[] }
      if (kind === 'dual/plan') return plan('sweep the hall')
      if (kind !== 'dual/decide') return { fits: true }
      if (history.length === 1) await learn()
      return history.length < 3 ? call('calculate', { expression: `${history.length}+1` }) : finish('clean')
    })
    learn = async () => {
      const other = await solveDual('look', working({ look: [fact('The red broom is for the hall.')] }), {
        workspace,
      })
      await other.engine.close()
    }
    const run = await solveDual('clean the hall', model, { workspace })
    const told = run.prompts('dual/decide').map((prompt) => prompt.includes('The red broom is for the hall.'))
    expect(told).toEqual([false, false, true, true])
  })
})

describe('bookkeeping', () => {
  it('that is not paid for does not use up the calls of a run', async () => {
    const workspace = newWorkspace()
    const tasks = { sweep: [fact('The red broom is for the hall.')], mop: [fact('The mop is blue.')] }
    const run = await solveDual('clean the hall', working(tasks), {
      workspace,
      budget: { calls: 5 },
      options: { check: 'never' },
    })
    // The plan, two tasks, the summary.
    expect(run.outcome).toMatchObject({ status: 'completed', usage: { calls: 4 } })
    expect(kept(workspace)).toHaveLength(2)
  })

  it('that is paid for counts and is shown: an embedding is a call, with its tokens', async () => {
    const workspace = newWorkspace()
    const embedded: string[][] = []
    const embedding = async (texts: readonly string[]) => {
      embedded.push([...texts])
      return texts.map(() => [1, 0])
    }
    const tools = builtinTools({ workspace, embedding })
    const memories = { 'sweep the hall': [fact('The red broom is for the hall.')] }
    const first = await solveDual('clean the hall', working(memories), { workspace, engine: { tools } })
    // The plan, the task, and the vector of what was saved: there was nothing to load, and no vector for that.
    expect(first.outcome.usage.calls).toBe(2 + 1)
    await first.engine.close()
    const run = await solveDual('clean the hall', working({ 'sweep the hall': [] }, 11), {
      workspace,
      engine: { tools: builtinTools({ workspace, embedding }) },
    })
    const ends = run.events.flatMap((event) => (event.type === 'tool-end' ? [event] : []))
    const loads = steps(run, 'memory__load')
    const usages = loads.map(({ path, n }) => ends.find((end) => end.path === path && end.n === n)?.usage)
    const paid = usages.filter((usage) => usage?.calls === 1)
    // For the plan, and in the first iteration; later ones have its vector.
    expect(loads).toHaveLength(1 + 12)
    expect(paid).toHaveLength(2)
    expect(embedded).toHaveLength(3)
    expect(paid[0]?.inputTokens).toBeGreaterThan(0)
    expect(run.outcome.usage.calls).toBe(1 + 12 + 1 + 11 + 2)
  })
})
