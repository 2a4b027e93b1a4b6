import { appendFileSync, mkdtempSync, readFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { beforeEach, expect, it } from 'vitest'
import { ask, testIo } from '../../../tests/models/model-io.ts'
import type { Model } from '../../kernel/model.ts'
import { ThinkonError } from '../../protocol/index.ts'
import { ScriptedModel } from '../../testing/scripted-model.ts'
import { decorateModel } from '../decorate-model.ts'
import { registerSecret } from '../secrets.ts'
import { recordingModel } from './recording-model.ts'
import { replayModel } from './replay-model.ts'
import { keyOf, recordedRequest } from './traffic-file.ts'

let file = ''
beforeEach(() => {
  file = join(mkdtempSync(join(tmpdir(), 'thinkon-record-')), 'traffic.jsonl')
})

const signal = new AbortController().signal

it('answers what was recorded, and the same request several times in order', async () => {
  const model = recordingModel(new ScriptedModel([{ a: 1 }, 'second', 'third']), file)
  const said = [
    await model.call(ask('x'), testIo(signal, '1', 1)),
    await model.call(ask('x'), testIo(signal, '1', 2)),
    await model.call(ask('y'), testIo(signal, '1', 3)),
  ]
  const replay = await replayModel(file)
  expect(await replay.call(ask('y'), testIo(signal, '9', 9))).toEqual(said[2])
  expect(await replay.call(ask('x'), testIo(signal, '9', 9))).toEqual(said[0])
  expect(await replay.call(ask('x'), testIo(signal, '9', 9))).toEqual(said[1])
  await expect(replay.call(ask('x'), testIo(signal, '9', 9))).rejects.toThrow(
    'has 2 replies to this test/ask@1 (plan) request, and all were given',
  )
})

it('answers whatever the cap: it belongs to the model, and older recordings have none', async () => {
  const model = recordingModel(new ScriptedModel(['without', 'with']), file)
  const settings = { temperature: 0 }
  await model.call(ask('x', { settings }), testIo())
  await model.call(ask('y', { settings: { maxOutputTokens: 700 } }), testIo())
  const replay = await replayModel(file)
  const capped = { settings: { ...settings, maxOutputTokens: 4_096 } }
  expect(await replay.call(ask('x', capped), testIo())).toMatchObject({ text: 'without' })
  const other = { settings: { maxOutputTokens: 4_096 } }
  expect(await replay.call(ask('y', other), testIo())).toMatchObject({ text: 'with' })
  await expect(replay.call(ask('x', other), testIo())).rejects.toThrow('settings')
})

it('gives each place its own reply, whatever the order in which they ask', async () => {
  const model = recordingModel(new ScriptedModel(['for 1-1', 'for 1-2', 'for 1-3']), file)
  for (const path of ['1-1', '1-2', '1-3']) await model.call(ask('same'), testIo(signal, path, 1))
  const replay = await replayModel(file)
  const paths = ['1-3', '1-1', '1-2', '1-3', '1-1']
  const replies = await Promise.all(paths.map((path) => replay.call(ask('same'), testIo(signal, path, 1))))
  expect(replies.map(({ text }) => text)).toEqual(paths.map((path) => `for ${path}`))
})

it('records failures, and the paid parts of a call', async () => {
  const inner: Model = {
    id: 'inner',
    async call(request, io) {
      if (request.messages[0]?.content === 'bad')
        throw new ThinkonError('MODEL_ERROR', 'no', { data: { status: 400 } })
      await io.part(async () => ({ value: 'first try', usage: { inputTokens: 10, outputTokens: 2 } }))
      return { text: 'good', usage: { inputTokens: 0, outputTokens: 0 } }
    },
  }
  const model = recordingModel(inner, file)
  await model.call(ask('good'), testIo())
  await expect(model.call(ask('bad'), testIo())).rejects.toThrow('no')
  const replay = await replayModel(file)
  const parts: unknown[] = []
  const io = testIo()
  io.part = async (run) => {
    const part = await run()
    parts.push(part)
    return part.value
  }
  expect((await replay.call(ask('good'), io)).text).toBe('good')
  expect(parts).toEqual([{ value: 'first try', usage: { inputTokens: 10, outputTokens: 2 } }])
  await expect(replay.call(ask('bad'), io)).rejects.toMatchObject({
    code: 'MODEL_ERROR',
    data: { status: 400 },
  })
})

it('does not record what was aborted', async () => {
  const controller = new AbortController()
  const model = recordingModel(new ScriptedModel([() => new Promise(() => {}), 'fine']), file)
  const call = model.call(ask('x'), testIo(controller.signal))
  controller.abort(new Error('stop'))
  await expect(call).rejects.toThrow('stop')
  await model.call(ask('y'), testIo())
  expect(readFileSync(file, 'utf8').trim().split('\n')).toHaveLength(1)
})

it('names the nearest known request and where it differs', async () => {
  const model = recordingModel(new ScriptedModel(['a', 'b']), file)
  await model.call(ask('The goal is to add two and three.'), testIo())
  await model.call(ask('Something else', { kind: 'test/other' }), testIo())
  const replay = await replayModel(file)
  await expect(replay.call(ask('The goal is to add two and four.'), testIo())).rejects.toThrow(
    'does not know this test/ask@1 (plan) request; the nearest is test/ask@1 (plan): message 1 (user) differs at ' +
      'character 28: "…l is to add two and four.", recorded "…l is to add two and three."',
  )
  const hotter = ask('The goal is to add two and three.', { settings: { temperature: 1 } })
  await expect(replay.call(hotter, testIo())).rejects.toThrow(
    'settings is {"temperature":1}, recorded as missing',
  )
  await expect(replay.call(ask('?', { kind: 'test/third' }), testIo())).rejects.toThrow(
    'no test/third was recorded',
  )
})

it('goes on after half a line that a crash left, and refuses a file that is something else', async () => {
  const model = recordingModel(new ScriptedModel(['a']), file)
  await model.call(ask('x'), testIo())
  appendFileSync(file, '{"v":1,"key":"ab')
  expect((await (await replayModel(file)).call(ask('x'), testIo())).text).toBe('a')
  await recordingModel(new ScriptedModel(['b']), file).call(ask('y'), testIo())
  expect((await (await replayModel(file)).call(ask('y'), testIo())).text).toBe('b')
  appendFileSync(file, 'not JSON\n{"v":2}\n')
  await expect(replayModel(file)).rejects.toThrow(`${file}:3 is not an exchange`)
  await expect(replayModel(`${file}.none`)).rejects.toMatchObject({ code: 'NO_MODEL' })
})

it('keeps whole lines when many calls end at once', async () => {
  const model = recordingModel(
    new ScriptedModel((request) => String(request.messages[0]?.content).repeat(1000)),
    file,
  )
  await Promise.all(Array.from({ length: 50 }, (_, i) => model.call(ask(`call ${i}`), testIo())))
  const replay = await replayModel(file)
  for (let i = 0; i < 50; i++) await replay.call(ask(`call ${i}`), testIo())
})

it('records no secret', async () => {
  registerSecret('very-secret-value')
  const model = recordingModel(new ScriptedModel([{ said: 'it is very-secret-value' }]), file)
  await model.call(ask('tell very-secret-value'), testIo())
  expect(readFileSync(file, 'utf8')).not.toContain('very-secret-value')
  await expect(
    (await replayModel(file)).call(ask('tell very-secret-value'), testIo()),
  ).resolves.toMatchObject({
    value: { said: 'it is [redacted]' },
  })
})

it('knows a request by what it says, not by how its text is cut or its keys are ordered', () => {
  const key = (request: ReturnType<typeof ask>) => keyOf(recordedRequest(request))
  const whole = ask('ab', { schema: { type: 'object', required: ['x'] } })
  const cut = ask('', {
    messages: [{ role: 'user', content: ['a', 'b'] }],
    schema: { required: ['x'], type: 'object' },
  })
  expect(key(cut)).toBe(key(whole))
  expect(key(ask('ab', { version: 2 }))).not.toBe(key(ask('ab')))
  expect(key(ask('ab', { role: 'act' }))).not.toBe(key(ask('ab')))
  expect(key(ask('ab', { input: { other: true } }))).toBe(key(ask('ab')))
})

it('tells requests apart by the tools that were called, and not by their ids', async () => {
  const conversation = (at: string, id: string) =>
    ask('', {
      messages: [
        { role: 'user', content: 'look' },
        { role: 'assistant', content: '', toolCalls: [{ id, name: 'look', input: { at } }] },
        { role: 'tool', content: 'nothing', answers: { id, name: 'look' } },
      ],
    })
  const model = recordingModel(new ScriptedModel(['here', 'there']), file)
  await model.call(conversation('here', 'c1'), testIo())
  await model.call(conversation('there', 'c2'), testIo())
  const replay = await replayModel(file)
  expect((await replay.call(conversation('there', 'x'), testIo())).text).toBe('there')
  expect((await replay.call(conversation('here', 'y'), testIo())).text).toBe('here')
  await expect(replay.call(conversation('everywhere', 'z'), testIo())).rejects.toThrow(
    /message 2 \(assistant\) differs .*"at":"everywhere"/,
  )
})

it('has the window of the model that was recorded, so that its requests carry the same', async () => {
  const own = new ScriptedModel(['fine'])
  await recordingModel(decorateModel(own, { window: 9_000 }), file).call(ask('x'), testIo())
  expect((await replayModel(file)).window).toBe(9_000)
  await recordingModel(new ScriptedModel(['fine']), file).call(ask('y'), testIo())
  expect((await replayModel(file)).window).toBeUndefined()
})
