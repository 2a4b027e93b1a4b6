/** An exchange with a run as what a language model of the AI SDK gives: parts of a stream, or the content of a reply. */
import type {
  JSONObject,
  JSONValue,
  LanguageModelV4Content,
  LanguageModelV4FinishReason,
  LanguageModelV4StreamPart,
  LanguageModelV4ToolCall,
  LanguageModelV4ToolResult,
  LanguageModelV4Usage,
  SharedV4ProviderMetadata,
} from '@ai-sdk/provider'
import { defined, type Outcome, ThinkonError, type Usage } from '../../protocol/index.ts'
import type { ExchangePart } from '../../views/exchange.ts'
import { callId } from '../dialogue/call-id.ts'

export interface ModelParts {
  /** Throws if the run has failed or was cancelled. */
  follow(part: ExchangePart): LanguageModelV4StreamPart[]
}

/** `hasValue`: the answer is a value, whose JSON is given at the end; other text is not. */
export function createModelParts(run: string, hasValue: boolean): ModelParts {
  const toolNames = new Map<string, string>()

  function result(toolCallId: string, value: unknown, isError = false): LanguageModelV4ToolResult[] {
    const toolName = toolNames.get(toolCallId) ?? ''
    const json = (value ?? '') as NonNullable<JSONValue>
    return [{ type: 'tool-result', toolCallId, toolName, result: json, isError, dynamic: true }]
  }

  function ended(outcome: Outcome, usage: Usage): LanguageModelV4StreamPart[] {
    requireAnswer(run, outcome)
    const value = hasValue ? outcome.value : undefined
    const id = `${run}/value`
    const text: LanguageModelV4StreamPart[] =
      value === undefined
        ? []
        : [
            { type: 'text-start', id },
            { type: 'text-delta', id, delta: JSON.stringify(value) },
            { type: 'text-end', id },
          ]
    return [...text, finish(finishOf(outcome), usage, metadataOf(run, usage, outcome))]
  }

  return {
    follow(part) {
      switch (part.type) {
        case 'text-start':
        case 'text-delta':
        case 'text-end':
          return hasValue ? [] : [part]
        case 'reasoning-start':
        case 'reasoning-delta':
        case 'reasoning-end':
          return [part]
        case 'tool-input-available':
          toolNames.set(part.toolCallId, part.toolName)
          return [ownCall(part)]
        case 'tool-output-available':
          return result(part.toolCallId, part.output)
        case 'tool-output-error':
          return result(part.toolCallId, part.errorText, true)
        case 'tool-output-denied':
          return result(part.toolCallId, 'a person said no', true)
        case 'begun':
        case 'text-replaced':
          return []
        case 'calls':
          return [
            ...part.calls.map((call): LanguageModelV4ToolCall => {
              const input = JSON.stringify(call.input ?? {})
              return { type: 'tool-call', toolCallId: callId(run, call.question), toolName: call.tool, input }
            }),
            finish({ unified: 'tool-calls', raw: 'waiting' }, part.usage, metadataOf(run, part.usage)),
          ]
        case 'ended':
          return ended(part.outcome, part.usage)
      }
    },
  }
}

/** The parts of a stream as the content of a reply. Of text that was replaced, what replaced it. */
export function contentOf(parts: readonly LanguageModelV4StreamPart[]): LanguageModelV4Content[] {
  const content: LanguageModelV4Content[] = []
  const texts = new Map<string, LanguageModelV4Content & { type: 'text' | 'reasoning' }>()
  for (const part of parts) {
    if (part.type === 'text-start' || part.type === 'reasoning-start') {
      const text = begunText(part)
      texts.set(part.id, text)
      content.push(text)
    } else if (part.type === 'text-delta' || part.type === 'reasoning-delta') {
      const text = texts.get(part.id)
      if (text !== undefined) text.text += part.delta
    } else if (part.type === 'tool-call' || part.type === 'tool-result') content.push(part)
  }
  const answer = content.findLast(({ type }) => type === 'text')
  return content.filter((one) => one.type !== 'text' || one === answer)
}

type TextStart = Extract<LanguageModelV4StreamPart, { type: 'text-start' | 'reasoning-start' }>

function begunText({ type, providerMetadata }: TextStart) {
  const kind = type === 'text-start' ? ('text' as const) : ('reasoning' as const)
  return { type: kind, text: '', ...(providerMetadata !== undefined && { providerMetadata }) }
}

function ownCall(part: ExchangePart & { type: 'tool-input-available' }): LanguageModelV4ToolCall {
  const { toolCallId, toolName, input, providerMetadata } = part
  return {
    type: 'tool-call',
    toolCallId,
    toolName,
    input: JSON.stringify(input ?? {}),
    dynamic: true,
    providerExecuted: true,
    ...(providerMetadata !== undefined && { providerMetadata: providerMetadata as SharedV4ProviderMetadata }),
  }
}

function finish(
  finishReason: LanguageModelV4FinishReason,
  usage: Usage,
  thinkon: JSONObject,
): LanguageModelV4StreamPart {
  return { type: 'finish', finishReason, usage: usageOf(usage), providerMetadata: { thinkon } }
}

function metadataOf(run: string, { calls, costUsd }: Usage, outcome?: Outcome): JSONObject {
  const { status, reason } = outcome ?? { status: 'waiting' }
  return { run, status, calls, ...defined({ reason, costUsd }) }
}

/** Of what was spent in the exchange: those of a run add up to what its whole tree has spent. */
function usageOf({ inputTokens, outputTokens, cachedInputTokens, ...more }: Usage): LanguageModelV4Usage {
  return {
    inputTokens: {
      total: inputTokens,
      noCache: cachedInputTokens === undefined ? undefined : inputTokens - cachedInputTokens,
      cacheRead: cachedInputTokens,
      cacheWrite: undefined,
    },
    outputTokens: { total: outputTokens, text: undefined, reasoning: undefined },
    raw: defined({ inputTokens, outputTokens, cachedInputTokens, ...more }) as JSONObject,
  }
}

function finishOf({ status, limit }: Outcome): LanguageModelV4FinishReason {
  if (status === 'completed') return { unified: 'stop', raw: status }
  return { unified: limit === undefined ? 'other' : 'length', raw: status }
}

/** A run that has failed or was cancelled has no answer (K8). */
function requireAnswer(run: string, { status, code, reason, result }: Outcome): void {
  if (status !== 'failed' && status !== 'cancelled') return
  const otherwise = status === 'failed' ? 'STRATEGY_ERROR' : 'CANCELLED'
  throw new ThinkonError(
    code ?? otherwise,
    `run ${run} ${status}${reason === undefined ? '' : `: ${reason}`}`,
    {
      data: { run, status, result },
    },
  )
}
