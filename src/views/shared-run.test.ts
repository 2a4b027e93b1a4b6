import { expect, it } from 'vitest'
import { readSharedRun, type SharedRun, sharedRunText } from './shared-run.ts'

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

it.each(['', 'cut {"events":[', '[]', '{"events":{},"forms":{}}', '{"events":[]}'])(
  'refuses what is no shared run: %j',
  (text) => {
    expect(() => readSharedRun(text)).toThrow(/no shared run.*export the run again/)
  },
)
