// How tools are typed by their schemas, and what may be given as tools. Compiled in a project that has installed the tarball, and
// here; never run.
import { toStandardJsonSchema as forModels } from '@valibot/to-json-schema'
import { tool as aiTool, dynamicTool, jsonSchema, type ToolSet } from 'ai'
import { type } from 'arktype'
import {
  builtinTools,
  createEngine,
  type EngineOptions,
  fromAiSdk,
  type InferInput,
  type InferOutput,
  type ToolIo,
  tool,
  type UserTool,
} from 'thinkon'
import { type McpServers, mcpTools } from 'thinkon/mcp'
import { faultyTool } from 'thinkon/testing'
import * as v from 'valibot'
import { expectTypeOf } from 'vitest'
import { z } from 'zod'

const stock = { name: 'stock', description: 'How much is left.', access: 'read' } as const
type Stock = UserTool<{ item: string }, { left: number }>

// Typed by schemas of any library: `run` gets what `input` returns, and returns what `output` takes.

const byZod = tool({
  ...stock,
  input: z.object({ item: z.string() }),
  output: z.object({ left: z.number() }),
  run: ({ item }) => ({ left: item.length }),
})
expectTypeOf(byZod).toEqualTypeOf<Stock>()

const byValibot = tool({
  ...stock,
  input: forModels(v.object({ item: v.string() })),
  output: forModels(v.object({ left: v.number() })),
  run: async ({ item }) => ({ left: item.length }),
})
expectTypeOf(byValibot).toEqualTypeOf<Stock>()

const byArktype = tool({
  ...stock,
  input: type({ item: 'string' }),
  output: type({ left: 'number' }),
  run: async ({ item }, { signal }) => ({ left: signal.aborted ? 0 : item.length }),
})
expectTypeOf(byArktype).toEqualTypeOf<Stock>()

const byLiteral = tool({
  ...stock,
  input: { type: 'object', properties: { item: { type: 'string' } }, required: ['item'] },
  output: { type: 'object', properties: { left: { type: 'number' } }, required: ['left'] },
  run: async ({ item }) => ({ left: item.length }),
})
expectTypeOf(byLiteral).toEqualTypeOf<Stock>()

const byOurs = tool({
  ...stock,
  input: { json: { type: 'object' }, check: (value: unknown) => value as { item: string } },
  run: ({ item }) => item.length,
})
expectTypeOf(byOurs.run).parameters.toEqualTypeOf<[{ item: string }, ToolIo]>()

const bySdk = tool({
  ...stock,
  input: jsonSchema<{ item: string }>({ type: 'object' }),
  run: ({ item }) => item.length,
})
expectTypeOf(bySdk.run).parameter(0).toEqualTypeOf<{ item: string }>()

const withoutInput = tool({ ...stock, run: (input) => Object.keys(input).length })
expectTypeOf(withoutInput.run).parameter(0).toEqualTypeOf<Readonly<Record<string, never>>>()

const made = z.object({ at: z.string().transform(Number), note: z.string().default('') })
expectTypeOf<InferInput<typeof made>>().toEqualTypeOf<{ at: string; note?: string | undefined }>()
expectTypeOf<InferOutput<typeof made>>().toEqualTypeOf<{ at: number; note: string }>()
tool({
  ...stock,
  input: made,
  output: made,
  run: (input) => {
    expectTypeOf(input).toEqualTypeOf<{ at: number; note: string }>()
    return { at: String(input.at) }
  },
})

tool({
  ...stock,
  input: {
    type: 'object',
    properties: {
      unit: { enum: ['g', 'kg'] },
      amount: { type: ['number', 'null'] },
      tags: { type: 'array', items: { type: 'string' } },
      size: { anyOf: [{ type: 'string' }, { type: 'integer' }] },
      more: { type: 'object', additionalProperties: { type: 'boolean' } },
      other: { $ref: '#/$defs/other' },
      kind: { enum: ['a'], nullable: true },
      either: { oneOf: [{ const: 1 }, { type: 'null' }] },
      pair: { type: 'array', prefixItems: [{ type: 'string' }], items: { type: 'number' } },
      open: { type: 'object', patternProperties: { '^x': {} }, additionalProperties: { type: 'string' } },
      narrowed: { type: 'object', properties: { a: { type: 'string' } }, anyOf: [{ required: ['a'] }, {}] },
    },
    required: ['unit', 'amount'],
  },
  run: (input) =>
    expectTypeOf(input).toEqualTypeOf<{
      unit: 'g' | 'kg'
      amount: number | null
      tags?: string[]
      size?: string | number
      more?: Record<string, boolean>
      other?: unknown
      kind?: 'a' | null
      either?: 1 | null
      pair?: unknown[]
      open?: Record<string, unknown>
      narrowed?: { a?: string }
    }>(),
})
const loaded: Record<string, unknown> = JSON.parse('{}')
tool({ ...stock, input: loaded, run: (input) => expectTypeOf(input).toEqualTypeOf<unknown>() })

