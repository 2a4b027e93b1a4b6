import { afterEach, describe, expect, it } from 'vitest'
import { ScriptedModel } from '../../src/testing/index.ts'
import { ASK_ABOUT_PRESSES, presses, pressTool } from '../presses.ts'
import { call, connect, ERAS, endAll, open } from './connect.ts'

afterEach(endAll)

/** A model that answers when it is let go. */
function held() {
  const { promise, resolve } = Promise.withResolvers<void>()
  const model = new ScriptedModel(async () => {
    await promise
    return { do: 'return', result: 'after all' }
  })
  return { model, letGo: resolve }
}

describe.each(ERAS)('a %s client', (era) => {
  it('gets the result of a short run, with its value where a schema is given', async () => {
    const client = await connect(open(), era)
    const report = await call(client, 'run', { goal: 'say done' })
    expect(report).toMatchObject({
      status: 'completed',
      result: 'done',
      text: expect.stringMatching(/^done\n/),
    })
    const model = new ScriptedModel(() => ({ do: 'return', result: '{"n":3}' }))
    const other = await connect(open({ model }), era)
    const schema = { type: 'object', properties: { n: { type: 'integer' } }, required: ['n'] }
    expect(await call(other, 'run', { goal: 'count', output: schema })).toMatchObject({ value: { n: 3 } })
  })

  it('gets the handle of a long run, follows it, and another client takes it up', async () => {
    const { model, letGo } = held()
    const opened = open({ model })
    const client = await connect(opened, era)
    const started = await call(client, 'run', { goal: 'take your time', waitSeconds: 0 })
    expect(started).toMatchObject({
      status: 'running',
      text: expect.stringContaining(`"run":"${started.run}"`),
    })
    await client.close()
    const other = await connect(opened, era)
    const seen: { progress: number; message?: string | undefined }[] = []
    const waiting = other.callTool(
      { name: 'wait', arguments: { run: started.run } },
      { onprogress: (progress) => seen.push(progress) },
    )
    await expect.poll(() => seen.length).toBeGreaterThan(0)
    letGo()
    expect((await waiting).structuredContent).toMatchObject({ status: 'completed', result: 'after all' })
    expect(seen[0]?.message).toBe(`run ${started.run}`)
    expect(seen.at(-1)?.message).toContain('completed → after all')
    expect(seen.every(({ progress }, i) => i === 0 || progress > (seen[i - 1]?.progress ?? 0))).toBe(true)
  })

  it('that goes away in the middle of a call leaves the run going', async () => {
    const { model, letGo } = held()
    const opened = open({ model })
    const client = await connect(opened, era)
    const stop = new AbortController()
    const calling = client.callTool(
      { name: 'run', arguments: { goal: 'go on', id: 'mine' } },
      { signal: stop.signal },
    )
    await expect.poll(() => opened.service.engine.count()).toBe(1)
    stop.abort()
    await expect(calling).rejects.toThrow()
    letGo()
    expect(await call(await connect(opened, era), 'wait', { run: 'mine' })).toMatchObject({
      result: 'after all',
    })
  })

  it('is asked what a run asks, and its answer goes to the block', async () => {
    const asked: unknown[] = []
    const client = await connect(open(), era, {
      elicit(params) {
        asked.push(params)
        return { action: 'accept', content: { answer: 'green' } }
      },
    })
    const report = await call(client, 'run', { goal: 'paint', strategy: 'asker' })
    expect(report).toMatchObject({ status: 'completed', result: 'they want green' })
    expect(asked).toHaveLength(1)
    expect(asked[0]).toMatchObject({
      message: '1 paint\n\nWhich colour?',
      requestedSchema: { properties: { answer: { enum: ['red', 'green'], default: 'red' } } },
    })
  })

  it('is asked together what two blocks ask at the same time', async () => {
    const client = await connect(open(), era, {
      elicit: ({ message }) => ({
        action: 'accept',
        content: { answer: message.includes('1-1') ? 'one' : 'two' },
      }),
    })
    expect(await call(client, 'run', { goal: 'both', strategy: 'askers' })).toMatchObject({
      result: 'one and two',
    })
  })

  it('that declines gets the question back, which stays open for the answer', async () => {
    const client = await connect(open(), era, { elicit: () => ({ action: 'decline' }) })
    const report = await call(client, 'run', { goal: 'paint', strategy: 'asker' })
    expect(report).toMatchObject({ status: 'waiting', questions: [{ path: '1', text: 'Which colour?' }] })
    await call(client, 'answer', { run: report.run, answer: 'green' })
    expect(await call(client, 'wait', { run: report.run })).toMatchObject({ result: 'they want green' })
  })

  it('that can not be asked gets the questions, and answers with a tool', async () => {
    const client = await connect(open(), era)
    const { run, ...report } = await call(client, 'run', { goal: 'both', strategy: 'askers' })
    expect(report).toMatchObject({ status: 'waiting', questions: [{ path: '1-1' }, { path: '1-2' }] })
    const [first] = report.questions ?? []
    expect(await call(client, 'questions', { run })).toMatchObject({ questions: report.questions })
    await expect(call(client, 'answer', { run, answer: 'x' })).rejects.toThrow(
      /has 2 open questions, give the number of one: \d+ of block 1-1: 1-1\?; \d+ of block 1-2: 1-2\?/,
    )
    await call(client, 'answer', { run, question: first?.id, answer: 'one' })
    expect(await call(client, 'wait', { run })).toMatchObject({ questions: [{ path: '1-2' }] })
    await call(client, 'answer', { run, answer: 'two' })
    expect(await call(client, 'wait', { run })).toMatchObject({ result: 'one and two' })
  })

  it('answers questions of one block by their ids, in any order', async () => {
    const client = await connect(open(), era)
    const { run, questions } = await call(client, 'run', { goal: 'both', strategy: 'asks-twice' })
    expect(questions).toMatchObject([{ text: 'One?' }, { text: 'Two?' }])
    const [one, two] = questions ?? []
    await call(client, 'answer', { run, question: two?.id, answer: 'two' })
    await expect(call(client, 'answer', { run, question: two?.id, answer: 'two' })).rejects.toThrow(
      'is not open',
    )
    await call(client, 'answer', { run, question: one?.id, answer: 'one' })
    expect(await call(client, 'wait', { run })).toMatchObject({ result: 'one and two' })
  })
})

