import { describe, expect, it } from 'vitest'
import { createEngine } from '../engine.ts'
import { type Event, type EventBody, foldEvents, messageText } from '../protocol/index.ts'
import { ScriptedModel } from '../testing/index.ts'
import { type AuditBlock, type AuditEntry, auditBlocks } from './audit.ts'
import { type AuditOptions, auditLines, MAX_AUDIT_TEXT } from './audit-lines.ts'
import { plainText } from './line.ts'
import { textWidth } from './text-width.ts'

const script = {
  essay: [
    { type: 'TODO', description: '1. make\n2. judge' },
    { type: 'CALL', description: 'make' },
    { type: 'CALL', description: 'find a case' },
    { type: 'CALL', description: 'make, with the case' },
    { type: 'CALL', description: 'a better plan', adopt: 'todo' },
    { type: 'RETURN', description: 'the essay' },
  ],
  make: ['no JSON at all'],
  'find a case': [
    { type: 'TOOL', name: 'look', input: { for: 'a case' } },
    { type: 'TODO', description: 'pick one' },
    { type: 'CALL', description: 'pick' },
    { type: 'RETURN', description: 'a painter' },
  ],
  pick: [{ type: 'RETURN', description: 'the third' }],
  'make, with the case': [{ type: 'RETURN', description: 'a text\non a painter' }],
  'a better plan': [{ type: 'RETURN', description: '2. judge, with a question' }],
}

async function essay() {
  const look = { name: 'look', description: 'looks', access: 'read' as const, run: async () => ['a painter'] }
  const model = new ScriptedModel(script)
  const engine = createEngine({ model, tools: [look] })
  const run = await engine.start('essay', { strategy: 'fractal' })
  await run.outcome
  model.assertComplete()
  const events = [...(await engine.events(run.id))]
  const { differences } = await engine.replay(run.id)
  await engine.close()
  return { events, differences, model, blocks: auditBlocks(events) }
}

function draw(block: AuditBlock, options: Partial<AuditOptions> = {}): string {
  return plainText(auditLines(block, { lang: 'en', width: null, full: false, ...options }))
}

function at(blocks: readonly AuditBlock[], path: string): AuditBlock {
  return blocks.find((block) => block.path === path) as AuditBlock
}

/** Bodies as the events of a block, one second apart. */
function eventsOf(...bodies: [path: string, body: unknown][]): Event[] {
  return bodies.map(
    ([path, body], i) =>
      ({ seq: i + 1, ts: new Date(i * 1000).toISOString(), run: 'r', path, ...(body as EventBody) }) as Event,
  )
}

