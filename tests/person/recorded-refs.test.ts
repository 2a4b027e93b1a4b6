// What was too long for a request is named in it by the number of its operation, of which a run with a person has more: replayed, it is the same text.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { createEngine, tool } from '../../src/index.ts'

const LONG = `${'A line of the minutes. '.repeat(40_000)}The motion was carried.`
const minutes = tool({
  name: 'minutes',
  description: 'the minutes of the meeting',
  access: 'read',
  input: { type: 'object' },
  run: () => LONG,
})

it('answers a run again from what a person said, also where a result was shortened', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'thinkon-refs-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const record = join(folder, 'by-hand.jsonl')
  const asked: string[] = []
  const answers = [
    () => ({ toolCalls: [{ name: 'minutes', input: {} }] }),
    (request: string) => ({
      toolCalls: [{ name: 'read_result', input: { ref: refIn(request), from: 919_900 } }],
    }),
    () => '{"do":"return","result":"carried"}',
  ]
  const byHand = createEngine({ model: 'person', tools: [minutes], record })
  const run = await byHand.start('Was the motion carried?', {
    strategy: 'minimal',
    id: 'same',
    onEvent(event) {
      if (event.type !== 'signal-asked' || event.question?.request === undefined) return
      const request = JSON.stringify(event.question.request)
      asked.push(request)
      void byHand.answer('same', answers[asked.length - 1]?.(request), { question: event.seq })
    },
  })
  expect(await run.outcome).toMatchObject({ status: 'completed', result: 'carried' })
  await byHand.close()

  const again = createEngine({ model: `replay:${record}`, tools: [minutes] })
  const replayed = await again.start('Was the motion carried?', { strategy: 'minimal', id: 'same' })
  expect(await replayed.outcome).toMatchObject({ status: 'completed', result: 'carried' })
  const read = [...(await again.events('same'))].filter(
    (event) => event.type === 'tool-end' && JSON.stringify(event.result).includes('The motion was carried'),
  )
  expect(read).toHaveLength(2)
  await again.close()
})

function refIn(request: string): string {
  return /read_result \\+"([^"\\]+)/.exec(request)?.[1] ?? 'none'
}
