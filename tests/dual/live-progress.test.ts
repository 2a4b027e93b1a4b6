// Progress is live: what has ended by now, in every iteration, as the value of a recorded look.
import { describe, expect, it, onTestFinished } from 'vitest'
import { createEngine } from '../../src/index.ts'
import { type Event, messageText } from '../../src/protocol/index.ts'
import { memoryStore } from '../../src/store/memory.ts'
import { dualEngine } from '../../src/strategies/dual-engine/index.ts'
import { gate, inTime, until } from '../conformance/async.ts'
import { violations } from '../conformance/invariants.ts'
import { later } from '../conformance/later.ts'
import {
  finish,
  isNote,
  nested,
  plan,
  startDual,
  type TaskInput,
  type TaskScript,
  taskModel,
  tool,
  use,
} from './scripted-tasks.ts'

const look = tool('look', async (input) => ({ seen: input }))
const TWO = { tools: [look], options: { concurrency: 2 } }

function looks(events: readonly Event[]): Event[] {
  return events.filter((event) => event.type === 'tool-start' && event.name === 'dual/look')
}

describe('progress is live', () => {
  it('what has ended by now is seen in the next iteration, with its summary', async () => {
    const ended = gate()
    const run = await startDual(
      'all',
      {
        'plan all': [plan('a', 'b', 'c')],
        'act a': () => finish(`it is blue. ${'And so on. '.repeat(50)}THE END`),
        'act b': async ({ iteration }: TaskInput) => {
          if (iteration === 1) await ended.opened
          return iteration < 3 ? use('look', { iteration }) : finish('b is done')
        },
      },
      TWO,
    )
    await run.see('a has ended', isNote('dual/task-changed', { index: '1-1', to: 'completed' }))
    await run.see('c has ended', isNote('dual/task-changed', { index: '1-3', to: 'completed' }))
    ended.open()
    expect((await run.outcome()).status).toBe('completed')
    const [first, second, third] = run.of('act b').map(({ prompt }) => prompt)
    // What begins together knows of each other.
    expect(first).toContain('-[-] 1-1. "a" (executing)')
    expect(second).toMatch(/-\[x\] 1-1\. "a" \(Finished:it is blue\..{0,80}\)/)
    expect(second).toContain('-[x] 1-3. "c" (Finished:c is done)')
    expect(second).toContain('--- CURRENT_TASK ---\n -[-] 1-2. "b" (executing) (status:needs look)')
    expect(third).toContain('-[x] 1-1. "a"')
    const events = await run.events()
    expect(looks(events)).toHaveLength(2)
    // Nobody is paid for a look: 1 plan, 1 + 3 + 1 decisions, 2 tools, 1 summary.
    expect((await run.outcome()).usage.calls).toBe(9)
    // Statuses and summaries only.
    const seen = events.filter((event) => event.type === 'tool-end' && event.path === '1-2')
    expect(JSON.stringify(seen)).not.toContain('THE END')
    expect(violations(events)).toEqual([])
    expect((await run.engine.replay(run.run.id)).differences).toEqual([])
  })

  it('in a plan within a plan, too, and after the plan has changed', async () => {
    const ended = gate()
    const run = await startDual(
      'all',
      {
        'plan all': [plan('outer')],
        'act outer': [nested('inside')],
        'plan inside': [plan('a', 'b', 'c'), { tasks: [{ subtask_name: 'd', subtask_goal: 'd' }] }],
        'act a': [finish('nothing', { status: 'failed', reason: 'no' })],
        'act b': async ({ iteration }: TaskInput) => {
          if (iteration === 1) await ended.opened
          return iteration < 2 ? use('look', { iteration }) : finish('b is done')
        },
      },
      TWO,
    )
    await run.see('d has ended', (event) => event.path === '1-1-1-3' && event.type === 'block-end')
    ended.open()
    await run.outcome()
    const prompt = run.of('act b')[1]?.prompt
    expect(prompt).toContain('-[!] 1-1-1-1. "a" (aborted:failed: no)')
    expect(prompt).toContain('-[x] 1-1-1-3. "d" (Finished:d is done)')
    expect(prompt).not.toContain('"c"')
  })

  it.each([
    ['in memory', memoryStore()],
    ['in a store that answers later', later(memoryStore())],
  ])('a resumed run sees the same: a look is not taken twice, %s', async (_, store) => {
    const forever = () => new Promise<never>(() => {})
    const script = (stops: boolean): TaskScript => ({
      'plan all': [plan('a', 'b', 'c')],
      // It ends only after the resume.
      'act a': () => (stops ? forever() : finish('a is done')),
      'act b': ({ iteration }: TaskInput) =>
        iteration < 3 ? use('look', { iteration }) : stops ? forever() : finish('b is done'),
    })
    const seen: Event[] = []
    const first = createEngine({ model: taskModel(script(true)), tools: [look], store })
    const run = await first.start('all', {
      strategy: 'dual',
      options: { concurrency: 2 },
      onEvent: (event) => void ('seq' in event && seen.push(event)),
    })
    const asked = (events: readonly Event[]) =>
      events.filter((event) => event.type === 'model-start' && event.path === '1-2')
    await until(() => asked(seen).length === 3, 'b is asked a third time')
    run.outcome.catch(() => {})
    await first.close()
    const second = createEngine({ model: taskModel(script(false)), tools: [look], store })
    onTestFinished(() => second.close())
    const resumed = await second.resume(run.id)
    expect((await inTime(resumed.outcome, 'it ends')).status).toBe('completed')
    const events = [...(await second.events(run.id))]
    expect(looks(events)).toHaveLength(2)
    const third = asked(events).at(-1)
    const prompt = third?.type === 'model-start' ? third.request.messages.map(messageText).join('\n') : ''
    expect(prompt).toContain('-[-] 1-1. "a"')
    expect((await second.replay(run.id)).differences).toEqual([])
  })

  it('where tasks run one at a time nothing has to be looked at', async () => {
    const run = await startDual(
      'all',
      {
        'plan all': [plan('a', 'b')],
        'act b': ({ iteration }: TaskInput) => (iteration < 3 ? use('look', { iteration }) : finish('b')),
      },
      { tools: [look] },
    )
    await run.outcome()
    expect(looks(await run.events())).toEqual([])
    for (const { prompt } of run.of('act b')) expect(prompt).toContain('-[x] 1-1. "a" (Finished:a is done)')
  })
})

