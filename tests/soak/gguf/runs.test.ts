// Whole runs on a local model file of random weights: what it writes makes no sense, so every run must end in good order all the same.

import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createEngine } from '../../../src/engine.ts'
import { freshProject } from '../../package/packed.ts'
import { writeGguf } from './write-gguf.ts'

const llama = process.env.THINKON_LLAMA
const reason = llama ? '' : ' (skipped: npm run soak -- --only gguf runs these with the real llama.cpp)'

describe.skipIf(!llama)(`runs on a local model file${reason}`, () => {
  let folder: string
  let file: string

  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'thinkon-gguf-'))
    file = join(folder, 'tiny.gguf')
    writeGguf(file, { contextLength: 65_536 })
  })
  afterAll(() => rmSync(folder, { recursive: true }))

  const model = () => ({
    model: `gguf:${file}`,
    temperature: 1,
    seed: 1,
    maxOutputTokens: 256,
    gguf: { threads: 1, contextSize: 16_384, sequences: 2 },
  })

  for (const strategy of ['minimal', 'cot', 'tot', 'fractal', 'dual', 'planner', 'auto']) {
    it(`end in good order: ${strategy}`, async () => {
      const engine = createEngine({ model: model() })
      const run = await engine.start('How many sheep are left?', {
        strategy,
        budget: { calls: 12, timeMs: 300_000 },
      })
      const outcome = await run.outcome
      expect(['completed', 'partial', 'failed']).toContain(outcome.status)
      if (outcome.status !== 'completed') expect(outcome.reason ?? outcome.code).toBeTruthy()
      const { calls, inputTokens, outputTokens } = outcome.usage
      expect(calls).toBeGreaterThan(0)
      expect(calls).toBeLessThanOrEqual(12)
      expect(inputTokens).toBeGreaterThan(calls * 100)
      expect(outputTokens).toBeGreaterThan(0)
      const replay = await engine.replay(run.id)
      expect(replay.differences).toEqual([])
      await engine.close()
    })
  }

  it('are left when the engine is closed in the middle, and resumed by another', async () => {
    const store = join(folder, 'runs.db')
    const first = createEngine({ model: model(), store })
    const run = await first.start('How many sheep are left?', { strategy: 'cot', budget: { calls: 6 } })
    const left = run.outcome.catch((error: { code?: string }) => error.code)
    await expect
      .poll(async () => [...(await first.events(run.id))].some(({ type }) => type === 'model-start'))
      .toBe(true)
    await first.close()
    expect(await left).not.toBeUndefined()
    const second = createEngine({ model: model(), store })
    const outcome = await (await second.resume(run.id)).outcome
    expect(['completed', 'partial', 'failed']).toContain(outcome.status)
    await second.close()
  })

  it('end with their process, from the packed package, on the command line and in a program', () => {
    const project = freshProject()
    const modules = join(project.folder, 'node_modules')
    for (const name of ['node-llama-cpp', '@node-llama-cpp'])
      symlinkSync(join(dirname(llama as string), name), join(modules, name))
    cpSync(file, join(project.folder, 'tiny.gguf'))
    project.write({
      'thinkon.config.json': JSON.stringify({
        model: { ...model(), model: 'gguf:tiny.gguf' },
        budget: { calls: 4 },
      }),
      'program.js': `import { solve } from 'thinkon'
        const { status, usage } = await solve('Count the sheep.', { strategy: 'cot', model: ${JSON.stringify(model())}, budget: { calls: 4 } })
        console.log(JSON.stringify({ status, calls: usage.calls }))`,
    })
    const program = project.node(['program.js'])
    expect(program.stderr).toBe('')
    expect(JSON.parse(program.stdout)).toMatchObject({
      status: expect.any(String),
      calls: expect.any(Number),
    })
    const cli = project.node([
      join(project.installed, 'bin/thinkon.js'),
      'run',
      'Count the sheep.',
      '--strategy',
      'cot',
      '--json',
      '--trust',
    ])
    const lines = cli.stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line))
    expect(lines.length).toBeGreaterThan(3)
    expect(cli.status).not.toBeNull()
    expect(cli.stderr).toMatch(/^trusted from now on.*\n$/)
    project.remove()
  })

  it('use what node-llama-cpp declares', () => {
    const api = readFileSync(join(import.meta.dirname, '../../../src/models/gguf/llama-api.ts'), 'utf8')
    const project = freshProject({
      files: {
        'llama-api.ts': api,
        // What is only handed on is less in our declarations than in theirs: here it is theirs.
        'check.ts': `import * as llama from 'node-llama-cpp'
          import type { ChatItem, LlamaChat, NodeLlamaCpp } from './llama-api.ts'
          export const api: Omit<NodeLlamaCpp, 'LlamaChat'> = llama
          type Options = Omit<Parameters<LlamaChat['generateResponse']>[1], 'grammar'> & { grammar?: llama.LlamaGrammar }
          export async function generate(
            contextSequence: llama.LlamaContextSequence, chatWrapper: llama.ChatWrapper, history: ChatItem[], options: Options,
          ): ReturnType<LlamaChat['generateResponse']> {
            return new llama.LlamaChat({ contextSequence, chatWrapper }).generateResponse(history, options)
          }`,
        'tsconfig.json': JSON.stringify({
          compilerOptions: {
            module: 'nodenext',
            target: 'es2023',
            strict: true,
            noEmit: true,
            skipLibCheck: true,
            allowImportingTsExtensions: true,
            types: ['node'],
          },
          include: ['*.ts'],
        }),
      },
    })
    symlinkSync(llama as string, join(project.folder, 'node_modules/node-llama-cpp'))
    expect(project.tsc()).toBe('')
    project.remove()
  })
})
