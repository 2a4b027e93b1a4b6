/**
 * A strategy as a language model of the AI SDK: each call is an exchange with a run. A call with the results of the caller's tools goes on
 * with the run that waits for them; any other starts one.
 */
import type {
  LanguageModelV4,
  LanguageModelV4CallOptions,
  LanguageModelV4StreamPart,
  SharedV4Warning,
} from '@ai-sdk/provider'
import { defined, ThinkonError } from '../../protocol/index.ts'
import type { Strategies } from '../../strategies/registry.ts'
import { viewsOf } from '../../strategies/registry.ts'
import { readable, streamOf } from '../../streams/readable.ts'
import type { Engine, Run, StartOptions } from '../api.ts'
import { readConversation } from '../dialogue/conversation.ts'
import { exchangeParts } from '../dialogue/exchange-parts.ts'
import { giveResults } from '../dialogue/give-results.ts'
import type { CallerTool } from '../tools/caller-tools.ts'
import { contentOf, createModelParts } from './model-parts.ts'
import { readPrompt } from './read-prompt.ts'

export interface LanguageModelParts {
  readonly strategy: string
  readonly engine: Engine
  readonly strategies: Strategies
  /** What each run is started with. */
  readonly start: StartOptions
  readonly toolTimeoutMs: number
}

export function languageModel(parts: LanguageModelParts): LanguageModelV4 {
  const modelId = parts.strategy

  const streamed = (options: LanguageModelV4CallOptions, gone: AbortSignal) =>
    exchange(parts, options, options.abortSignal ? AbortSignal.any([gone, options.abortSignal]) : gone)

  return {
    specificationVersion: 'v4',
    provider: 'thinkon',
    modelId,
    supportedUrls: {},
    async doGenerate(options) {
      const given: LanguageModelV4StreamPart[] = []
      for await (const part of streamed(options, NEVER)) given.push(part)
      const finish = given.findLast((part) => part.type === 'finish')
      if (finish === undefined) throw new ThinkonError('INTERNAL', 'an exchange has ended without saying how')
      const { finishReason, usage, providerMetadata } = finish
      const start = given.find((part) => part.type === 'response-metadata')
      return {
        content: contentOf(given),
        finishReason,
        usage,
        ...(providerMetadata !== undefined && { providerMetadata }),
        ...(start !== undefined && {
          response: defined({ id: start.id, modelId, timestamp: start.timestamp }),
        }),
        warnings: warningsOf(options),
      }
    },
    async doStream(options) {
      const parts = readable((gone) => streamed(options, gone))
      return { stream: streamOf(withErrors(parts, options)) }
    },
  }
}

const NEVER = new AbortController().signal

/** What goes wrong is a part of the stream, except that the caller has aborted it. */
async function* withErrors(
  parts: AsyncIterable<LanguageModelV4StreamPart>,
  { abortSignal }: LanguageModelV4CallOptions,
): AsyncGenerator<LanguageModelV4StreamPart> {
  try {
    yield* parts
  } catch (error) {
    abortSignal?.throwIfAborted()
    yield { type: 'error', error }
  }
}

async function* exchange(
  model: LanguageModelParts,
  options: LanguageModelV4CallOptions,
  signal: AbortSignal,
): AsyncGenerator<LanguageModelV4StreamPart> {
  signal.throwIfAborted()
  const { run, start } = await begun(model, options)
  const parts = createModelParts(run.id, options.responseFormat?.type === 'json')
  const streamed = { ...run, views: () => viewsOf(model.strategies) }
  let isOver = false
  try {
    yield { type: 'stream-start', warnings: warningsOf(options) }
    yield { type: 'response-metadata', id: run.id, modelId: model.strategy, timestamp: new Date() }
    for await (const part of exchangeParts(streamed, start, signal)) {
      isOver = part.type === 'calls' || part.type === 'ended'
      yield* parts.follow(part)
    }
  } finally {
    // Nobody waits for it any more.
    if (!isOver && signal.aborted) await run.cancel('its caller has gone')
  }
}

async function begun(
  { engine, strategy, start, toolTimeoutMs }: LanguageModelParts,
  options: LanguageModelV4CallOptions,
): Promise<{ run: Run; start: number | ReadonlySet<number> }> {
  const asked = readConversation(readPrompt(options.prompt))
  if (asked.kind === 'results') {
    const answered = await giveResults(engine, asked)
    return { run: await engine.resume(asked.run), start: answered }
  }
  const { responseFormat, seed } = options
  const output = responseFormat?.type === 'json' ? (responseFormat.schema ?? ANY_OBJECT) : undefined
  const given = {
    ...start,
    ...(options.providerOptions?.thinkon as StartOptions | undefined),
    strategy,
    callerTools: callerTools(options, toolTimeoutMs),
    ...defined({ output, seed: seed === undefined ? undefined : String(seed) }),
  } as unknown as StartOptions
  return { run: (await engine.start(asked.goal, given)) as Run, start: 1 }
}

const ANY_OBJECT = { type: 'object' }

function callerTools(
  { tools = [], toolChoice }: LanguageModelV4CallOptions,
  timeoutMs: number,
): CallerTool[] {
  if (toolChoice?.type === 'none') return []
  return tools.flatMap((tool): CallerTool[] => {
    if (tool.type !== 'function') return []
    const { name, description = name, inputSchema } = tool
    return [{ name, description, input: inputSchema as CallerTool['input'] & object, timeoutMs }]
  })
}

/** A strategy makes many calls, each with settings of its own. */
const OF_ONE_CALL = [
  'maxOutputTokens',
  'temperature',
  'topP',
  'topK',
  'presencePenalty',
  'frequencyPenalty',
  'stopSequences',
] as const

function warningsOf(options: LanguageModelV4CallOptions): SharedV4Warning[] {
  const unused = OF_ONE_CALL.filter((name) => options[name] !== undefined)
  const choice = options.toolChoice?.type
  const provider = (options.tools ?? []).flatMap((tool) => (tool.type === 'function' ? [] : tool.name))
  return [
    ...unused.map((feature) =>
      unsupported(feature, 'a run makes many calls; set it with the model that is given to thinkon()'),
    ),
    ...(choice === 'required' || choice === 'tool'
      ? [unsupported('toolChoice', 'the strategy decides whether a tool is called')]
      : []),
    ...provider.map((name) => unsupported(`tool ${name}`, "tools of a provider can't be called")),
  ]
}

function unsupported(feature: string, details: string): SharedV4Warning {
  return { type: 'unsupported', feature, details }
}
