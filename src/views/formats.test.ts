import { spawnSync } from 'node:child_process'
import { describe, expect, it } from 'vitest'
import { PROBLEMS, TASK_ID, walk } from '../../tests/views/game24-walk.ts'
import { type Journal, journal } from '../../tests/views/journal.ts'
import { SHIPPED_VIEWS } from '../strategies/shipped-views.ts'
import { FORMATS } from './format-names.ts'
import { formatRun } from './formats.ts'
import { foldPicture, type PictureNode } from './picture.ts'

function format(made: Journal, name: string, path?: string, lang: 'en' | 'zh' = 'en'): string {
  return formatRun(made.events, SHIPPED_VIEWS, { format: name, path, lang: () => lang }).text
}

/** Nothing in it may end a label, begin a tag or break a line of any format. */
const ODD =
  'a "b" \'c\' <script>alert(1)</script> & #quot; \\n `x` [y] {z} | \n\nnew line \u0000\u001b[31m 中文 😀 \ud800'

function oddTree(n = 3): Journal {
  const made = journal().start('1', ODD, 'tot@1')
  const nodes = Array.from({ length: n }, (_, i) => ({
    id: `node ${i} "odd"`,
    parent_id: 'root',
    children_ids: [],
    depth: 1,
    content: i === 0 ? ODD : `${ODD} ${i} ${'long'.repeat(300)}`,
    action_type: 'x',
    evaluation: { score: (i % 100) / 10, confidence: 1, reasoning: '' },
    status: 'pending',
  }))
  return made.note('1', 'tot/nodes-added', { parent_id: 'root', nodes })
}

function blocks(): Journal {
  return journal()
    .start('1', 'write a *report*', 'fractal@1')
    .add('1', { type: 'todo-set', n: 1, todo: ['gather', 'write', 'print'] })
    .start('1-1', 'gather', 'fractal@1')
    .start('1-1-1', 'ask around', 'fractal@1')
    .end('1-1-1', { status: 'failed', result: '', reason: 'nobody there' })
    .end('1-1', { status: 'completed', result: 'much\nmore' })
    .start('1-2', 'write', 'fractal@1')
}