describe('the chain of a fractal run: replayable, auditable', () => {
  it('has each event once, in its block, in order; the blocks in the order of the tree', async () => {
    const { events, blocks, differences } = await essay()
    expect(differences).toEqual([])
    expect(blocks.map(({ path }) => path)).toEqual(['1', '1-1', '1-2', '1-2-1', '1-3', '1-4'])
    for (const { path, entries } of blocks) {
      const own = entries.filter(({ type }) => type !== 'call')
      expect(own.map(({ seq, ts, type }) => [seq, ts, type])).toEqual(
        events.filter((event) => event.path === path).map(({ seq, ts, type }) => [seq, ts, type]),
      )
      expect(entries.map(({ seq }) => seq)).toEqual(entries.map(({ seq }) => seq).toSorted((a, b) => a - b))
    }
  })

  it('has each Think and Eval with what it was given and what it answered', async () => {
    const { blocks, model } = await essay()
    const entries = blocks.flatMap((block) => block.entries).sort((a, b) => a.seq - b.seq)
    const given = entries.filter((entry) => entry.type === 'model-start')
    expect(
      given.map(({ request: { kind, messages } }) => ({ kind, texts: messages.map(({ text }) => text) })),
    ).toEqual(model.calls.map(({ kind, messages }) => ({ kind, texts: messages.map(messageText) })))
    const answered = entries.filter((entry) => entry.type === 'model-end')
    expect(answered).toHaveLength(given.length)
    for (const { kind, result } of answered) expect([kind, result.ok]).toEqual([expect.any(String), true])
    expect(answered.map(({ result }) => result.ok && (result.value.value ?? result.value.text))).toEqual(
      expect.arrayContaining(Object.values(script).flat()),
    )
  })

  it('has what went into `done`, from whom, before the next Eval', async () => {
    const { events, blocks } = await essay()
    const state = foldEvents(events)
    for (const { path, entries } of blocks) {
      const texts = entries.flatMap((entry) => (entry.type === 'done-add' ? entry.items : []))
      expect(texts.map(({ text }) => text)).toEqual(state.blocks.get(path)?.done)
      expect(unarchived(entries)).toEqual([])
    }
    // The proof can fail.
    const root = at(blocks, '1').entries
    expect(unarchived(root.filter(({ type }) => type !== 'done-add'))).toEqual(['1-1', '1-2', '1-3', '1-4'])
  })

  it('reads like the document', async () => {
    const { blocks } = await essay()
    const told = (path: string) =>
      draw(at(blocks, path))
        .split('\n')
        .map((line) => line.replace(/^(\s*│) +\d+ {2}[\d:.]{12} {2}/, '$1 '))
        .filter((line) => !/^\s*│ {8}/.test(line))
        .map((line) => line.replace(/ · \d+ calls? .*/, ''))
    expect(told('1')).toEqual([
      '┌─ [x] 1 "essay" ‹fractal@4›',
      '│ the run begins scripted',
      '│ begins',
      '│ → fractal/think v3 · plan #1',
      '│ ← fractal/think #1',
      '│ todo =',
      '│ → fractal/eval v5 · judge #3',
      '│ ← fractal/eval #3',
      '│ call [1-1] make',
      '│ done += [1-1] [failed: the reply is not JSON]',
      '│ → fractal/eval v5 · judge #6',
      '│ ← fractal/eval #6',
      '│ call [1-2] find a case',
      '│ done += [1-2] a painter',
      '│ → fractal/eval v5 · judge #9',
      '│ ← fractal/eval #9',
      '│ call [1-3] make, with the case',
      '│ done += [1-3]',
      '│ → fractal/eval v5 · judge #12',
      '│ ← fractal/eval #12',
      '│ call [1-4] a better plan',
      '│ done += [1-4] 2. judge, with a question',
      '│ todo =',
      '│ → fractal/eval v5 · judge #16',
      '│ ← fractal/eval #16',
      '│ [x] completed',
      '│ the run ends: completed',
      '└─',
    ])
    expect(told('1-2').slice(2, 6)).toEqual([
      '   │ → fractal/think v3 · plan #1',
      '   │ ← fractal/think #1',
      '   │ → tool look #2 (read)',
      '   │ ← tool look #2',
    ])
    const find = draw(at(blocks, '1-2'))
    expect(find).toContain('type: TOOL\n')
    expect(find).toMatch(/for: a case\n.*← tool look.*\n.*- a painter\n/)
    const failed = draw(at(blocks, '1-1'))
    expect(failed).toContain('no JSON at all')
    expect(failed).toMatch(/note fractal\/format-error/)
    expect(failed).toContain('[!] failed: the reply is not JSON')
  })

  it('folds system texts and cuts long ones, unless all is wanted; in Chinese too', async () => {
    const { blocks } = await essay()
    const [root] = blocks as [AuditBlock]
    expect(draw(root)).toMatch(
      /system {2}You think about one goal.* \[… \d+ more lines, [\d,]+ characters: --full\]/,
    )
    expect(draw(root)).not.toContain('If the goal can')
    expect(draw(root, { full: true })).toContain('If the goal can')
    expect(draw(root, { full: true })).not.toContain('--full')
    expect(draw(root, { lang: 'zh' })).toMatch(/调用 \[1-1\] make[\s\S]*已完成/)
    expect(draw(root, { lang: 'zh' })).toMatch(/另有 \d+ 行/)
  })
})

