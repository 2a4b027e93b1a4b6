import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { builtinTools, createEngine, type StartOptions } from '../../index.ts'
import { type ModelRequest, messageText } from '../../protocol/index.ts'
import { ScriptedModel, type ScriptedReply } from '../../testing/index.ts'

const GOAL = `Decide whether to move the office. ${'Weigh the rent, the commute and the contracts. '.repeat(8)}`
const WRONG = { problems: ['The rent is 20 in one part and 30 in another.'], fits: false }

describe('a result of fractal before it closes', () => {
  it("Think's comes back in its own conversation, with its earlier turn in view", async () => {
    const { outcome, kinds, model } = await solve({
      'fractal/think': [returned('rent 20, rent 30'), returned('rent 20')],
      'check/result': [WRONG],
    })
    expect(outcome).toMatchObject({ status: 'completed', result: 'rent 20', usage: { calls: 3 } })
    expect(kinds).toEqual(['fractal/think', 'check/result', 'fractal/think'])
    const [first, , second] = model.calls
    expect(second?.messages.slice(0, 2)).toEqual(first?.messages.slice(0, 2))
    expect(second?.messages.find(({ role }) => role === 'assistant')).toMatchObject({
      content: expect.stringContaining('rent 20, rent 30'),
    })
    expect(promptOf(second)).toContain('The rent is 20 in one part and 30 in another.')
  })

  it("Eval's comes back with the result and what is wrong in view; its children's results are not checked", async () => {
    const { outcome, kinds, model } = await solve({
      'fractal/think': [{ type: 'TODO', description: '1. the rent' }, returned('the rent is 20')],
      'fractal/eval': [
        { type: 'CALL', description: 'the rent' },
        returned('stay: rent 20, rent 30'),
        returned('stay: rent 20'),
      ],
      'check/result': [WRONG],
    })
    expect(outcome).toMatchObject({ status: 'completed', result: 'stay: rent 20' })
    expect(kinds.slice(-3)).toEqual(['fractal/eval', 'check/result', 'fractal/eval'])
    const [judged, again] = model.calls.slice(-2)
    expect(promptOf(judged)).toContain('the rent is 20')
    expect(promptOf(again)).toContain('stay: rent 20, rent 30')
    expect(promptOf(again)).toContain('The rent is 20 in one part and 30 in another.')
  })

  it('may have a sub-goal solved to put it right', async () => {
    const { outcome } = await solve({
      'fractal/think': [
        { type: 'TODO', description: '1. the rent' },
        returned('20'),
        returned('the commute is short'),
      ],
      'fractal/eval': [
        { type: 'CALL', description: 'the rent' },
        returned('stay'),
        { type: 'CALL', description: 'the commute' },
        returned('stay: the commute is short'),
      ],
      'check/result': [{ problems: ['Nothing is said about the commute.'], fits: false }],
    })
    expect(outcome.result).toBe('stay: the commute is short')
  })

  it('a file as it was read for the check stands before the result of the sub-goal that mended it', async () => {
    const workspace = mkdtempSync(join(tmpdir(), 'thinkon-closing-'))
    writeFileSync(join(workspace, 'NOTE.md'), 'the rent is 30')
    const { model } = await solve(
      {
        'fractal/think': [
          { type: 'TODO', description: '1. the rent' },
          returned('the note is written'),
          returned('the note is mended'),
        ],
        'fractal/eval': [
          { type: 'CALL', description: 'write the note' },
          returned('It is in NOTE.md.'),
          { type: 'CALL', description: 'mend the note' },
          returned('The rent is 20; it is in NOTE.md.'),
        ],
        'check/result': [WRONG],
      },
      {},
      { goal: `${GOAL} Write it to NOTE.md.`, workspace },
    )
    rmSync(workspace, { recursive: true, force: true })
    const prompt = promptOf(model.calls.filter(({ kind }) => kind === 'fractal/eval').at(-1))
    const order = ['the note is written', 'the rent is 30', 'the note is mended'].map((text) =>
      prompt.indexOf(text),
    )
    expect(order).toEqual(order.toSorted((a, b) => a - b))
    expect(order).not.toContain(-1)
  })

  it('stands when Think plans instead of correcting it', async () => {
    const { outcome } = await solve({
      'fractal/think': [returned('the memo'), { type: 'TODO', description: 'a plan' }],
      'check/result': [WRONG],
    })
    expect(outcome).toMatchObject({ status: 'completed', result: 'the memo', details: WRONG.problems[0] })
  })

  it('is left alone with check: never', async () => {
    const script = { 'fractal/think': [returned('the memo')] }
    const { kinds } = await solve(script, { options: { check: 'never' } })
    expect(kinds).toEqual(['fractal/think'])
  })

  it('is checked where auto has chosen fractal, once, with the option handed on', async () => {
    const script = {
      'auto/classify': [{}],
      'fractal/think': [returned('the memo')],
      'check/result': [{ problems: [], fits: true }],
    }
    const { kinds } = await solve(script, { strategy: 'auto' })
    expect(kinds.filter((kind) => kind !== 'auto/classify')).toEqual(['fractal/think', 'check/result'])
    const never = await solve(
      { 'auto/classify': [{}], 'fractal/think': [returned('the memo')] },
      {
        strategy: 'auto',
        options: { check: 'never' },
      },
    )
    expect(never.kinds).not.toContain('check/result')
  })
})

function returned(description: string) {
  return { type: 'RETURN', description }
}

async function solve(
  script: Record<string, readonly ScriptedReply[]>,
  options: StartOptions = {},
  { goal = GOAL, workspace }: { goal?: string; workspace?: string } = {},
) {
  const model = new ScriptedModel(script)
  const engine = createEngine({
    model,
    ...(workspace !== undefined && { tools: builtinTools({ workspace }) }),
  })
  const run = await engine.start(goal, { strategy: 'fractal', ...options })
  const outcome = await run.outcome
  const { differences } = await engine.replay(run.id)
  await engine.close()
  expect(differences).toEqual([])
  return { outcome, model, kinds: model.calls.map(({ kind }) => kind) }
}

function promptOf(request: ModelRequest | undefined): string {
  return request?.messages.map(messageText).join('\n') ?? ''
}
