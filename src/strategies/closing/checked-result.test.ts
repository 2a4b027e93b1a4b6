import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { builtinTools, createEngine, type StartOptions } from '../../index.ts'
import type { Strategy } from '../../kernel/strategy.ts'
import { type Event, type ModelRequest, messageText, ThinkonError } from '../../protocol/index.ts'
import { ScriptedModel, type ScriptedReply } from '../../testing/index.ts'
import { readOptions } from '../read-options.ts'
import { checkedResult } from './checked-result.ts'
import { isTrivial } from './is-trivial.ts'
import type { ResultChecked } from './notes.ts'
import { CHECK_RULE, type CheckOptions } from './option.ts'

const LONG_GOAL = `Write a memo on whether to move the office. ${'Consider the rent, the commute and the contracts. '.repeat(8)}`
const FITS = { problems: [], fits: true }
const WRONG = { problems: ['The rent is 20 in one part and 30 in another.'], fits: false }

describe('a result before it closes', () => {
  it('is judged by one call that sees the whole goal and the whole result', async () => {
    const long = `${'The office stays. '.repeat(2_000)}END-OF-RESULT`
    const { outcome, notes, model } = await close(LONG_GOAL, [long], [FITS])
    expect(outcome).toMatchObject({ status: 'completed', result: long, usage: { calls: 2 } })
    expect(notes).toEqual([{ by: 'model', problems: [], sentBack: false }])
    const [, judged] = model.calls
    expect(judged).toMatchObject({ kind: 'check/result', role: 'judge' })
    expect(promptOf(judged)).toContain(LONG_GOAL)
    expect(promptOf(judged)).toContain('END-OF-RESULT')
  })

  it('is sent back once with what is wrong, and the second result is taken as it is', async () => {
    const { outcome, notes, model } = await close(LONG_GOAL, ['rent 20, rent 30', 'rent 20'], [WRONG])
    expect(outcome).toMatchObject({ status: 'completed', result: 'rent 20', usage: { calls: 3 } })
    expect(outcome.details).toBeUndefined()
    expect(notes).toEqual([{ by: 'model', problems: WRONG.problems, sentBack: true }])
    expect(promptOf(model.calls[2])).toContain('The rent is 20 in one part and 30 in another.')
  })

  it('is checked by program first, without a call', async () => {
    const goal = 'Name the largest ocean in exactly one sentence.'
    const { outcome, notes, model } = await close(goal, ['One. Two. Three.', 'The Pacific.'], [])
    expect(outcome).toMatchObject({ result: 'The Pacific.', usage: { calls: 2 } })
    expect(notes).toMatchObject([{ by: 'program', sentBack: true }])
    expect(model.calls.map(({ kind }) => kind)).toEqual(['test/write', 'test/write'])
  })

  it('says in its details what a program still finds wrong with the second result', async () => {
    const goal = 'Name the largest ocean in exactly one sentence.'
    const { outcome, notes } = await close(goal, ['One. Two. Three.', 'One. Two.'], [])
    expect(outcome).toMatchObject({ status: 'completed', result: 'One. Two.' })
    expect(outcome.details).toContain('exactly one sentence')
    expect(notes).toMatchObject([{ sentBack: true }, { by: 'program', sentBack: false }])
  })

  for (const [what, reply] of [
    ['a verdict that can not be read', 'It looks fine to me.'],
    ['a verdict without its fields', { ok: false }],
    ['a model that fails', new Error('the judge is gone')],
    ['a refusal without a reason', { problems: [' '], fits: false }],
  ] as const) {
    it(`is not harmed by ${what}`, async () => {
      const { outcome } = await close(LONG_GOAL, ['the memo'], [reply])
      expect(outcome).toMatchObject({ status: 'completed', result: 'the memo' })
    })
  }

  it('stands when it can not be made again', async () => {
    const gone = new ThinkonError('MODEL_ERROR', 'the model is gone')
    const { outcome } = await close(LONG_GOAL, ['the memo', gone], [WRONG])
    expect(outcome).toMatchObject({ status: 'completed', result: 'the memo', details: WRONG.problems[0] })
  })

  it('stands when the second one is empty', async () => {
    const { outcome } = await close(LONG_GOAL, ['the memo', ' '], [WRONG])
    expect(outcome).toMatchObject({ status: 'completed', result: 'the memo' })
  })

  it('is not judged when the budget does not pay for the check and another last step', async () => {
    for (const budget of [{ calls: 4 }, { tokens: 12_000 }]) {
      const { outcome, model } = await close(LONG_GOAL, ['the memo'], [], { budget })
      expect(outcome).toMatchObject({ status: 'completed', result: 'the memo' })
      expect(model.calls).toHaveLength(1)
    }
  })

  it('is not checked with "never", and always with "always"', async () => {
    const never = await close('Name an ocean in one sentence.', ['One. Two.'], [], {
      options: { check: 'never' },
    })
    expect(never.outcome).toMatchObject({ result: 'One. Two.', usage: { calls: 1 } })
    const always = await close('Name an ocean.', ['The Pacific.'], [FITS], { options: { check: 'always' } })
    expect(always.outcome).toMatchObject({ result: 'The Pacific.', usage: { calls: 2 } })
  })

  it('is checked at the root only, also where `auto` handed the goal on', async () => {
    const { outcome, model } = await close(LONG_GOAL, ['a part', 'the memo'], [FITS], { strategy: 'parent' })
    expect(outcome).toMatchObject({ result: 'the memo: a part' })
    expect(model.calls.map(({ kind }) => kind)).toEqual(['test/write', 'test/write'])
    const handed = await close(LONG_GOAL, ['the memo'], [FITS], { strategy: 'hand-on' })
    expect(handed.model.calls.map(({ kind }) => kind)).toEqual(['test/write', 'check/result'])
  })

  it('is executed again from its journal the same way', async () => {
    const { replayed } = await close(LONG_GOAL, ['rent 20, rent 30', 'rent 20'], [WRONG])
    expect(replayed.differences).toEqual([])
  })

  it('the words of a person count more than those of the goal', async () => {
    const goal = 'Name the largest ocean in exactly one sentence.'
    const { outcome } = await close(goal, ['One. Two. Three.'], [], { strategy: 'asks' })
    expect(outcome).toMatchObject({ result: 'One. Two. Three.' })
  })

  it('files that it asked for must exist, and are held against the goal too', async () => {
    const workspace = mkdtempSync(join(tmpdir(), 'thinkon-closing-'))
    try {
      const goal = 'Write a summary of exactly two sentences to out.md.'
      const missing = await close(goal, ['Written.', 'Written now.'], [], { workspace })
      expect(missing.notes[0]).toMatchObject({
        by: 'program',
        problems: ['The goal asks for the file out.md; it does not exist.'],
      })
      writeFileSync(join(workspace, 'out.md'), 'One. Two. Three.\n')
      const long = await close(goal, ['Written.', 'Written now.'], [], { workspace })
      expect(long.notes[0]?.problems[0]).toContain('In out.md: The goal asks for "exactly two sentences"')
      writeFileSync(join(workspace, 'out.md'), 'One. Two.\n')
      expect((await close(goal, ['Written.'], [], { workspace })).notes).toEqual([])
    } finally {
      rmSync(workspace, { recursive: true, force: true })
    }
  })
})

