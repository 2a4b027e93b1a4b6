// Each strategy in its own form, of real runs with the program that answers as a model, in both languages.
import { afterAll, describe, expect, it } from 'vitest'
import { createEngine } from '../../src/engine.ts'
import type { Event } from '../../src/protocol/index.ts'
import { blockForm, type Form, type FormItem, SHIPPED_VIEWS } from '../../src/views.ts'

const GOAL = '(3+4)*(8-6)'
const engine = createEngine({ model: 'embedded:abacus', store: ':memory:' })
afterAll(() => engine.close())

async function runOf(strategy: 'tot' | 'cot' | 'planner' | 'dual' | 'fractal' | 'auto'): Promise<Event[]> {
  const run = await engine.start(GOAL, { strategy })
  await run.outcome
  return [...(await engine.events(run.id))]
}

function formOf(events: readonly Event[], lang: 'en' | 'zh' = 'en', path = '1'): Form {
  const form = blockForm(events, SHIPPED_VIEWS, { path, lang })
  if (form === null) throw new Error(`block ${path} has no form`)
  // It is data: nothing is lost on the way to a page.
  expect(JSON.parse(JSON.stringify(form))).toEqual(form)
  return form
}

function partOf<Kind extends Form['parts'][number]['kind']>(form: Form, kind: Kind, at = 0) {
  const part = form.parts.filter((one) => one.kind === kind).at(at)
  if (part === undefined) throw new Error(`no ${kind}`)
  return part as Extract<Form['parts'][number], { kind: Kind }>
}

const told = ({ label, text, state }: FormItem) => `${label ?? ''} ${state} ${text}`.trim()

describe('the form of a run', () => {
  it('tot: a tree of thoughts with scores, what was pruned, what is verified, and the best path', async () => {
    const events = await runOf('tot')
    const { picture } = partOf(formOf(events), 'tree')
    const best = picture.nodes.filter(({ look }) => look === 'best')
    expect(best.map(({ text }) => text)).toEqual([GOAL, '3 + 4 = 7', '8 - 6 = 2', '7 × 2 = 14'])
    expect(best.at(-1)).toMatchObject({ verified: true, badge: '10', note: 'verified by program' })
    expect(picture.nodes.filter(({ look }) => look === 'pruned')).toHaveLength(1)
    expect(picture.result).toContain('14')
    expect(formOf(events, 'zh').caption).toContain('4 个思维 · 剪枝 1 个 · 最高 10')
  })

  it('cot: a checklist for each thought, with what it has changed', async () => {
    const events = await runOf('cot')
    const form = formOf(events)
    expect(form.caption).toBe('thought 5 (conclusion) · 3 of 3 steps done')
    const second = partOf(form, 'list', 1)
    expect(second).toMatchObject({ title: 'Thought 2', past: true })
    expect(second.items.map(told)).toEqual([
      '1 done compute 3 + 4',
      '2 todo compute 8 - 6',
      '3 todo compute (3 + 4) × (8 - 6)',
    ])
    expect(second.items.map(({ changed }) => changed === true)).toEqual([true, false, false])
    expect(partOf(form, 'list', -1).past).toBeUndefined()
    expect(formOf(events, 'zh').caption).toBe('思考 5（结论） · 已完成 3/3 步')
  })

  it('planner: gates, sub-goals, executors', async () => {
    const events = await runOf('planner')
    const [goal] = partOf(formOf(events), 'list').items
    expect(goal).toMatchObject({ block: '1-1', state: 'done', tags: ['execute'] })
    const child = formOf(events, 'zh', '1-1')
    expect(partOf(child, 'list').title).toBe('双门槛判定')
    expect(partOf(child, 'list').items.map(({ note }) => note)).toEqual(['否。', '能：直接执行。'])
    expect(partOf(child, 'list', 1)).toMatchObject({ title: '执行与观测', items: [{ state: 'done' }] })
  })

  it('dual: a board of tasks, and the loop of each', async () => {
    const events = await runOf('dual')
    const { columns } = partOf(formOf(events, 'zh'), 'board')
    expect(columns.map(({ title }) => title)).toEqual(['未开始', '执行中', '已完成', '已跳过 · 已中止'])
    expect(columns[2]?.items[0]).toMatchObject({ label: '1-1', block: '1-1', state: 'done' })
    expect(partOf(formOf(events, 'en', '1-1'), 'list')).toMatchObject({
      title: 'Actions',
      items: [{ tags: ['finish'], state: 'done' }],
    })
  })

  it('fractal: what is to do, what is being done, what is done, at any event', async () => {
    const events = await runOf('fractal')
    const begun = events.findIndex(({ type, path }) => type === 'block-start' && path === '1-2')
    const { columns } = partOf(formOf(events.slice(0, begun + 1)), 'board')
    expect(columns.map(({ title, items }) => [title, ...items.map(told)])).toEqual([
      ['To do', 'todo compute (3 + 4) × (8 - 6)'],
      ['Doing', '1-2 active compute 8 - 6'],
      ['Done', '1-1 done compute 3 + 4'],
    ])
    expect(formOf(events, 'zh').caption).toBe('已完成 2')
  })

  it('auto: the form of the strategy that it chose', async () => {
    expect(formOf(await runOf('auto')).caption).toContain('steps done')
  })
})
