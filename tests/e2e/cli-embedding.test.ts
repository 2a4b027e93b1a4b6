// The embedding of a configuration is the one that the memory of runs on the command line is searched by.
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, afterEach, beforeEach, expect, it } from 'vitest'
import type { Event } from '../../src/protocol/index.ts'
import { toolIo } from '../../src/testing/tool-io.ts'
import { memoryTools } from '../../src/tools/memory/memory-tools.ts'
import { type FakeEmbeddings, startFakeEmbeddings, vectorOf } from '../models/fake-embeddings.ts'
import { jsonLines, makePlace } from './cli-process.ts'

const place = makePlace()
const { cli, folder } = place
afterAll(() => place.remove())
place.env.THINKON_MODEL = `module:${join(import.meta.dirname, 'dual-model.ts')}`
place.env.EMBEDDING_KEY = 'sesame-for-the-embedding'

let fake: FakeEmbeddings
beforeEach(async () => {
  fake = await startFakeEmbeddings()
  const embedding = { model: `${fake.url}#small`, name: 'small', apiKey: '$' + '{EMBEDDING_KEY}' }
  writeFileSync(join(folder, 'thinkon.config.json'), JSON.stringify({ embedding }))
})
afterEach(() => fake.close())

async function run(goal: string): Promise<Event[]> {
  const { code, stdout, stderr } = await cli(['dual', goal, '--json'])
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
  const { stdout: events } = await cli(['events', 'last', '--json'])
  expect(`${stdout}${events}`).not.toContain('sesame')
  return jsonLines(events) as unknown as Event[]
}

/** By the library, with time enough: a run waits 200 ms at most. */
async function found(query: string): Promise<string[]> {
  const { tools, close } = memoryTools({
    embed: async (texts) => texts.map(vectorOf),
    embedName: 'small',
  })
  const search = tools.find(({ name }) => name === 'memory__search')
  const value = await search?.run({ query }, toolIo({ workspace: folder }))
  close()
  return (value as { items: { text: string }[] }).items.map(({ text }) => text)
}

it('embeds what a run saves, and asks for the meaning of what a later one looks for', async () => {
  await run('do feed the kitten')
  expect(fake.requests.flatMap(({ input }) => input)).toContain('The kitten is fed at noon.')
  expect(fake.requests.map(({ headers }) => headers.authorization)).toContain(
    'Bearer sesame-for-the-embedding',
  )
  expect(await found('feline')).toEqual(['The kitten is fed at noon.'])
  await run('do stroke it')
  expect(fake.requests.some(({ input }) => input[0]?.startsWith('stroke it is done'))).toBe(true)
})

it('goes on by words when nobody answers', async () => {
  await fake.close()
  const events = await run('do feed the hamster')
  expect(events.at(-1)).toMatchObject({ type: 'run-end' })
  expect(await found('hamster')).toEqual(['The hamster is fed at noon.'])
})