describe('what the last reader sees', () => {
  it('is every file that the goal asks for or the result names, however it was written, and not what the run was given', async () => {
    const workspace = mkdtempSync(join(tmpdir(), 'thinkon-closing-'))
    try {
      mkdirSync(join(workspace, 'inputs'))
      writeFileSync(join(workspace, 'inputs/a.csv'), 'GIVEN\n')
      writeFileSync(join(workspace, 'findings.md'), 'FOUND\n')
      writeFileSync(join(workspace, 'chart.svg'), `<svg>DRAWN${' '.repeat(20_000)}END</svg>\n`)
      const goal = `${LONG_GOAL} inputs/a.csv has what was paid. Say why it rose and write it as findings.md.`
      const result = 'findings.md has it, with chart.svg; gone.md and https://a.org/findings.md do not.'
      const { model, notes } = await close(goal, [result], [FITS], { workspace })
      expect(notes).toEqual([{ by: 'model', problems: [], sentBack: false }])
      const prompt = promptOf(model.calls.at(-1))
      expect(prompt).toContain('The file findings.md, as it is now (1 words, 5 characters):')
      for (const text of ['FOUND', 'DRAWN', 'END</svg>', 'characters of the file stand here'])
        expect(prompt).toContain(text)
      expect(prompt).not.toContain('GIVEN')
      expect(prompt).not.toContain('The file gone.md')
    } finally {
      rmSync(workspace, { recursive: true, force: true })
    }
  })

  it('is not left out because the result is a short word on a long file', async () => {
    const workspace = mkdtempSync(join(tmpdir(), 'thinkon-closing-'))
    try {
      const goal = 'Say which shop should bake more, and why, and write it as advice.md for the owner.'
      const missing = await close(goal, ['advice.md has it.', 'Sorry.'], [], { workspace })
      expect(missing.notes[0]?.problems).toEqual(['The goal asks for the file advice.md; it does not exist.'])
      writeFileSync(join(workspace, 'advice.md'), 'South.\n'.repeat(200))
      const options = { workspace, strategy: 'of-parts' }
      const { notes } = await close(goal, ['advice.md has it.'], [FITS], options)
      expect(notes).toEqual([{ by: 'model', problems: [], sentBack: false }])
    } finally {
      rmSync(workspace, { recursive: true, force: true })
    }
  })

  it('has a place for its work before the verdict, and is told its form once', async () => {
    const { model } = await close(LONG_GOAL, ['the memo'], [{ checked: 'rent 20, twice', ...FITS }])
    const prompt = promptOf(model.calls.at(-1))
    expect(prompt.match(/one JSON/g) ?? []).toHaveLength(0)
    expect(prompt.indexOf('"checked"')).toBeLessThan(prompt.indexOf('"problems"'))
    expect(prompt).toContain('(2 words, 8 characters)')
  })

  it('comes back with what follows from it, and with words about files only where they can be mended', async () => {
    const { model } = await close(LONG_GOAL, ['rent 20, rent 30', 'rent 20'], [WRONG])
    expect(promptOf(model.calls.at(-1))).toContain('and what follows from it')
    expect(promptOf(model.calls.at(-1))).not.toContain('file')
  })
})

