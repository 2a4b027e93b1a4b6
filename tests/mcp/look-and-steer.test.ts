import { afterEach, describe, expect, it } from 'vitest'
import { ScriptedModel } from '../../src/testing/index.ts'
import { call, connect, ERAS, endAll, open, strategyOf } from './connect.ts'

afterEach(endAll)

/** Calls two children, of which the second waits for a person; says what it was told meanwhile. */
const family = strategyOf('family', async (context) => {
  if (context.path.startsWith('1-2')) return String(await context.one(context.ask({ text: 'well?' })))
  if (context.path !== '1') return `result of ${context.path}`
  const results = await context.all([context.call('first'), context.call('second')])
  return results.map((result) => (result.ok ? result.value.result : '-')).join(' + ')
})

describe.each(ERAS)('a %s client', (era) => {
  it('lists runs, and shows the tree of one', async () => {
    const client = await connect(open({ strategies: [family] }), era)
    const { run } = await call(client, 'run', { goal: 'a family', strategy: 'family' })
    await call(client, 'run', { goal: 'another' })
    expect(await call(client, 'list', { limit: 1 })).toMatchObject({
      runs: [{ status: 'completed' }],
      count: 2,
    })
    expect((await call(client, 'list', { search: 'family' })).runs).toMatchObject([
      { run, strategy: 'family' },
    ])
    const shown = await call(client, 'show', { run })
    expect(shown.text).toMatch(/\[x\] 1-1 .*first/)
    expect(shown.text).toMatch(/\[\?\] 1-2 .*second/)
    expect(shown.questions).toMatchObject([{ path: '1-2', text: 'well?' }])
    expect((await call(client, 'show', { run, format: 'mermaid' })).text).toContain('flowchart LR')
    await expect(call(client, 'show', { run, format: 'mermaids' })).rejects.toThrow('did you mean "mermaid"?')
  })

  it('steers: a message, a skip, a redo in a fork, a cancel', async () => {
    const opened = open({ strategies: [family] })
    const client = await connect(opened, era)
    const { run } = await call(client, 'run', { goal: 'a family', strategy: 'family' })
    expect((await call(client, 'message', { run, path: '1-2', message: 'hurry' })).text).toMatch(
      /^sent to block 1-2/,
    )
    await expect(call(client, 'skip', { run, path: '1-1' })).rejects.toThrow(
      'block 1-1 has ended (completed)',
    )
    await call(client, 'skip', { run, path: '1-2', reason: 'no time' })
    expect(await call(client, 'wait', { run })).toMatchObject({ status: 'completed' })
    await expect(call(client, 'message', { run, message: 'late' })).rejects.toThrow(`run ${run} has ended`)
    const again = await call(client, 'redo', { run, path: '1-2', message: 'ask again' })
    const fork = /its fork (\S+)$/.exec(again.text)?.[1] ?? ''
    expect(await call(client, 'wait', { run: fork })).toMatchObject({ questions: [{ text: 'well?' }] })
    await call(client, 'cancel', { run: fork, reason: 'enough' })
    expect(await call(client, 'wait', { run: fork })).toMatchObject({ status: 'cancelled' })
    await expect(call(client, 'cancel', { run: fork })).rejects.toThrow(`run ${fork} has ended (cancelled)`)
  })

  it('has runs as resources, and hears that they change', async () => {
    const opened = open({ strategies: [family] })
    const updated: string[] = []
    const client = await connect(opened, era)
    client.setNotificationHandler(
      'notifications/resources/updated',
      ({ params }) => void updated.push(params.uri),
    )
    const { run } = await call(client, 'run', { goal: 'a family', strategy: 'family' })
    const uri = `thinkon://runs/${run}`
    const { resources } = await client.listResources()
    expect(resources.map((one) => one.uri)).toEqual(['thinkon://runs', uri, `${uri}/tree`])
    const { resourceTemplates } = await client.listResourceTemplates()
    expect(resourceTemplates.map(({ uriTemplate }) => uriTemplate)).toEqual([
      'thinkon://runs/{run}',
      'thinkon://runs/{run}/tree',
    ])
    const text = async (of: string) =>
      ((await client.readResource({ uri: of })).contents[0] as { text: string }).text
    expect(JSON.parse(await text(uri))).toMatchObject({
      run,
      status: 'waiting',
      questions: [{ path: '1-2' }],
    })
    expect(await text(`${uri}/tree`)).toMatch(/\[\?\] 1-2/)
    expect(JSON.parse(await text('thinkon://runs'))).toMatchObject([{ run }])
    const ref = { type: 'ref/resource', uri: 'thinkon://runs/{run}' } as const
    const { completion } = await client.complete({ ref, argument: { name: 'run', value: run.slice(0, 4) } })
    expect(completion.values).toEqual([run])
    if (era === 'modern') await client.listen({ resourceSubscriptions: [uri] })
    else await client.subscribeResource({ uri })
    await call(client, 'answer', { run, answer: 'well' })
    await expect.poll(() => updated).toContain(uri)
    await expect(client.readResource({ uri: 'thinkon://runs/none' })).rejects.toThrow('no run "none"')
    await expect(client.readResource({ uri: 'file:///etc/passwd' })).rejects.toThrow('there is no resource')
  })

  it('has a prompt for each strategy, also of the operator', async () => {
    const client = await connect(open({ strategies: [family] }), era)
    const { prompts } = await client.listPrompts()
    expect(prompts.map(({ name }) => name)).toEqual(
      expect.arrayContaining(['auto', 'cot', 'dual', 'fractal', 'planner', 'tot', 'family']),
    )
    const { messages } = await client.getPrompt({ name: 'tot', arguments: { goal: 'say "hi"' } })
    expect(JSON.stringify(messages)).toContain(
      JSON.stringify(JSON.stringify({ strategy: 'tot', goal: 'say "hi"' })).slice(1, -1),
    )
    await expect(client.getPrompt({ name: 'tott', arguments: { goal: 'x' } })).rejects.toThrow(
      'did you mean "tot"?',
    )
    await expect(client.getPrompt({ name: 'tot', arguments: {} })).rejects.toThrow('needs a goal')
  })
})

it('hears of new runs', async () => {
  const opened = open({ model: new ScriptedModel(() => ({ do: 'return', result: 'done' })) })
  for (const era of ERAS) {
    let heard = 0
    const client = await connect(opened, era)
    client.setNotificationHandler('notifications/resources/list_changed', () => void heard++)
    if (era === 'modern') await client.listen({ resourcesListChanged: true })
    await call(client, 'run', { goal: 'x' })
    await expect.poll(() => heard).toBeGreaterThan(0)
  }
})

it('tells the strategies, and the options of one', async () => {
  const client = await connect(open(), 'modern')
  expect((await call(client, 'strategies')).text).toContain('tot: ')
  const { properties } = JSON.parse((await call(client, 'strategies', { strategy: 'tot' })).text).options
  expect(Object.keys(properties).length).toBeGreaterThan(3)
  await expect(call(client, 'strategies', { strategy: 'x' })).rejects.toThrow('there is no strategy "x"')
})
