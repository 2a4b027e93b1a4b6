// thinkon show --format, thinkon events --messages and the log folder, as users start them.
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { ThoughtMessage, ThoughtTree } from '../../src/strategies/tree-of-thoughts/protocol.ts'
import { jsonLines, makePlace } from './cli-process.ts'

const place = makePlace()
const { cli } = place
afterAll(() => place.remove())

const abacus = ['--model', 'embedded:abacus']

describe('a tree search on the command line', () => {
  let told = ''
  beforeAll(async () => {
    const { code, stdout } = await cli(['tot', 'Make 24 from 4, 9, 10 and 13', ...abacus])
    expect(code).toBe(0)
    told = stdout
  })

  it('tells its rounds and the verified answer in a pipe', () => {
    expect(told).toMatch(/^\[-\] 1 round 1: \d+ candidates, best [\d.]+, \d+ kept$/m)
    expect(told).toMatch(/^\[-\] 1 ✓ verified: .* = 24$/m)
  })

  it("leaves its log folder in the folder of the run's store, named as its task, and says where", async () => {
    const logs = join(place.folder, '.thinkon', 'logs')
    const [folder] = readdirSync(logs)
    expect(told).toContain(`\nlogs: ${join('.thinkon', 'logs', folder as string)}\n`)
    expect(folder).toMatch(/^tot-\d{8}-\d{6}-\w{6}$/)
    const files = readdirSync(join(logs, folder as string))
    expect(files.slice(0, 6)).toEqual([
      '00-task-info.json',
      '01-orchestrator.log',
      '02-decomposer.log',
      '03-explorer.log',
      '04-generator-round1.log',
      '05-evaluator-round1.log',
    ])
    expect(files.at(-1)).toBe('99-merged-timeline.log')
    expect(files.at(-2)).toMatch(/^\d\d-synthesizer\.log$/)
    const info = JSON.parse(readFileSync(join(logs, folder as string, files[0] as string), 'utf8'))
    const tree = JSON.parse((await cli(['show', 'last', '--format', 'json'])).stdout) as ThoughtTree
    expect(info.task_id).toBe(folder)
    expect(tree.task_id).toBe(folder)
    expect(info.final_stats.total_nodes).toBe(Object.keys(tree.nodes).length)
  })

  it('leaves it beside another store, or where --log-dir says', async () => {
    const other = makePlace()
    const problem = 'Make 24 from 4 and 6'
    const kept = await other.cli(['tot', problem, '--store', 'kept/runs.db', ...abacus])
    const [beside] = readdirSync(join(other.folder, 'kept', 'logs'))
    expect(kept.stdout).toContain(`logs: ${join('kept', 'logs', beside as string)}`)
    const given = ['--store', 'kept/runs.db', '--log-dir', 'mine', '--json', ...abacus]
    const named = jsonLines((await other.cli(['tot', problem, ...given])).stdout)
    const [own] = readdirSync(join(other.folder, 'mine'))
    const said = named.find((line) => (line as { type?: string }).type === 'folder-written')
    expect(said).toMatchObject({ path: '1', folder: expect.stringMatching(/mine/) })
    expect((said as { folder: string }).folder.endsWith(own as string)).toBe(true)
    expect(readdirSync(other.folder)).not.toContain('logs')
    other.remove()
  })

  it("is the searcher's own tree as JSON, pretty or on one line", async () => {
    const messages = jsonLines(
      (await cli(['events', 'last', '--messages', '--json'])).stdout,
    ) as ThoughtMessage[]
    const complete = messages.find(({ type }) => type === 'search_complete')
    const { code, stdout } = await cli(['show', 'last', '--format', 'json', '--json'])
    expect(code).toBe(0)
    const tree = (complete as ThoughtMessage<'search_complete'>).payload.tree
    expect(jsonLines(stdout)).toEqual([tree])
  })

  it.each([
    ['mermaid', /^---\ntitle: "Make 24.*"\n---\nflowchart LR\n/],
    ['dot', /^digraph thinkon \{\n/],
    ['svg', /^<svg [\s\S]*<\/svg>\n$/],
    ['md', /^# Make 24 from 4, 9, 10 and 13\n[\s\S]*## Solution\n\n.* = 24\n$/],
  ])('is drawn as %s', async (format, expected) => {
    const { code, stdout, stderr } = await cli(['show', 'last', '--format', format])
    expect([code, stderr]).toEqual([0, ''])
    expect(stdout).toMatch(expected)
  })

  it('prints the messages between its agents, one on a line', async () => {
    const { code, stdout } = await cli(['events', 'last', '--messages'])
    expect(code).toBe(0)
    const lines = stdout.trimEnd().split('\n')
    expect(lines[0]).toMatch(/ orchestrator → decomposer +decompose_task /)
    expect(lines.every((line) => / (\w+) → (\w+) /.test(line))).toBe(true)
  })

  it('shows the tree below its block', async () => {
    const { stdout } = await cli(['show', 'last'])
    expect(stdout).toMatch(/^ {4}BFS · round \d+ · \d+ thoughts/m)
    expect(stdout).toMatch(/^ {4}★ +10 ✓ /m)
  })
})

describe('other runs', () => {
  it('a chain of thought is a trace in Markdown', async () => {
    await cli(['cot', '((3+4)*(8-6))-5', ...abacus, '--store', 'cot.db', '-q'])
    const { stdout } = await cli(['show', 'last', '--format', 'md', '--store', 'cot.db'])
    expect(stdout).toMatch(/^## Thought 1\n/m)
    expect(stdout).toMatch(/^ {2}- \[x\] .*3 \+ 4.*7$/m)
    expect(stdout.trimEnd()).toMatch(/## Solution\n\n.*9$/)
  })

  it('any run has a picture of its blocks', async () => {
    await cli(['fractal', '(3+4)*2', ...abacus, '--store', 'fractal.db', '-q'])
    const { stdout } = await cli(['show', 'last', '--format', 'mermaid', '--store', 'fractal.db'])
    expect(stdout).toContain('<b>completed</b>')
    expect((await cli(['events', 'last', '--messages', '--store', 'fractal.db'])).stdout).toBe('')
  })

  it.each([
    ['an unknown format', ['--format', 'png'], '--format must be one of mermaid, dot, svg, json, md'],
    ['--watch', ['--format', 'svg', '--watch'], '--format and --watch exclude each other'],
    ['--audit', ['--format', 'svg', '--audit'], '--format and --audit exclude each other'],
    ['--json of what is none', ['--format', 'svg', '--json'], '--json and --format svg exclude each other'],
    ['a block that is not there', ['--format', 'svg', '--path', '1-9'], 'picture of their own: 1'],
    ['--path alone', ['--path', '1'], '--path needs --audit or --format'],
  ])('%s is refused', async (_, args, message) => {
    const { code, stderr } = await cli(['show', 'last', ...args])
    expect(code).toBe(2)
    expect(stderr).toContain(message)
  })
})