describe('the tree that a result handler gets', () => {
  it('has what each task did last, where the results of its tools are, and its long summary', async () => {
    const told: { tree: Record<string, unknown> & { subtasks: Record<string, unknown>[] } }[] = []
    const dual = dualEngine({ resultHandler: (result) => void told.push(result as never) })
    const long = `found it. ${'More of it. '.repeat(60)}THE END`
    const model = taskModel({
      'plan all': [plan('a', { name: 'b', parts: ['b1'] })],
      'act a': [
        use('look', { at: 1 }),
        use('look', { at: 2 }),
        finish(long, { human_readable_thought: 'now I have it' }),
      ],
    })
    const engine = createEngine({ model, tools: [look], strategies: [dual] })
    onTestFinished(() => engine.close())
    const run = await engine.start('all', { strategy: 'dual' })
    const outcome = await run.outcome
    expect(told).toHaveLength(1)
    const tree = told[0]!.tree
    const [a, b] = tree.subtasks
    expect(a).toMatchObject({
      status: 'completed',
      status_summary: 'now I have it',
      long_summary: long,
    })
    const refs = Object.values(a!.tool_call_results as Record<string, string>)
    const results = [...(await engine.events(run.id))].flatMap((event) =>
      event.type === 'tool-end' && event.path === '1-1' ? [`1-1/${event.n}`] : [],
    )
    expect(refs).toHaveLength(2)
    expect(refs).toEqual(results)
    expect(b).toMatchObject({ long_summary: '1-2-1 b1: b1 is done' })
    expect(tree).toMatchObject({ status: 'completed', long_summary: outcome.result })
    expect((await engine.replay(run.id)).differences).toEqual([])
    expect(told).toHaveLength(1)
  })
})