describe('isTrivial', () => {
  for (const [what, goal, result, parts, expected] of [
    ['a short question', 'What is the capital of France?', 'Paris.', 0, true],
    ['a short question looked up in files', 'How many rows does sales.csv have?', '120 rows.', 3, true],
    ['a short goal that one call has written', 'Write a poem about rain.', 'x'.repeat(3_000), 0, true],
    ['a short goal made from parts', 'Document this code base.', 'x'.repeat(3_000), 5, false],
    ['a long goal', LONG_GOAL, 'x'.repeat(3_000), 0, false],
    ['a list of demands', 'Write a note:\n- on rent\n- on costs', 'x', 0, false],
    ['a short Chinese goal', '天空为什么是蓝色的？', '因为散射。', 0, true],
    ['a long Chinese goal', '请考虑租金、通勤和合同的影响，写一份备忘录。'.repeat(8), '好', 0, false],
  ] as const) {
    it(`${what}: ${expected ? 'needs no second reader' : 'is read'}`, () => {
      expect(isTrivial(goal, result, parts)).toBe(expected)
    })
  }
})

// --- strategies that close with a check

const write = (wrong: string): ModelRequest => ({
  kind: 'test/write',
  version: 1,
  role: 'act',
  input: {},
  messages: [{ role: 'user', content: `Write it. ${wrong}` }],
})

const writes: Strategy<CheckOptions> = {
  name: 'writes',
  version: 1,
  options: (given) => readOptions('writes', { check: CHECK_RULE }, given),
  async solve(context) {
    const text = async (wrong: string) => (await context.one(context.model(write(wrong)))).text
    return checkedResult(context, await text(''), { again: text })
  },
}

const ofParts: Strategy<CheckOptions> = {
  ...writes,
  name: 'of-parts',
  async solve(context) {
    const text = async (wrong: string) => (await context.one(context.model(write(wrong)))).text
    return checkedResult(context, await text(''), { again: text, parts: 2 })
  },
}

const parent: Strategy<CheckOptions> = {
  ...writes,
  name: 'parent',
  async solve(context) {
    if (context.level === 1) return writes.solve(context)
    context.plan('one part')
    const child = await context.one(context.call('the part'))
    const { text } = await context.one(context.model(write('')))
    return `${text}: ${child.result}`
  },
}

const handOn: Strategy<CheckOptions> = {
  ...writes,
  name: 'hand-on',
  solve: async (context) =>
    (await context.one(context.call(context.block.goal, { strategy: 'writes' }))).result,
}

const asks: Strategy<CheckOptions> = {
  ...writes,
  name: 'asks',
  async solve(context) {
    await context.one(context.ask({ text: 'How long?', fallback: 'three sentences' }, { timeoutMs: 1 }))
    return writes.solve(context)
  },
}

async function close(
  goal: string,
  texts: readonly ScriptedReply[],
  verdicts: readonly ScriptedReply[],
  { workspace, ...options }: StartOptions & { workspace?: string } = {},
) {
  const model = new ScriptedModel({ 'test/write': texts, 'check/result': verdicts })
  const engine = createEngine({
    model,
    strategies: [writes, ofParts, parent, handOn, asks],
    ...(workspace !== undefined && { tools: builtinTools({ workspace, only: ['read_file', 'write_file'] }) }),
  })
  const run = await engine.start(goal, { strategy: 'writes', ...options })
  const outcome = await run.outcome
  const events: Event[] = [...(await engine.events(run.id))]
  const replayed = await engine.replay(run.id)
  await engine.close()
  const notes = events.flatMap((event) =>
    event.type === 'note' && event.name === 'result-checked' ? [event.data as ResultChecked] : [],
  )
  return { outcome, notes, model, replayed }
}

function promptOf(request: ModelRequest | undefined): string {
  return request?.messages.map(messageText).join('\n') ?? ''
}