describe.each(ERAS)('a %s client that is asked for two permissions of one block', (era) => {
  const opened = () =>
    open({
      strategies: [presses],
      tools: [pressTool],
      defaults: { strategy: 'presses', approval: ASK_ABOUT_PRESSES },
    })

  it('gives the one that was accepted, and not the one that was declined', async () => {
    const client = await connect(opened(), era, {
      elicit: ({ message }) =>
        message.includes('erase') ? { action: 'accept', content: { answer: 'yes' } } : { action: 'decline' },
    })
    const report = await call(client, 'run', { goal: 'press' })
    expect(report).toMatchObject({
      status: 'waiting',
      questions: [{ text: expect.stringContaining('start') }],
    })
    await call(client, 'answer', { run: report.run, answer: 'no' })
    expect(await call(client, 'wait', { run: report.run })).toMatchObject({
      result: 'denied, pressed erase',
    })
  })

  it('answers by id, in any order; an answer that is given twice reaches no other question', async () => {
    const client = await connect(opened(), era)
    const { run, questions } = await call(client, 'run', { goal: 'press' })
    await expect(call(client, 'answer', { run, answer: 'yes' })).rejects.toThrow('has 2 open questions')
    const [first, second] = questions ?? []
    const no = () => call(client, 'answer', { run, answer: 'no', question: second?.id })
    const given = await Promise.allSettled([no(), no()])
    expect(given.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
    await call(client, 'answer', { run, answer: 'yes', question: first?.id })
    expect(await call(client, 'wait', { run })).toMatchObject({ result: 'pressed start, denied' })
  })
})

it('asks several questions of one block at once', async () => {
  const asked: string[] = []
  const client = await connect(open(), 'modern', {
    elicit: ({ message }) => {
      asked.push(message)
      return message.includes('Two?')
        ? { action: 'accept', content: { answer: 'yes' } }
        : { action: 'decline' }
    },
  })
  const report = await call(client, 'run', { goal: 'both', strategy: 'asks-twice' })
  expect(report).toMatchObject({ status: 'waiting', questions: [{ text: 'One?' }] })
  expect(asked).toEqual([expect.stringContaining('One?'), expect.stringContaining('Two?')])
})

it('counts an answer that is none of the choices as none', async () => {
  const client = await connect(open(), 'modern', {
    elicit: () => ({ action: 'accept', content: { answer: 'blue' } }),
  })
  const report = await call(client, 'run', { goal: 'paint', strategy: 'asker' })
  expect(report.status).toBe('waiting')
  await expect(call(client, 'answer', { run: report.run, answer: 'blue' })).rejects.toThrow(
    '“blue” is no choice',
  )
})

it('whose client breaks off when it is asked still gets the handle', async () => {
  const client = await connect(open(), 'legacy', {
    elicit() {
      throw new Error('the window was closed')
    },
  })
  const report = await call(client, 'run', { goal: 'paint', strategy: 'asker' })
  expect(report).toMatchObject({ status: 'waiting', questions: [{ path: '1' }] })
})
