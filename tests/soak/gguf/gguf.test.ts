// Local model files with the real llama.cpp. `npm run soak -- --only gguf` installs node-llama-cpp and runs these; without it, as in
// the gate, they are skipped.

import { copyFileSync, mkdirSync, mkdtempSync, rmSync, truncateSync, writeFileSync } from 'node:fs'
import { freemem, tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import type { GgufSettings } from '../../../src/kernel/gguf-settings.ts'
import { type GgufModel, ggufModel } from '../../../src/models/gguf/gguf-model.ts'
import type { ModelRequest } from '../../../src/protocol/index.ts'
import { checkSchema } from '../../../src/schema/check-schema.ts'
import { moveSchema } from '../../../src/strategies/minimal/schema.ts'
import { ask, testIo } from '../../models/model-io.ts'
import { writeGguf } from './write-gguf.ts'

const without = !process.env.THINKON_LLAMA
const reason = without ? ' (skipped: npm run soak -- --only gguf runs these with the real llama.cpp)' : ''

describe.skipIf(without)(`a local model file${reason}`, () => {
  let folder: string
  let file: string
  let large: string
  const open: GgufModel[] = []

  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'thinkon-gguf-'))
    file = join(folder, 'tiny.gguf')
    writeGguf(file, { contextLength: 4096 })
    large = join(folder, 'large.gguf')
    writeGguf(large, { contextLength: 100_000_000 })
  })
  afterEach(async () => {
    for (const model of open.splice(0)) await model.close()
  })
  afterAll(() => rmSync(folder, { recursive: true }))

  async function opened(settings: GgufSettings = {}, path = file): Promise<GgufModel> {
    // Threads of a tiny model spend their time waiting for each other.
    const model = await ggufModel(path, { settings: { threads: 1, ...settings } })
    open.push(model)
    return model
  }

  it('completes a prompt, streams the text, and counts its tokens', async () => {
    const model = await opened({ contextSize: 512 })
    expect(model).toMatchObject({ id: `gguf:${file}`, window: 512 })
    const io = testIo()
    const reply = await model.call(ask('hello', { settings: { maxOutputTokens: 40 } }), io)
    expect(reply.text).toHaveLength(40)
    expect(io.deltas.length).toBeGreaterThan(10)
    expect(io.deltas.join('')).toBe(reply.text)
    // A token is a byte; the template of Llama 2 adds what it has before and after.
    expect(reply.usage.inputTokens).toBeGreaterThan('hello'.length)
    expect(reply).toMatchObject({ cutOff: true, usage: { outputTokens: 40, costUsd: 0 } })
    const longer = await model.call(ask('hellothere', { settings: { maxOutputTokens: 40 } }), io)
    expect(longer.usage.inputTokens - reply.usage.inputTokens).toBe('there'.length)
  })

  it('gives the same reply to the same request and seed, whatever was asked before', async () => {
    const model = await opened({ contextSize: 512 })
    const say = (text: string, seed: number) =>
      model.call(ask(text, { settings: { maxOutputTokens: 30, temperature: 1, seed } }), testIo())
    const first = await say('hello', 1)
    const other = await say('hello', 2)
    await say('something else', 1)
    expect((await say('hello', 1)).text).toBe(first.text)
    expect(other.text).not.toBe(first.text)
  })

  it('stops in the middle of a reply, and answers the next request', async () => {
    const model = await opened()
    const stop = new AbortController()
    const io = testIo(stop.signal)
    const reply = model.call(ask('hello'), {
      ...io,
      onDelta: (text) => io.deltas.push(text) === 20 && stop.abort(new Error('enough')),
    })
    await expect(reply).rejects.toThrow('enough')
    expect(io.deltas.length).toBeLessThan(25)
    expect(
      (await model.call(ask('hello', { settings: { maxOutputTokens: 5 } }), testIo())).text,
    ).toHaveLength(5)
    await expect(model.call(ask('hello'), testIo(AbortSignal.abort(new Error('before'))))).rejects.toThrow(
      'before',
    )
  })

  it('stops at once also while a long prompt is being read', async () => {
    const model = await opened({ contextSize: 8192 }, large)
    const stop = new AbortController()
    let rejected: unknown
    const reply = model.call(ask('word '.repeat(1000)), testIo(stop.signal)).catch((error: unknown) => {
      rejected = error
    })
    await turns(20)
    expect(rejected).toBeUndefined()
    stop.abort(new Error('enough'))
    // llama.cpp reads the prompt to its end, for seconds: the caller does not wait for it.
    await turns(3)
    expect(rejected).toMatchObject({ message: 'enough' })
    await reply
    expect(
      (await model.call(ask('hello', { settings: { maxOutputTokens: 5 } }), testIo())).text,
    ).toHaveLength(5)
  })

  const held: Record<string, ModelRequest['schema']> = {
    'a closed object': {
      type: 'object',
      properties: { name: { type: 'string', maxLength: 8 }, isOld: { type: 'boolean' } },
      required: ['name', 'isOld'],
      additionalProperties: false,
    },
    'alternatives, null and fields that may be left out': {
      type: 'object',
      properties: {
        kind: {
          anyOf: [
            { const: 'a' },
            {
              type: 'object',
              properties: { b: { type: 'boolean' } },
              required: ['b'],
              additionalProperties: false,
            },
          ],
        },
        note: { type: ['string', 'null'], maxLength: 6 },
        more: { type: 'boolean' },
      },
      required: ['kind'],
      additionalProperties: false,
    },
    'a schema that holds itself': {
      $ref: '#/$defs/tree',
      $defs: {
        tree: {
          type: 'object',
          properties: {
            leaf: { type: 'boolean' },
            next: { anyOf: [{ type: 'null' }, { $ref: '#/$defs/tree' }] },
          },
          required: ['leaf', 'next'],
          additionalProperties: false,
        },
      },
    },
    'bounded lists': {
      type: 'array',
      items: { enum: ['red', 'green', null, 3] },
      minItems: 2,
      maxItems: 3,
    },
    'lengths that are too long for a grammar': {
      type: 'object',
      properties: { text: { type: 'string', maxLength: 100_000 } },
      required: ['text'],
      additionalProperties: false,
    },
    'the moves of the minimal strategy': moveSchema.json,
  }
  for (const [name, schema = {}] of Object.entries(held)) {
    it(`holds a reply to its schema: ${name}`, async () => {
      const model = await opened()
      for (const seed of [1, 2, 3, 4]) {
        const settings = { temperature: 1, seed, maxOutputTokens: 600 }
        const reply = await model.call(ask('hello', { schema, settings }), testIo())
        expect(checkSchema(reply.value, schema), reply.text).toEqual([])
        expect(reply.repairs ?? []).toEqual([])
      }
    })
  }

  it('leaves what a grammar can not hold to the check, which asks again', async () => {
    const model = await opened()
    const name = { type: 'string', pattern: '^[äöü]+$', maxLength: 4 }
    const schema = { type: 'object', properties: { name }, required: ['name'], additionalProperties: false }
    const io = testIo()
    const asked = model.call(ask('hello', { schema, settings: { temperature: 1, seed: 1 } }), io)
    await expect(asked).rejects.toMatchObject({ code: 'INVALID_FORMAT', data: { asks: 3 } })
    expect(io.deltas.join('').match(/"name"/g)).toHaveLength(3)
  })

  it('lets a model that is told of tools in words call one in place of the value', async () => {
    const model = await opened()
    const schema = {
      type: 'object',
      properties: { done: { const: true } },
      required: ['done'],
      additionalProperties: false,
    }
    const tools = [{ name: 'look', description: 'Looks.', schema: { type: 'object' } }]
    const calls = new Set<string>()
    for (let seed = 1; seed <= 8; seed++) {
      const settings = { temperature: 1, seed, maxOutputTokens: 600 }
      const request = ask('hello', { schema, tools, toolRule: 'To call: {"name":"…","input":{…}}', settings })
      const reply = await model.call(request, testIo()).catch((error: { code: string }) => error)
      calls.add('code' in reply ? reply.code : (reply.toolCalls?.[0]?.name ?? JSON.stringify(reply.value)))
    }
    expect([...calls]).toEqual(expect.arrayContaining(['look', '{"done":true}']))
  })

  it('runs as many calls at a time as there are sequences, and the others after them', async () => {
    const model = await opened({ sequences: 2, contextSize: 512 })
    const order: string[] = []
    const say = (name: string, signal?: AbortSignal) =>
      model.call(ask(name, { settings: { maxOutputTokens: 30 } }), {
        ...testIo(signal),
        onDelta: () => order.push(name),
      })
    const waiting = new AbortController()
    const replies = [
      say('a'),
      say('b'),
      say('c'),
      expect(say('d', waiting.signal)).rejects.toThrow('not any more'),
    ]
    waiting.abort(new Error('not any more'))
    await Promise.all(replies)
    const first = (name: string) => order.indexOf(name)
    const last = (name: string) => order.lastIndexOf(name)
    expect(first('b')).toBeLessThan(last('a'))
    expect(first('a')).toBeLessThan(last('b'))
    expect(first('c')).toBeGreaterThan(Math.min(last('a'), last('b')))
    expect(order).not.toContain('d')
  })

  it('refuses a request that is longer than the context, and ends a reply where the context ends', async () => {
    const model = await opened({ contextSize: 256 })
    const error = await model.call(ask('x'.repeat(400)), testIo()).catch((thrown: unknown) => thrown)
    expect(error).toMatchObject({ code: 'CONTEXT_OVERFLOW', data: { window: 256 } })
    expect(String(error)).toContain('gguf.contextSize')
    const reply = await model.call(ask('x'.repeat(150), { settings: { maxOutputTokens: 1000 } }), testIo())
    const { inputTokens, outputTokens } = reply.usage
    expect(reply).toMatchObject({ cutOff: true, cutAt: outputTokens })
    expect(inputTokens + outputTokens).toBeGreaterThan(250)
    expect(inputTokens + outputTokens).toBeLessThanOrEqual(256)
  })

  it('says what is wrong with a file', async () => {
    const path = (name: string) => join(folder, name)
    copyFileSync(file, path('cut.gguf'))
    truncateSync(path('cut.gguf'), 300_000)
    copyFileSync(file, path('head.gguf'))
    truncateSync(path('head.gguf'), 1000)
    writeFileSync(path('text.gguf'), 'a text')
    writeFileSync(path('empty.gguf'), '')
    mkdirSync(path('folder.gguf'))
    const problems = {
      'none.gguf': 'there is no such file',
      'folder.gguf': 'it is a folder',
      'text.gguf': 'it is not a GGUF file',
      'empty.gguf': 'it is not a GGUF file',
      'cut.gguf': 'data is not within the file bounds, model is corrupted or incomplete',
      'head.gguf': 'failed to read',
    }
    for (const [name, problem] of Object.entries(problems)) {
      const error = await opened({}, path(name)).catch((thrown: unknown) => thrown)
      expect(error).toMatchObject({ code: 'NO_MODEL', data: { model: `gguf:${path(name)}` } })
      expect(String(error)).toContain(problem)
    }
    await opened()
  })

  it('says what is wrong with a setting', async () => {
    await expect(opened({ contextSize: 1_000_000 })).rejects.toMatchObject({ code: 'BAD_INPUT' })
    await expect(opened({ contextSize: 1_000_000 })).rejects.toThrow('trained with 4096 tokens')
    await expect(opened({ chatTemplate: 'chatml' })).rejects.toThrow('did you mean "chatML"?')
    await expect(opened({ chatTemplate: 'nothing like it' })).rejects.toThrow(/there are .*chatML.* Jinja/)
    await expect(opened({ chatTemplate: '{% for x in %}' })).rejects.toThrow(
      "the Jinja template can't be used",
    )
    await opened()
  })

  it.skipIf(freemem() > 40e9)('says so if a context is too large for the memory', async () => {
    await expect(opened({ contextSize: 100_000_000 }, large)).rejects.toThrow(/too large for the available/)
  })

  it('puts a conversation into the template that is given, by name or as text', async () => {
    const { usage: own } = await (await opened()).call(
      ask('hello', { settings: { maxOutputTokens: 1 } }),
      testIo(),
    )
    const template =
      "{% for m in messages %}{{ '[' + m.role + ']' + m.content }}{% endfor %}{% if add_generation_prompt %}[assistant]{% endif %}"
    const given = await opened({ chatTemplate: template })
    const { usage } = await given.call(ask('hello', { settings: { maxOutputTokens: 1 } }), testIo())
    expect(usage.inputTokens).toBeLessThanOrEqual('<s>▁▁▁[user]hello[assistant]'.length)
    expect(usage.inputTokens).not.toBe(own.inputTokens)
    const chatML = await opened({ chatTemplate: 'chatML' })
    const { usage: named } = await chatML.call(ask('hello', { settings: { maxOutputTokens: 1 } }), testIo())
    expect(named.inputTokens).toBeGreaterThan(
      '<|im_start|>user\nhello<|im_end|>\n<|im_start|>assistant'.length,
    )
  })

  it('takes a whole conversation, and any order of roles', async () => {
    const model = await opened()
    const role = (name: 'system' | 'user' | 'assistant' | 'tool') => ({ role: name, content: `by ${name}` })
    for (const roles of [
      'system user assistant user',
      'system',
      'assistant',
      'user user system user',
      'user assistant',
      'user assistant tool',
    ]) {
      const messages = roles.split(' ').map((name) => role(name as 'user'))
      const reply = await model.call(ask('', { messages, settings: { maxOutputTokens: 5 } }), testIo())
      expect(reply.usage.inputTokens).toBeGreaterThan(messages.length * 5)
    }
  })

  it('stops its calls when it is closed, and is closed for one of two who share it', async () => {
    const [mine, yours] = [await opened(), await opened()]
    const calls = [mine.call(ask('hello'), testIo()), mine.call(ask('hello'), testIo())]
    const stopped = calls.map((call) => expect(call).rejects.toThrow('was closed'))
    await mine.close()
    await mine.close()
    await Promise.all(stopped)
    await expect(mine.call(ask('hello'), testIo())).rejects.toThrow('was closed')
    expect(
      (await yours.call(ask('hello', { settings: { maxOutputTokens: 5 } }), testIo())).text,
    ).toHaveLength(5)
    await yours.close()
    await opened()
  })

  // Last: of several libraries in a process, only the one that was loaded last gets llama.cpp's log.
  it('computes where it is told to', async () => {
    const model = await opened({ gpu: false, gpuLayers: 'max' })
    expect(
      (await model.call(ask('hello', { settings: { maxOutputTokens: 5 } }), testIo())).text,
    ).toHaveLength(5)
    const other = process.platform === 'darwin' ? 'cuda' : 'metal'
    const error = await opened({ gpu: other }).catch((thrown: unknown) => thrown)
    expect(error).toMatchObject({ code: 'NO_MODEL' })
    expect(String(error)).toContain('leave gguf.gpu out')
  })
})

async function turns(count: number): Promise<void> {
  for (let n = 0; n < count; n++) await new Promise((resolve) => setImmediate(resolve))
}
