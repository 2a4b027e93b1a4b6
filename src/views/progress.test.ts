import { describe, expect, it } from 'vitest'
import { type Event, type EventBody, emptyState, foldEvent, type RunState } from '../protocol/index.ts'
import { plainText } from './line.ts'
import { type ProgressOptions, progressLines, roleLines } from './progress.ts'
import { textWidth } from './text-width.ts'

const usage = { calls: 2, inputTokens: 900, outputTokens: 300 }
const left = { tokens: 0, calls: 0, timeMs: 0, costUsd: 0 }
const kept = { calls: 0, tokens: 0, costUsd: 0 }

/** Folds bodies, one second apart. */
function stateOf(...bodies: [path: string, body: EventBody][]): RunState {
  const state = emptyState()
  for (const [i, [path, body]] of bodies.entries()) {
    const ts = new Date(i * 1000).toISOString()
    foldEvent(state, { seq: i + 1, ts, run: 'r', path, ...body } as Event)
  }
  return state
}

const start = (path: string, goal: string, strategy = 'minimal@1'): [string, EventBody] => [
  path,
  { type: 'block-start', n: 1, goal, strategy, options: {}, kept, left },
]
const end = (
  path: string,
  status: 'completed' | 'failed' | 'skipped' | 'partial' | 'cancelled',
  text = '',
): [string, EventBody] => [
  path,
  {
    type: 'block-end',
    n: 1,
    outcome:
      status === 'completed' ? { status, result: text, usage } : { status, result: '', reason: text, usage },
    left,
  },
]

function draw(state: RunState, options: Partial<ProgressOptions> = {}): string {
  return plainText(progressLines(state, { lang: 'en', width: 80, maxLines: 50, nowMs: 60_000, ...options }))
}

describe('the progress tree', () => {
  it('tells of loops, and how many only where there are several', () => {
    const loop: [string, EventBody] = [
      '1',
      { type: 'loop-found', n: 2, kind: 'action', what: 'look', times: 3 },
    ]
    expect(draw(stateOf(start('1', 'root'), loop))).toMatch(/repeats itself(?! ×)/)
    expect(draw(stateOf(start('1', 'root'), loop, loop))).toContain('repeats itself ×2')
  })

  it('marks what is done, running, waiting, failed, skipped and not begun', () => {
    const state = stateOf(
      start('1', 'root'),
      ['1', { type: 'todo-set', n: 1, todo: ['one', 'two', 'three', 'four', 'five', 'six'] }],
      start('1-1', 'one'),
      end('1-1', 'completed', 'all\nwell'),
      start('1-2', 'two'),
      end('1-2', 'failed', '1-2: no way'),
      start('1-3', 'three'),
      end('1-3', 'skipped', 'not now'),
      start('1-4', 'four'),
      [
        '1-4',
        { type: 'signal-asked', n: 1, name: 'answer', question: { text: 'Go on?', choices: ['yes', 'no'] } },
      ],
      start('1-5', 'five'),
      ['1-5', { type: 'tool-start', n: 1, name: 'search', input: {}, access: 'read', reserve: kept }],
    )
    expect(draw(state)).toBe(
      [
        '[-] 1 "root" ‹minimal›                                  1m00s  6 calls  3.6k tok',
        '├─ [x] 1-1 "one"  → all well                             1.0s  2 calls  1.2k tok',
        '├─ [!] 1-2 "two"  failed: no way                         1.0s  2 calls  1.2k tok',
        '├─ [/] 1-3 "three"  skipped: not now                     1.0s  2 calls  1.2k tok',
        '├─ [?] 1-4 "four"  Go on? (yes / no)                      52s',
        '├─ [-] 1-5 "five"  search                                 50s',
        '└─ [ ] "six"',
      ].join('\n'),
    )
  })

  it('shows no plan of a block that has ended', () => {
    const state = stateOf(
      start('1', 'root'),
      ['1', { type: 'todo-set', n: 1, todo: ['one'] }],
      end('1', 'partial', 'out of time'),
    )
    expect(draw(state)).not.toContain('[ ]')
    expect(draw(state)).toContain('[~] 1 "root"')
  })

  it('lets children with goals in other words stand for the first items of the plan', () => {
    const state = stateOf(
      start('1', 'root'),
      ['1', { type: 'todo-set', n: 1, todo: ['a', 'b', 'c'] }],
      start('1-1', 'b'),
      start('1-2', 'do a in detail'),
    )
    expect(draw(state).match(/\[ \] .*/g)).toEqual(['[ ] "c"'])
  })

  it('puts attempts at one place below each other', () => {
    const state = stateOf(
      start('1', 'root'),
      start('1-1', 'one'),
      start('1-2', 'two'),
      end('1-1', 'cancelled', 'to be done again'),
      start('1-1#2', 'one'),
    )
    expect(draw(state).match(/\d-\d\S*/g)).toEqual(['1-1', '1-1#2', '1-2'])
    expect(draw(state)).toContain('attempt 2')
  })

  it('names the strategy where it differs from the parent', () => {
    const state = stateOf(start('1', 'root'), start('1-1', 'one', 'tot@2'), start('1-1-1', 'leaf', 'tot@2'))
    expect(draw(state).match(/‹\w+›/g)).toEqual(['‹minimal›', '‹tot›'])
  })

  it('never draws a line wider than the terminal, Chinese included', () => {
    const long = '写一份关于亚洲市场的很长很长的报告，包括所有国家和地区的详细数据'.repeat(5)
    const state = stateOf(
      start('1', long),
      start('1-1', long),
      end('1-1', 'completed', long),
      start('1-2', 'x'.repeat(300)),
    )
    for (const width of [20, 40, 71, 72, 80, 120]) {
      for (const line of draw(state, { width, lang: 'zh' }).split('\n'))
        expect(textWidth(line)).toBeLessThanOrEqual(width)
    }
  })

  it('draws a deep chain without losing the text', () => {
    const paths = Array.from({ length: 40 }, (_, i) => `1${'-1'.repeat(i)}`)
    const drawn = draw(stateOf(...paths.map((path) => start(path, 'deep'))), { width: 160 })
    expect(drawn.split('\n')).toHaveLength(40)
    expect(drawn).toContain('"deep')
  })

  it('keeps what a model wrote from driving the terminal', () => {
    const state = stateOf(start('1', 'a\u001b[2Jb\u0007\u202ec'))
    expect(draw(state)).toContain('"abc"')
  })
})