describe('the audit of whatever else there is in a journal', () => {
  const usage = { calls: 1, inputTokens: 100, outputTokens: 20 }
  const none = { calls: 0, inputTokens: 0, outputTokens: 0 }
  const request = {
    kind: 'x/ask',
    version: 3,
    role: 'act',
    messages: [{ role: 'user', content: ['a', 'b'] }],
  }
  const start = { type: 'block-start', n: 0, goal: 'g', strategy: 's@1', options: {} }
  const one = (...bodies: unknown[]) =>
    auditBlocks(
      eventsOf(['1', start], ...bodies.map((body) => ['1', body] as [string, unknown])),
    )[0] as AuditBlock

  it('tells repairs, every ask, and what all of them cost', () => {
    const block = one(
      { type: 'model-start', n: 1, request },
      { type: 'part-end', n: 1, part: 1, value: { text: 'first words' }, usage },
      { type: 'part-end', n: 1, part: 2, value: { text: '{a:1}' }, usage },
      {
        type: 'model-end',
        n: 1,
        result: { ok: true, value: { text: '{a:1}', value: { a: 1 }, repairs: ['keys-quoted'], asks: 2 } },
        usage: none,
      },
      { type: 'model-start', n: 2, request },
      { type: 'part-end', n: 2, part: 1, value: { text: 'only' }, usage },
      { type: 'model-end', n: 2, result: { ok: true, value: { text: 'only' } }, usage: none },
    )
    const drawn = draw(block)
    expect(drawn).toContain('← x/ask ask 1 #1 · 1 call · 120 tokens')
    expect(drawn).toContain('← x/ask #1 · 2 calls · 240 tokens · repaired: keys-quoted · asked 2 times')
    expect(drawn).toMatch(/raw reply {2}\{a:1\}/)
    expect(drawn).toContain('user  ab')
    expect(drawn).not.toContain('ask 1 #2')
  })

  it('tells questions, answers, signals, loops, denials, failures and an end from outside', () => {
    const outcome = (status: string, result: string) => ({ status, result, reason: 'enough', usage: none })
    const events = eventsOf(
      ['1', start],
      [
        '1',
        { type: 'signal-asked', n: 1, name: 'answer', question: { text: 'Tone?', choices: ['dry', 'warm'] } },
      ],
      ['1', { type: 'signal-answered', n: 1, name: 'answer', number: 1, result: { ok: true, value: 'dry' } }],
      ['1', { type: 'signal-taken', name: 'message', number: 1, to: '1', value: 'hurry' }],
      ['1', { type: 'loop-found', n: 2, kind: 'goal', what: 'again', times: 3 }],
      [
        '1',
        {
          type: 'tool-start',
          n: 3,
          name: 'rm',
          input: { path: '/' },
          access: 'write',
          denied: 'not allowed',
        },
      ],
      [
        '1',
        {
          type: 'tool-end',
          n: 3,
          result: { ok: false, error: { code: 'DENIED', message: 'not allowed' } },
          usage: none,
        },
      ],
      ['1-1', { ...start, n: 4 }],
      ['1-1', { type: 'block-end', n: 4, outcome: outcome('partial', 'half') }],
      ['1', { type: 'block-end', n: 0, outside: true, archived: ['1-1'], outcome: outcome('cancelled', '') }],
    )
    const drawn = draw(auditBlocks(events)[0] as AuditBlock)
    for (const text of [
      '    2  00:00:01.000  asks #1: Tone? (dry / warm)',
      'answered #1: dry',
      'taken: message hurry',
      'repeats itself ×3: again',
      '→ tool rm #3 (write)',
      'denied  not allowed',
      '← tool rm failed #3',
      'DENIED: not allowed',
      'call [1-1] g',
      '[!] cancelled: enough · ended by a signal',
      'done += [1-1] [partial: enough] half',
    ])
      expect(drawn).toContain(text)
  })

  it('says how much was cut, and that a block has not ended', () => {
    const todo = '界'.repeat(MAX_AUDIT_TEXT + 1_500)
    const block = one({ type: 'todo-set', n: 1, todo })
    expect(draw(block)).toContain('[… 1,500 characters left out: --full]')
    expect(draw(block, { full: true })).toContain(todo)
    expect(draw(block)).toMatch(/└─ not ended yet$/)
    for (const line of draw(block, { width: 60 }).split('\n')) expect(textWidth(line)).toBeLessThanOrEqual(60)
  })

  it('keeps what a model wrote from driving the terminal, or from passing for an entry', () => {
    const block = one(
      { type: 'todo-set', n: 1, todo: 'a\u001b[2Jb\n    9  00:00:00.000  done += [1-1] forged' },
      { type: 'tool-start', n: 2, name: 'x\n│    9  forged', input: 'a\u0007', access: 'read' },
    )
    const drawn = draw(block)
    expect(drawn).not.toContain('\u001b')
    expect(drawn).not.toContain('\u0007')
    expect(drawn.split('\n').filter((line) => /^│ {4}9 /.test(line))).toEqual([])
  })

  it('puts attempts below each other, and ten after nine', () => {
    const paths = ['1', '1-10', '1-9', '1-2', '1-2#2', '1-2#2-1', '1-2-1', '1-2#10']
    const blocks = auditBlocks(eventsOf(...paths.map((path) => [path, start] as [string, unknown])))
    expect(blocks.map(({ path }) => path)).toEqual([
      '1',
      '1-2',
      '1-2-1',
      '1-2#2',
      '1-2#2-1',
      '1-2#10',
      '1-9',
      '1-10',
    ])
  })
})

/** Children that were called and not archived when the model was asked again. */
function unarchived(entries: readonly AuditEntry[]): string[] {
  const open = new Set<string>()
  const found = new Set<string>()
  for (const entry of entries) {
    if (entry.type === 'call') open.add(entry.to)
    if (entry.type === 'done-add') for (const { from } of entry.items) open.delete(from)
    if (entry.type === 'model-start') for (const child of open) found.add(child)
  }
  return [...found]
}

it('shows the tools that a turn of a conversation called, and whose result is whose', () => {
  const messages = [
    { role: 'user', content: 'the goal' },
    { role: 'assistant', content: '', toolCalls: [{ id: 'c1', name: 'look', input: { at: 'here' } }] },
    { role: 'tool', content: 'nothing there', answers: { id: 'c1', name: 'look' } },
  ]
  const request = { kind: 'test/ask', version: 1, role: 'act', messages }
  const left = { tokens: 0, calls: 0, timeMs: 0, costUsd: 0 }
  const reserve = { calls: 0, tokens: 0, costUsd: 0 }
  const blocks = auditBlocks(
    eventsOf(
      ['1', { type: 'block-start', n: 0, goal: 'g', strategy: 's@1', options: {}, kept: reserve, left }],
      ['1', { type: 'model-start', n: 1, request, reserve }],
    ),
  )
  const drawn = draw(at(blocks, '1'))
  expect(drawn).toMatch(/look \{"at":"here"\}\n.*tool look +nothing there/)
})