class Counter implements UserTool {
  readonly name = 'counter'
  readonly description = 'counts'
  readonly access = 'read'
  #count = 0
  async run() {
    this.#count++
    return this.#count
  }
}

// Faults don't change what it is.
expectTypeOf(faultyTool(byZod, { 1: { fault: 'crash' } })).toEqualTypeOf<Stock>()

// What does not match does not compile, and the error is at its place.

const input = z.object({ item: z.string() })
// @ts-expect-error the schema has no such field
tool({ ...stock, input, run: ({ itm }) => itm })
tool({
  ...stock,
  input: type({ item: 'string' }),
  // @ts-expect-error it is a string
  run: ({ item }: { item: number }) => item,
})
tool({
  ...stock,
  input,
  // @ts-expect-error the schema does not promise the other field
  run: ({ item, other }: { item: string; other: string }) => item + other,
})
tool({
  ...stock,
  output: forModels(v.object({ left: v.number() })),
  // @ts-expect-error `left` is a number
  run: async () => ({ left: 'x' }),
})
tool({
  ...stock,
  output: { type: 'object', properties: { left: { type: 'number' } }, required: ['left'] },
  // @ts-expect-error `left` is missing
  run: () => ({}),
})
tool({
  ...stock,
  // @ts-expect-error there is no such class
  access: 'reed',
  run: () => 1,
})
// @ts-expect-error what it does to the world is missing
tool({ name: 'stock', description: '', run: () => 1 })
tool({
  ...stock,
  // @ts-expect-error misspelled
  imput: input,
  run: () => 1,
})
tool({
  ...stock,
  // @ts-expect-error a record of schemas is no schema
  input: { item: z.string() },
  run: () => 1,
})
// @ts-expect-error it is called with what its schema returns
byZod.run({ item: 7 }, {} as ToolIo)

// Sources: one, or a list, without casts.

const sdkTools = {
  zod: aiTool({ inputSchema: z.object({ item: z.string() }), execute: async ({ item }) => item.length }),
  ark: aiTool({ inputSchema: type({ item: 'string' }), execute: async ({ item }) => item.length }),
  json: aiTool({ inputSchema: jsonSchema<{ item: string }>({}), execute: ({ item }) => item.length }),
  stream: aiTool({
    inputSchema: z.object({}),
    async *execute() {
      yield 1
    },
  }),
  context: aiTool({
    inputSchema: z.object({}),
    contextSchema: z.object({ key: z.string() }),
    execute: (_, { context }) => context.key,
  }),
  shown: aiTool({
    inputSchema: z.object({}),
    outputSchema: z.number(),
    execute: () => 1,
    toModelOutput: ({ output }) => ({ type: 'text', value: String(output) }),
  }),
  dynamic: dynamicTool({ inputSchema: jsonSchema({}), execute: async (input) => input }),
}
const servers: McpServers = { files: { command: 'npx', args: ['server'] }, web: 'https://host/mcp' }

createEngine({ tools: byZod })
createEngine({ tools: sdkTools })
createEngine({ tools: builtinTools({ only: ['calculate'], mcp: servers }) })
createEngine({ tools: [byZod, byLiteral, withoutInput, new Counter(), sdkTools, mcpTools(servers)] })
createEngine({ tools: async () => ({ tools: [byOurs, sdkTools], close: async () => {} }) })
createEngine({ tools: [fromAiSdk(sdkTools, { access: { zod: 'read' }, context: { context: { key: '' } } })] })
expectTypeOf<ToolSet>().toExtend<EngineOptions['tools']>()

// @ts-expect-error there is no such tool
fromAiSdk(sdkTools, { access: { zdo: 'read' } })
// @ts-expect-error there is no such class
fromAiSdk(sdkTools, { access: 'reed' })
// @ts-expect-error an AI SDK tool has no name of its own
createEngine({ tools: [sdkTools.zod] })
// @ts-expect-error tools of ours have names: they come in a list
createEngine({ tools: { byZod } })