describe('a tree of thousands of blocks', () => {
  const children = Array.from({ length: 3_000 }, (_, i) => `1-${i + 1}`)
  const events: [string, EventBody][] = [start('1', 'root')]
  for (const path of children) {
    events.push(start(path, `part ${path}`), start(`${path}-1`, 'leaf'), end(`${path}-1`, 'completed', 'ok'))
    if (path === '1-1500') events.push(end(path, 'failed', 'broken'))
    else if (path !== '1-2000') events.push(end(path, 'completed', 'ok'))
  }
  events.push(['1-2000', { type: 'signal-asked', n: 1, name: 'answer', question: { text: 'Which?' } }])
  const state = stateOf(...events)

  it('is drawn in the lines there are, with what runs, waits and failed in sight', () => {
    const drawn = draw(state, { maxLines: 20 })
    expect(drawn.split('\n').length).toBeLessThanOrEqual(20)
    expect(drawn).toContain('[!] 1-1500 "part 1-1500"')
    expect(drawn).toContain('[?] 1-2000 "part 1-2000"')
    expect(drawn).toContain('1-1 … 1-1499  1499 completed (2998 blocks)')
  })

  it.each([1, 2, 3, 5, 10])('fits into %i lines', (maxLines) => {
    expect(draw(state, { maxLines }).split('\n').length).toBeLessThanOrEqual(maxLines)
  })

  it('says how much is hidden when even the running ones do not fit', () => {
    const many = stateOf(start('1', 'root'), ...children.map((path) => start(path, 'part')))
    const drawn = draw(many, { maxLines: 10 })
    expect(drawn.split('\n')).toHaveLength(10)
    expect(drawn).toContain('… 2992 more: 2992 running')
  })

  it('opens ended parts as far as there is room', () => {
    const drawn = draw(stateOf(...events.slice(0, 1 + 4 * 20), end('1', 'completed', 'ok')), { maxLines: 30 })
    expect(drawn.split('\n')).toHaveLength(30)
    expect(drawn).toContain('1-1-1 "leaf"')
    expect(drawn).toContain('1-20 "part 1-20" (+1 block)')
  })

  it('is drawn fast enough to be live: it looks at each block a few times at most', () => {
    const looks = new Map<string, number>()
    const blocks = new Map(state.blocks)
    blocks.get = (path) => {
      looks.set(path, (looks.get(path) ?? 0) + 1)
      return state.blocks.get(path)
    }
    draw({ ...state, blocks }, { maxLines: 40 })
    expect(looks.size).toBeGreaterThan(0)
    // The root is its children's parent: each of them may look at it.
    looks.delete('1')
    expect(Math.max(...looks.values())).toBeLessThan(10)
  })
})

describe('what was spent', () => {
  const spent = (calls: number, tokens: number, costUsd?: number) => ({
    calls,
    inputTokens: tokens,
    outputTokens: 0,
    ...(costUsd === undefined ? {} : { costUsd }),
  })

  it('is told by role, in a fixed order, where there is more than one', () => {
    const lines = roleLines({ tool: spent(1, 0), judge: spent(12, 900, 0.5), plan: spent(2, 30, 0) }, 'en')
    expect(plainText(lines).split('\n')).toEqual([
      '  plan    2 calls   30 tok',
      '  judge  12 calls  900 tok  $0.50',
      '  tool    1 call',
    ])
    expect(roleLines({ plan: spent(2, 30) }, 'en')).toEqual([])
    // A look that nobody pays for is no row without figures.
    expect(roleLines({ plan: spent(2, 30), tool: spent(0, 0) }, 'en')).toEqual([])
  })

  it('has no cost where nothing costs', () => {
    const ended = (costUsd: number) =>
      stateOf(start('1', 'root'), [
        '1',
        {
          type: 'block-end',
          n: 1,
          outcome: { status: 'completed', result: 'done', usage: spent(2, 30, costUsd) },
          left,
        },
      ])
    expect(draw(ended(0))).not.toContain('$')
    expect(draw(ended(0.25))).toMatch(/30 tok {2}\$0\.25$/)
  })

  it('the end of incoming text stands where otherwise what the block does', () => {
    const state = stateOf(start('1', 'root'), start('1-1', 'child'))
    const drawn = draw(state, { incoming: (path) => (path === '1-1' ? `${'word '.repeat(60)}end` : '') })
    expect(drawn).toMatch(/^└─ \[-\] 1-1 "child" {2}….*word word end +\d+s$/m)
    for (const line of drawn.split('\n')) expect(textWidth(line)).toBeLessThanOrEqual(80)
  })
})