describe('a search', () => {
  it('is a Mermaid flowchart with the best path, what was pruned and what was merged', () => {
    const text = format(walk(), 'mermaid')
    expect(text).toMatch(/^---\ntitle: "Make 24 from 4, 9, 10 and 13"\n---\nflowchart LR\n/)
    expect(text).toContain('n8["6 × 4 = 24<br/><b>10</b> ✓"]')
    expect(text).toContain('n0 ==> n1\n')
    expect(text).toContain('n0 -.-> n3\n')
    expect(text).toContain('n7 -.-o n6\n')
    expect(text).toContain('class n0,n1,n4,n8 best')
    expect(text).toContain('class n3,n6,n9 pruned')
  })

  it('is a graph for Graphviz', () => {
    const text = format(walk(), 'dot')
    expect(text).toContain('n8 [label="6 × 4 = 24\\n10 ✓" fillcolor="#e3f6e8" color="#1a7f37" penwidth=2.5]')
    expect(text).toContain('n0 -> n3 [color="#b5b5b5" style=dashed]')
    expect(text.trimEnd().endsWith('}')).toBe(true)
  })

  it("is the document's tree in JSON", () => {
    const tree = JSON.parse(format(walk(), 'json'))
    expect(tree).toMatchObject({ task_id: TASK_ID, task_type: 'math_reasoning', root_id: 'root' })
    expect(tree.nodes.node_1_1_1.parent_id).toBe('node_1_1')
  })

  it('is a nested list in Markdown, with the solution', () => {
    const text = format(walk(journal(), { lang: 'zh' }), 'md', undefined, 'zh')
    expect(text).toContain(`# ${PROBLEMS.zh}\n`)
    expect(text).toContain('    - **6 × 4 = 24** · 10 ✓\n    - ~~6 - 4 = 2~~ · 0\n')
    expect(text).toMatch(/## 解答\n\n\(10 - \(13 - 9\)\) × 4 = 24\n$/)
  })

  it('is an SVG that says everything in itself', () => {
    const text = format(walk(), 'svg')
    expect(text).toMatch(/^<svg xmlns="http:\/\/www.w3.org\/2000\/svg"/)
    expect(text.match(/<g class="node best"><title>/g)).toHaveLength(4)
    expect(text).toContain('prefers-color-scheme:dark')
    expect(text).not.toMatch(/href|url\(|<script|<image/)
    expect(text).toContain('→ (10 - (13 - 9)) × 4 = 24')
  })

  it('has a picture before it has thoughts', () => {
    const made = journal().start('1', 'x', 'tot@1')
    for (const name of FORMATS) expect(format(made, name)).not.toContain('undefined')
  })

  it.each([3, 2_000])('keeps odd texts of %i thoughts in their place', (n) => {
    const made = oddTree(n)
    const svg = format(made, 'svg')
    expect(svg).not.toContain('<script')
    expect(/(?!\n)\p{Cc}|&(?!amp;|lt;|gt;|quot;|#39;)/u.test(svg)).toBe(false)
    const mermaid = format(made, 'mermaid')
    expect(mermaid.length).toBeLessThan(50_000)
    for (const line of mermaid.split('\n').filter((line) => /^ {2}n\d+\[/.test(line)))
      expect(line).toMatch(/^ {2}n\d+\["[^"`<>]*(?:<br\/><b>[\d.]+<\/b>)?"\]$/)
    const dot = format(made, 'dot')
    for (const line of dot.split('\n').filter((line) => line.includes('[label=')))
      expect(line).toMatch(/^ {2}n\d+ \[label="(?:[^"\\]|\\.)*"[^"]*(?:"[^"]*"[^"]*)*\]$/)
    expect(/(?<!\\)<script/.test(format(made, 'md'))).toBe(false)
    expect(JSON.parse(format(made, 'json')).nodes['node 0 "odd"'].content).toContain('<script>')
  })

  it('is drawn by a renderer, odd texts and all (skipped where rsvg-convert is missing)', ({ skip }) => {
    if (spawnSync('rsvg-convert', ['--version']).status !== 0) skip()
    for (const made of [walk(), oddTree(20), blocks()]) {
      const { status, stdout, stderr } = spawnSync('rsvg-convert', [], { input: format(made, 'svg') })
      expect([status, stderr.toString()]).toEqual([0, ''])
      expect(stdout.subarray(1, 4).toString()).toBe('PNG')
    }
  })
})

describe('which block is shown', () => {
  function several(): Journal {
    const made = journal().runStart('both', 'fractal@1').start('1', 'both', 'fractal@1')
    walk(made, { path: '1-1', taskId: 'tot-20260304-050607-aaaaaa' })
    return walk(made, { path: '1-2', taskId: 'tot-20260304-050607-bbbbbb' })
  }

  it('is the first search, and the others are named', () => {
    const shown = formatRun(several().events, SHIPPED_VIEWS, { format: 'json', lang: () => 'en' })
    expect(shown).toMatchObject({ path: '1-1', others: ['1-2'] })
    expect(JSON.parse(format(several(), 'json')).task_id).toBe('tot-20260304-050607-aaaaaa')
  })

  it('is the one that --path names, which may be no search', () => {
    expect(JSON.parse(format(several(), 'json', '1-2')).task_id).toBe('tot-20260304-050607-bbbbbb')
    expect(JSON.parse(format(several(), 'json', '1'))).toMatchObject({ path: '1', goal: 'both' })
  })

  it('must exist: the error names the searches', () => {
    expect(() => format(several(), 'svg', '1-9')).toThrow(
      'run r1 has no block 1-9; blocks with a picture of their own: 1-1, 1-2',
    )
  })
})

describe('a run of another strategy', () => {
  const emptyRun = { status: 'running', result: null }

  it('has a picture of its blocks', () => {
    expect(format(blocks(), 'mermaid')).toContain('n1["1-1 gather<br/><b>completed</b>"]')
    expect(format(blocks(), 'dot')).toContain('n2 [label="1-1-1 ask around\\nfailed" fillcolor="#fdeaea"')
    expect(format(blocks(), 'svg').match(/<g class="node /g)).toHaveLength(4)
    expect(JSON.parse(format(blocks(), 'json'))).toMatchObject({
      ...emptyRun,
      children: [{ path: '1-1', children: [{ status: 'failed', reason: 'nobody there' }] }, emptyRun],
    })
  })

  it('is its goal, plan and results in Markdown', () => {
    expect(format(blocks(), 'md')).toBe(
      [
        '# write a \\*report\\*',
        '',
        'fractal@1 · running',
        '',
        '## Plan',
        '',
        '- [x] gather: much more',
        '  - [!] ask around (nobody there)',
        '- [-] write',
        '- [ ] print',
        '',
      ].join('\n'),
    )
  })
})

it('Markdown of a search that did not complete says so, and why', () => {
  const made = journal()
    .start('1', 'a story', 'tot@3')
    .end('1', { status: 'partial', result: 'It came.', reason: 'the answer does not hold: too long' })
  expect(format(made, 'md')).toMatch(/It came\.\n\n_partial: the answer does not hold: too long_\n$/)
})

describe('Markdown of blocks', () => {
  it('escapes no heading, begins none by accident, and cuts with …', () => {
    const made = journal()
      .start('1', 'fix issue #12', 'fractal@1')
      .start('1-1', '# 7 first', 'fractal@1')
      .end('1-1', { status: 'completed', result: `# Found\n\nline 3 ${'is wrong '.repeat(100)}` })
      .end('1', { status: 'completed', result: '# Fixed\n\nIt was #12.' })
    const text = format(made, 'md')
    expect(text).toContain('# fix issue #12\n')
    expect(text).toContain('\n# Fixed\n\nIt was #12.')
    const [item] = text.match(/^- .*$/m) ?? []
    expect(item).toMatch(/^- \[x\] \\# 7 first: line 3 is wrong .*…$/)
  })

  it('have no full stop between a goal and its result', () => {
    const made = journal()
      .start('1', 'both', 'fractal@1')
      .start('1-1', 'Find the rent.', 'fractal@1')
      .end('1-1', { status: 'completed', result: '20' })
    expect(format(made, 'md')).toContain('- [x] Find the rent: 20\n')
  })
})

it('Markdown says with … that a part has more below its next heading', () => {
  const made = journal()
    .start('1', 'all', 'fractal@3')
    .start('1-1', 'a part', 'fractal@3')
    .end('1-1', { status: 'completed', result: '# A\n\nfirst\n\n## B\n\nsecond' })
  expect(format(made, 'md')).toContain('- [x] a part: first …\n')
})

describe('blocks of several strategies', () => {
  it('say in Markdown where the strategy changes', () => {
    const made = journal()
      .start('1', 'all', 'fractal@1')
      .start('1-1', 'a', 'tot@1')
      .start('1-2', 'b', 'fractal@1')
    expect(format(made, 'md')).toContain('- [-] a ‹tot›\n- [-] b\n')
  })
})

describe('a run of auto', () => {
  it('is drawn as the block of the strategy that it chose; auto itself by its path', () => {
    const made = journal()
      .start('1', 'a sum', 'auto@1')
      .start('1-1', 'a sum', 'cot@1')
      .note('1-1', 'cot/thought', {
        thought_number: 1,
        current_thinking: 'It is 14.',
        planning: [],
        next_thought_needed: false,
      })
    expect(format(made, 'md')).toContain('## Thought 1\n\nIt is 14.')
    expect(format(made, 'md', '1')).toContain('auto@1 · ')
    expect(format(journal().start('1', 'a sum', 'auto@1'), 'md')).toContain('auto@1 · ')
  })

  it('says how it ended itself, where that is not how the other block did', () => {
    const made = journal()
      .start('1', 'the number', 'auto@1')
      .start('1-1', 'the number', 'fractal@1')
      .end('1-1', { status: 'completed', result: 'There is none.' })
      .end('1', { status: 'partial', result: 'There is none.', reason: 'no value' })
    expect(format(made, 'md')).toMatch(/There is none\.\n\n_partial: no value_\n$/)
    expect(format(made, 'md', '1-1')).not.toContain('no value')
  })

  it('says in Chinese why it ended so', () => {
    const reason = 'the plan was not accepted'
    const made = journal()
      .start('1', '写一首诗', 'fractal@1')
      .end('1', { status: 'partial', result: '', reason })
    expect(format(made, 'md', undefined, 'zh')).toContain('_部分完成: 计划未被接受_')
  })
})

describe('a picture that is too large', () => {
  const node = (id: number, parent: number | null, weight: number): PictureNode => ({
    id: String(id),
    parent: parent === null ? null : String(parent),
    text: '',
    badge: '',
    look: 'plain',
    verified: false,
    mergedInto: null,
    weight,
  })

  it('keeps the weightiest with all above them, and counts the others where they were', () => {
    const nodes = [
      node(0, null, 0),
      node(1, 0, 0),
      node(2, 0, 5),
      node(3, 1, 9),
      node(4, 1, 1),
      node(5, 4, 1),
    ]
    const folded = foldPicture({ title: '', caption: '', result: '', nodes }, (n) => `${n} more`, 3)
    expect(folded.nodes.map(({ id, parent, text }) => [id, parent, text])).toEqual([
      ['0', null, ''],
      ['1', '0', ''],
      ['3', '1', ''],
      ['more 0', '0', '1 more'],
      ['more 1', '1', '2 more'],
    ])
  })
})
