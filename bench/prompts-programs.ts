/**
 * Programs that reply like language models to the requests of each strategy: at length, with native tool calls. They go by a
 * request's kind and input and by how often a block has asked, never by the wording of a prompt.
 */

import { countTokens } from '../src/kernel/brief/count-tokens.ts'
import type { Model, ModelIo } from '../src/kernel/model.ts'
import { askStructured } from '../src/models/structured/ask-structured.ts'
import { countRequestTokens } from '../src/models/tokens.ts'
import type { ModelReply, ModelRequest, ToolCall } from '../src/protocol/index.ts'
import { prose, type Texts } from './prompts-texts.ts'

/** How long the runs are. */
export interface Sizes {
  /** Characters of a goal; sub-goals and plans have a third. */
  readonly goal: number
  /** Characters of a tool's result, most of the time; some have three times as many. */
  readonly result: number
  readonly subGoals: number
  /** Of the dual engine's first task. */
  readonly iterations: number
  readonly thoughts: number
  readonly steps: number
  readonly hypotheses: number
  readonly depth: number
}

export const REALISTIC: Sizes = {
  goal: 3_000,
  result: 3_300,
  subGoals: 8,
  iterations: 26,
  thoughts: 26,
  steps: 5,
  hypotheses: 3,
  depth: 3,
}

/** A reply: what the model writes, an object as JSON, or native tool calls. */
export type Said = string | object | Calling

/** Reads these files natively, with a few words. */
export class Calling {
  readonly text: string
  readonly files: readonly number[]

  constructor(text: string, files: readonly number[]) {
    this.text = text
    this.files = files
  }
}

export interface Asked {
  readonly request: ModelRequest
  readonly input: Readonly<Record<string, unknown>>
  readonly io: ModelIo
  /** How often this block has asked for this kind, this time included. */
  readonly times: number
  readonly texts: Texts
  readonly sizes: Sizes
}

export type Program = (asked: Asked) => Said

/** The programs as a model. */
export function programModel(programs: Readonly<Record<string, Program>>, texts: Texts, sizes: Sizes): Model {
  const times = new Map<string, number>()
  return sayingModel((request, io) => {
    const key = `${request.kind} ${io.path}`
    times.set(key, (times.get(key) ?? 0) + 1)
    const input = (request.input ?? {}) as Record<string, unknown>
    const program = programs[request.kind] ?? leastSaid
    return program({ request, input, io, times: times.get(key) ?? 1, texts, sizes })
  })
}

/** A model that says what `say` returns, once for each time that it is asked; structured replies are read as those of any model. */
export function sayingModel(say: (request: ModelRequest, io: ModelIo) => Said): Model {
  let calls = 0
  const ask = async (request: ModelRequest, io: ModelIo): Promise<ModelReply> => {
    const said = say(request, io)
    const isCalling = said instanceof Calling
    const text = isCalling ? said.text : typeof said === 'string' ? said : JSON.stringify(said)
    const toolCalls = isCalling ? said.files.map((file) => readCall(file, ++calls)) : undefined
    const written = toolCalls === undefined ? text : text + JSON.stringify(toolCalls)
    const usage = { inputTokens: countRequestTokens(request), outputTokens: countTokens(written) }
    return { text, usage, ...(toolCalls && { toolCalls }) }
  }
  const one: Model = { id: 'programs', call: ask }
  return {
    ...one,
    call: (request, io) =>
      request.schema === undefined ? ask(request, io) : askStructured(one, request, io),
  }
}

function readCall(file: number, call: number): ToolCall {
  return { id: `call_${call}`, name: READ, input: readInput(file) }
}

/** What the tool is called with to read a report. */
export function readInput(file: number) {
  return { path: `reports/part-${file}.md`, encoding: 'utf-8' }
}

export const READ = 'read_report'

/** A request that no program knows gets the least that its schema allows. */
export function leastSaid({ request: { kind, schema } }: Pick<Asked, 'request'>): Said {
  return schema === undefined ? prose(kind, 200) : (leastOf(schema) as object)
}

function leastOf(schema: JsonSchema): unknown {
  const { type, properties = {}, required = [], anyOf, enum: choices, minimum = 1 } = schema
  if (schema.const !== undefined) return schema.const
  if (choices !== undefined) return choices[0]
  if (anyOf !== undefined) return leastOf(anyOf[0] ?? {})
  if (type === 'boolean') return true
  if (type === 'array') return []
  if (type === 'number' || type === 'integer') return minimum
  if (type === 'string') return 'as it should be'
  return Object.fromEntries(required.map((name) => [name, leastOf(properties[name] ?? {})]))
}

interface JsonSchema {
  readonly type?: string
  readonly const?: unknown
  readonly enum?: readonly unknown[]
  readonly minimum?: number
  readonly properties?: Readonly<Record<string, JsonSchema>>
  readonly required?: readonly string[]
  readonly anyOf?: readonly JsonSchema[]
}
