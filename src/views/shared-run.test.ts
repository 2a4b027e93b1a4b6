import { gzipSync } from 'node:zlib'
import { expect, it } from 'vitest'
import type { Event } from '../protocol/index.ts'
import { readSharedRun, type SharedRun, sharedRunText, unpackSharedRun } from './shared-run.ts'

const long = 'what was said before '.repeat(20)

function runSaying(...texts: string[]): SharedRun {
  const events = texts.map((text, at) => ({
    seq: at + 1,
    ts: '2026-03-04T05:06:07.000Z',
    run: 'r',
    path: '1',
    type: 'note',
    name: 'said',
    data: { 2: text, 1: [text, { text }] },
  }))
  return { events, forms: {} } as unknown as SharedRun
}

it('has a long text once, however often the run repeats it, and gives it back everywhere', () => {
  const run = runSaying(long, 'short', long, `${long}, and more`, long)
  const text = sharedRunText(run)
  expect(text.split(`"${long}"`)).toHaveLength(2)
  expect(readSharedRun(text)).toEqual(run)
})

it('gives back texts that look like its own marks', () => {
  const run = runSaying('\0#0', '\0=', `\0#0${long}`, `\0#0${long}`, '\0', long, '\ud800</script>')
  expect(readSharedRun(sharedRunText(run))).toEqual(run)
})

it('refuses an event that repeats more than a budget, and reads a run that repeats it in many events', () => {
  const text = 'a'.repeat(1_000_000)
  const many = runSaying(...Array<string>(100).fill(text))
  expect(readSharedRun(sharedRunText(many)).events).toHaveLength(100)
  const [event] = many.events
  const one = { ...event, data: Array(100).fill(text) } as Event
  expect(() => readSharedRun(sharedRunText({ events: [one], forms: {} }))).toThrow(
    expect.objectContaining({ code: 'TOO_LARGE' }),
  )
})

it('unpacks a page, and refuses one that expands too far', async () => {
  const run = runSaying(long)
  const packed = gzipSync(sharedRunText(run)).toString('base64')
  expect(await unpackSharedRun(packed)).toEqual(run)
  await expect(unpackSharedRun('%')).rejects.toThrow(/no shared run/)
  await expect(unpackSharedRun('AAAA')).rejects.toThrow(/no shared run/)
  const bomb = gzipSync(Buffer.alloc(200 * 1024 * 1024, ' ')).toString('base64')
  await expect(unpackSharedRun(bomb)).rejects.toMatchObject({ code: 'TOO_LARGE' })
})

it.each(['', 'cut {"events":[', '[]', '{"events":{},"forms":{}}', '{"events":[]}'])(
  'refuses what is no shared run: %j',
  (text) => {
    expect(() => readSharedRun(text)).toThrow(/no shared run.*export the run again/)
  },
)
