// The log folder of the Game of 24 walk, file by file. It changes only on purpose:
//   UPDATE_GOLDEN=1 npx vitest run src/strategies/tree-of-thoughts/views/log-folder.test.ts
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { PROBLEMS, TASK_ID, walk } from '../../../../tests/views/game24-walk.ts'
import { journal } from '../../../../tests/views/journal.ts'
import { logFolder } from './log-folder.ts'

const GOLDEN = join(import.meta.dirname, '../../../../tests/golden/tot-logs')

interface Entry {
  ts: string
  seq: number
  level: string
  msg: string
  data?: unknown
}

function entriesOf(text: string | undefined): Entry[] {
  return (text ?? '')
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as Entry)
}

describe('the log folder of a search', () => {
  it.each(['en', 'zh'] as const)('is as it was, file by file, for a problem in %s', (lang) => {
    const folder = join(GOLDEN, lang)
    const { files, path } = logFolder(walk(journal(), { lang }).events)
    if (process.env.UPDATE_GOLDEN) {
      mkdirSync(folder, { recursive: true })
      for (const [file, text] of files) writeFileSync(join(folder, file), text)
    }
    expect(path).toBe(`logs/${TASK_ID}`)
    expect([...files.keys()]).toEqual(readdirSync(folder).sort())
    for (const [file, text] of files) expect(text, file).toBe(readFileSync(join(folder, file), 'utf8'))
  })

  it('has nothing that a terminal acts on, whatever the search says', () => {
    const text = JSON.stringify(walk().events).replaceAll(' ', ' \\u009b2J\\u001b[31m\\u202e')
    const events = JSON.parse(text) as ReturnType<typeof walk>['events']
    const { files } = logFolder(events)
    expect([...files.values()].join('')).toContain('\\u009b')
    for (const [name, text] of files)
      expect(text, name).not.toMatch(/(?![\t\n])\p{Cc}|[\u202a-\u202e\u2066-\u2069]/u)
  })

  it('has JSON Lines with rising seq, known levels, times with milliseconds and one-line messages', () => {
    const { files } = logFolder(walk().events)
    const logs = [...files].filter(([name]) => name.endsWith('.log') && !name.startsWith('99-'))
    expect(logs.map(([name]) => name)).toEqual([
      '01-orchestrator.log',
      '02-decomposer.log',
      '03-explorer.log',
      '04-generator-round1.log',
      '05-evaluator-round1.log',
      '06-generator-round2.log',
      '07-evaluator-round2.log',
      '08-generator-round3.log',
      '09-evaluator-round3.log',
      '10-synthesizer.log',
    ])
    for (const [, text] of logs) {
      for (const [i, entry] of entriesOf(text).entries()) {
        expect(entry.seq).toBe(i + 1)
        expect(['info', 'progress', 'warning', 'error']).toContain(entry.level)
        expect(entry.ts).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
        expect(entry.msg).not.toContain('\n')
      }
    }
  })

  it('merges all of it by time, and counts', () => {
    const { files } = logFolder(walk().events)
    const timeline = files.get('99-merged-timeline.log') ?? ''
    const all = [...files]
      .filter(([name]) => /^(?!99).*\.log$/.test(name))
      .flatMap(([, text]) => entriesOf(text))
    const times = [...timeline.matchAll(/^\[([\d:.]{12})\] \[\d\d-[a-z]+(?:-round\d+)?\] /gm)].map(
      ([, at]) => at,
    )
    expect(times).toHaveLength(all.length)
    expect(times).toEqual([...times].sort())
    expect(timeline).toContain(`- Log entries: ${all.length}\n- Agent calls: 12\n- LLM calls: 14\n`)
  })

  it("is a timeline in causal order: equal times go by the journal's order, and seq stays per file", () => {
    const told = (stepMs: number) => {
      const { files } = logFolder(walk(journal(undefined, stepMs)).events)
      const timeline = files.get('99-merged-timeline.log') ?? ''
      return { files, lines: [...timeline.matchAll(/^\[[\d:.]{12}\] (.*)$/gm)].map(([, line]) => line ?? '') }
    }
    const { files, lines } = told(0)
    expect(lines).toEqual(told(137).lines)
    const place = (words: string) => lines.findIndex((line) => line.includes(words))
    expect(place('[Generator] Found')).toBeLessThan(place('[Evaluator] Judging'))
    expect(place('[Generator] Looking')).toBeLessThan(place('[Generator] Found'))
    for (const [name, text] of files)
      if (/^(?!99).*\.log$/.test(name))
        expect(entriesOf(text).map(({ seq }) => seq)).toEqual(entriesOf(text).map((_, i) => i + 1))
  })

  it('says how far it came when it was killed, and that it did not end', () => {
    const { files } = logFolder(walk(journal(), { killedBefore: 'tot/best-path' }).events)
    expect([...files.keys()]).not.toContain('10-synthesizer.log')
    expect(entriesOf(files.get('01-orchestrator.log')).at(-1)).toMatchObject({
      level: 'error',
      msg: '🛑 Task did not end',
    })
    expect(JSON.parse(files.get('00-task-info.json') ?? '').final_stats.total_nodes).toBe(10)
  })

  it('exists for a search that failed before it had a name or a tree', () => {
    const made = journal()
      .start('1', '想出一个名字', 'tot@1')
      .model('1', 'tot/task-type', 'no\nanswer')
      .end('1', { status: 'failed', result: '', reason: 'the model does not answer' })
    const { files, path } = logFolder(made.events)
    expect(path).toMatch(/^logs\/tot-20260304-050607-[0-9a-f]{6}$/)
    expect([...files.keys()]).toEqual(['00-task-info.json', '01-orchestrator.log', '99-merged-timeline.log'])
    expect(JSON.parse(files.get('00-task-info.json') ?? '')).toMatchObject({
      task_type: null,
      search_config: null,
      final_stats: { total_nodes: 0, llm_calls: 1, best_score: null },
    })
    expect(entriesOf(files.get('01-orchestrator.log')).map(({ level, msg }) => [level, msg])).toEqual([
      ['error', '❌ [Orchestrator] LLM 调用失败: no answer'],
      ['error', '❌ 任务失败: the model does not answer'],
    ])
  })

  it('never takes a folder from a name that leads elsewhere', () => {
    const { path } = logFolder(walk(journal(), { taskId: '../../etc' }).events)
    expect(path).toMatch(/^logs\/tot-\d{8}-\d{6}-[0-9a-f]{6}$/)
  })

  it('puts rounds past the last number into the last pair, and the Synthesizer at 98', () => {
    const made = journal().start('1', 'long', 'tot@1')
    const tell = (type: string, payload: unknown) =>
      made.note('1', 'tot/message', { from: 'generator', to: 'explorer', type, payload, task_id: TASK_ID })
    for (let round = 1; round <= 60; round++) {
      made.note('1', 'tot/layer-start', { round, depth: round, expanding: ['x'] })
      tell('generated_thoughts', { candidates: [] })
      tell('evaluation_results', { evaluations: [], ranking: [], pruning_suggestions: [] })
    }
    tell('synthesize_solution', { best_path: [], problem: 'long', task_type: 'planning' })
    const { files } = logFolder(made.events)
    const names = [...files.keys()]
    expect(names.slice(-4)).toEqual([
      '96-generator-round47.log',
      '97-evaluator-round47.log',
      '98-synthesizer.log',
      '99-merged-timeline.log',
    ])
    expect(entriesOf(files.get('96-generator-round47.log'))).toHaveLength(14)
    expect(entriesOf(files.get('94-generator-round46.log'))).toHaveLength(1)
  })

  it('keeps errors of messages, adjustments and odd texts', () => {
    const odd = 'line\none "quoted" <b>\u001b[31m 中文 😀'
    const made = journal()
      .start('1', `${odd}${'x'.repeat(5_000)}`, 'tot@1')
      .note('1', 'tot/message', {
        from: 'generator',
        to: 'explorer',
        type: 'generated_thoughts',
        task_id: TASK_ID,
        error: { code: 'GENERATION_FAILED', message: odd, recoverable: true },
      })
      .note('1', 'tot/adjusted', {
        error: { code: 'GENERATION_FAILED', message: odd, recoverable: true },
        change: 'cooler',
      })
      .note('1', 'tot/candidate-dropped', { content: odd, why: 'wrong' })
      .end('1', { status: 'partial', result: odd, reason: odd })
    const { files } = logFolder(made.events)
    expect(entriesOf(files.get('04-generator-round1.log'))[0]).toMatchObject({
      level: 'warning',
      msg: '❌ [Generator] GENERATION_FAILED: line one "quoted" <b> 中文 😀',
    })
    expect(entriesOf(files.get('03-explorer.log')).map(({ msg }) => msg)).toEqual([
      '⚠️ [Explorer] GENERATION_FAILED, 调整: cooler',
      '🗑️ [Explorer] 舍弃候选: line one "quoted" <b> 中文 😀',
    ])
    const timeline = files.get('99-merged-timeline.log') ?? ''
    expect(timeline).not.toContain('\u001b')
    expect(timeline.split('\n')[3]?.length).toBeLessThan(500)
    expect(JSON.parse(files.get('00-task-info.json') ?? '').problem).toContain(odd)
  })

  it('tells times as people do', () => {
    const lasting = (ms: number, problem: string) =>
      logFolder(
        journal(undefined, ms).start('1', problem, 'tot@1').end('1', { status: 'completed', result: '' })
          .events,
      ).files.get('99-merged-timeline.log')
    expect(lasting(86_666, PROBLEMS.zh)).toContain('总耗时: 1分26秒\n')
    expect(lasting(86_666, PROBLEMS.en)).toContain('Total time: 1 min 26 s\n')
    expect(lasting(350, PROBLEMS.zh)).toContain('总耗时: 350毫秒\n')
    expect(lasting(7_200_000, PROBLEMS.en)).toContain('Total time: 2 h 0 min 0 s\n')
  })
})
