// A plan that a person edits in the page: what is wrong with it, and the edits that make it.
import { describe, expect, it } from 'vitest'
import { type DraftTask, draftProblems, planDraft, planEdits } from '../../src/views.ts'
import { names, reviewed } from '../dual/reviewed-runs.ts'
import { plan } from '../dual/scripted-tasks.ts'

const task = (name: string, more: Partial<DraftTask> = {}): DraftTask => ({
  id: `new ${name}`,
  name,
  goal: `${name} is done`,
  dependsOn: [],
  subtasks: [],
  hasBegun: false,
  ...more,
})

/** Edits the plan a, b (b1, b2), c in a run that waits for its review, and accepts it. */
async function edited(change: (draft: DraftTask[]) => DraftTask[]) {
  const script = { 'plan all': [plan('a', { name: 'b', parts: ['b1', 'b2'] }, { name: 'c', after: ['a'] })] }
  const before = planDraft({ tree: await treeOf(script) }) as DraftTask[]
  const after = change(before)
  expect(draftProblems(after, 'en')).toEqual([])
  const run = await reviewed(script, [{ choice: 'continue', edits: planEdits(before, after) }])
  expect(await run.notes('dual/edit-refused')).toEqual([])
  expect((await run.outcome()).status).toBe('completed')
  const tree = (await run.notes('dual/plan-changed')).at(-1) as { tree: never }
  return { names: await names(run), draft: planDraft(tree) as DraftTask[] }
}

async function treeOf(script: Parameters<typeof reviewed>[0]) {
  const run = await reviewed(script, [])
  return ((await run.notes('dual/plan-changed'))[0] as { tree: unknown }).tree
}

describe('the edits of a plan', () => {
  it('rename, add, remove, reorder and change what waits for what, all at once', async () => {
    const { names, draft } = await edited(([a, b, c]) => [
      { ...b!, subtasks: [task('b3', { dependsOn: [c!.id] }), b!.subtasks[1]!] },
      task('z', { dependsOn: [a!.id], subtasks: [task('z1')] }),
      { ...c!, name: 'see', goal: 'look at it', dependsOn: [] },
      { ...a!, dependsOn: [c!.id] },
    ])
    expect(names).toEqual(['1-1 b', '1-1-1 b3', '1-1-2 b2', '1-2 z', '1-2-1 z1', '1-3 see', '1-4 a'])
    const [b, z, see, a] = draft
    expect([see?.goal, a?.dependsOn, see?.dependsOn]).toEqual(['look at it', [see?.id], []])
    expect([z?.dependsOn, b?.subtasks[0]?.dependsOn]).toEqual([[a?.id], [see?.id]])
  })

  it('let tasks change names, and take that of a task that goes', async () => {
    const { names } = await edited(([a, b]) => [
      { ...a!, name: 'b', subtasks: [] },
      { ...b!, name: 'a', subtasks: [{ ...b!.subtasks[0]!, name: 'c', goal: '' }] },
      task('b2', { goal: '' }),
    ])
    expect(names).toEqual(['1-1 b', '1-2 a', '1-2-1 c', '1-3 b2'])
  })

  it('can replace all tasks', async () => {
    expect((await edited(() => [task('x'), task('y')])).names).toEqual(['1-1 x', '1-2 y'])
  })

  it('are none for what is as it was', () => {
    const draft = [task('a', { subtasks: [task('b')] })]
    expect(planEdits(draft, structuredClone(draft))).toEqual([])
  })
})

it('says what is wrong with a plan, in the language of the page', () => {
  expect(draftProblems([], 'en')).toEqual(['A plan needs at least one task.'])
  expect(draftProblems([task(' '), task('a', { id: '1' }), task('a ', { id: '2' })], 'zh')).toEqual([
    '每个任务都要有名称。',
    '名称“a”重复了。',
  ])
  const circle = [task('a', { id: '1', dependsOn: ['2'] }), task('b', { id: '2', dependsOn: ['1'] })]
  expect(draftProblems(circle, 'en')).toEqual([
    'Tasks would wait for each other in a circle: "a" → "b" → "a".',
  ])
  expect(draftProblems([task('1-2')], 'en')[0]).toContain("looks like a task's number")
  expect(planDraft({ tree: 3 })).toBeNull()
})
