// The planner on the command line: real commands, real files, goals in four parts.
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { jsonLines, makePlace } from './cli-process.ts'

const place = makePlace()
const { cli, state } = place
afterAll(() => place.remove())

const file = (name: string) => join(place.folder, name)
const ABACUS = ['--model', 'embedded:abacus']
const core4 = {
  intent: '计算 (3+4)*2 并写入 z.txt',
  deliverable: 'z.txt',
  metric: '精确值',
  constraint: '只用 shell',
}

describe('thinkon planner', () => {
  const GOAL = 'compute ((3+4)*(8-6))-5 and write the result to result.txt'

  it('computes with real commands and writes a real file, without a key', async () => {
    const { code, stdout, stderr } = await cli(['planner', GOAL, ...ABACUS, '--yes'])
    expect(code, stderr).toBe(0)
    expect(readFileSync(file('result.txt'), 'utf8')).toBe('9\n')
    expect(stdout).toContain('[ ] 1-1 plan: compute 3 + 4 · compute 8 - 6 · compute 7 × 2 · compute 14 - 5')
    expect(stdout).toMatch(/\n\(3 \+ 4\) × \(8 - 6\) - 5 = 9; written to result\.txt\n/)
    const shown = (await cli(['show', 'last', '--format', 'md'])).stdout
    expect(shown).toMatch(
      /### Completion\nCompleted: .* = 9; written to result\.txt\n\n### Deliverables\n- result\.txt\n- .* = 9\n/,
    )
    const { run, blocks, strategy } = await state('last')
    expect(strategy).toMatch(/^planner@\d+$/)
    expect(blocks.filter(({ path }) => path.startsWith('1-1-'))).toHaveLength(6)
    const tools = jsonLines((await cli(['events', run, '--json'])).stdout).filter(
      ({ type, name }) => type === 'tool-start' && name === 'executor__shell',
    )
    expect(tools).toHaveLength(6)
    expect((await cli(['replay', run])).code).toBe(0)
    const context = JSON.parse(readFileSync(file('.thinkon/thinking-context.json'), 'utf8'))
    expect(Object.keys(context)).toEqual(['think', 'path', 'max_depth'])
  })

  it.each(['0', '1'])('at a depth of %s writes the file in one command', async (depth) => {
    const goal = `compute 3+4*2 and write the result to depth-${depth}.txt`
    const { code, stderr } = await cli(['planner', goal, ...ABACUS, '--yes', '--max-depth', depth])
    expect(code, stderr).toBe(0)
    expect(readFileSync(file(`depth-${depth}.txt`), 'utf8')).toBe('11\n')
  })

  it('runs nothing without leave, and says so', async () => {
    const { code, stdout } = await cli(['planner', 'compute 1+2 and write the result to q.txt', ...ABACUS])
    expect(stdout).toMatch(/^not offered, as nobody is there to permit it: .*shell/m)
    expect(stdout).toContain('1 + 2 = 3; not written to q.txt')
    expect([code, existsSync(file('q.txt'))]).toEqual([3, false])
  })

  it('refuses a file of executors that is broken before anything is begun', async () => {
    mkdirSync(file('.thinkon/executors'), { recursive: true })
    writeFileSync(file('.thinkon/executors/executors.yaml'), 'executors:\n  - { id: x, comand: ls }\n')
    const { code, stderr } = await cli(['planner', GOAL, ...ABACUS, '--yes'])
    writeFileSync(file('.thinkon/executors/executors.yaml'), 'executors: []\n')
    expect(code).toBe(2)
    expect(stderr).toContain('did you mean "command"?')
  })
})

describe('a goal as JSON', () => {
  it('is a goal in four parts; show prints them under their names, in the goal’s language', async () => {
    const { code, stderr } = await cli(['planner', JSON.stringify(core4), ...ABACUS, '--yes', '-q'])
    expect(code, stderr).toBe(0)
    expect(readFileSync(file('z.txt'), 'utf8')).toBe('14\n')
    const { goal } = await state('last')
    expect(goal).toEqual(core4)
    const { stdout } = await cli(['show', 'last', '--lang', 'en'])
    expect(stdout).toContain(
      '\n\n意图: 计算 (3+4)*2 并写入 z.txt\n交付物: z.txt\n度量: 精确值\n约束: 只用 shell\n\n[x] 1 ',
    )
    expect((await cli(['list'])).stdout).toContain('计算 (3+4)*2 并写入 z.txt')
  })

  it('is one for every strategy, and from stdin', async () => {
    const goal = { intent: 'find it', deliverable: 'a list', metric: 'complete', constraint: 'read only' }
    const { code, stdout } = await cli(['run', '-', '-q'], JSON.stringify(goal, null, 2))
    expect([code, stdout]).toEqual([
      0,
      'reached: find it\nDeliverable: a list\nMetric: complete\nConstraint: read only\n',
    ])
    expect((await cli(['show', 'last'])).stdout).toContain(
      '\nIntent: find it\nDeliverable: a list\nMetric: complete\nConstraint: read only\n',
    )
  })

  it.each<[what: string, goal: object, said: string]>([
    ['with another key', { ...core4, owner: 'me' }, '"owner" 不在其中'],
    [
      'with a mistyped key',
      { ...core4, metric: undefined, metrics: 'x' },
      '缺少 "metric"; "metrics" 不在其中；是否指 "metric"？',
    ],
    ['without one of them', { ...core4, constraint: undefined }, '缺少 "constraint"'],
    ['with a part that is no text', { ...core4, metric: 3 }, '"metric" 须为文本'],
  ])('%s is an error that says which', async (_, goal, said) => {
    const { code, stderr } = await cli(['run', JSON.stringify(goal)])
    expect(code).toBe(2)
    expect(stderr).toContain('以 JSON 给出的目标有四个部分 intent、deliverable、metric、constraint：')
    expect(stderr).toContain(said)
  })

  it('is told so in the language of the goal', async () => {
    const { stderr } = await cli(['run', '{"intent": "make it fast"}'])
    expect(stderr).toContain('a goal as JSON has the four parts intent, deliverable, metric, constraint: ')
    expect(stderr).toContain('"constraint" is missing')
  })

  it.each(['{not JSON}', '["a list"]', '{', '"text"'])('that is no object is a text: %s', async (text) => {
    const { code, stdout } = await cli(['run', text, '-q'])
    expect([code, stdout]).toEqual([0, `reached: ${text}\n`])
  })
})
