/**
 * Shared by the example models: a language model object of the AI SDK 7, written by hand, and a script for it. It is not a
 * language model: it takes the first arithmetic expression of the goal, lets the tool `calculate` compute it, and returns the
 * result. It knows the formats of the strategies `minimal` and `fractal`.
 */
import type {
  LanguageModelV4,
  LanguageModelV4CallOptions,
  LanguageModelV4Content,
  LanguageModelV4GenerateResult,
  LanguageModelV4StreamPart,
} from '@ai-sdk/provider'

export const ABOUT = '(I am a scripted example, not a language model.)'

export type Step = { do: 'calculate'; expression: string } | { do: 'return'; result: string }

/** The script's next step, given the prompt. */
export function nextStep({ prompt, tools = [] }: LanguageModelV4CallOptions): Step {
  const text = prompt.map(({ content }) => contentText(content)).join('\n')
  const said = prompt.filter(({ role }) => role !== 'system').map(({ content }) => contentText(content))
  const goal = /^Goal: (.*)$/m.exec(text)?.[1] ?? ''
  const expression = /\(*\d[\d.\s()]*(?:[-+*/^][\s(]*[\d.]+[\s)]*)+/.exec(goal)?.[0].trim()
  if (expression === undefined) {
    return {
      do: 'return',
      result: `${ABOUT} I can only compute, and there is nothing to compute in this goal.`,
    }
  }
  const exact = /\{"exact":"([^"]+)"/.exec(said.join('\n'))?.[1]
  if (exact !== undefined) return { do: 'return', result: `${expression} = ${exact} ${ABOUT}` }
  const canCalculate = tools.some(({ name }) => name === 'calculate') || text.includes('calculate:')
  if (/calculate failed/.test(text) || !canCalculate) {
    return { do: 'return', result: `${ABOUT} I could not compute ${expression} without the tool calculate.` }
  }
  return { do: 'calculate', expression }
}

/** The step in the format that the strategy asked for, `fractal`'s or `minimal`'s. */
export function moveOf(step: Step, { prompt }: LanguageModelV4CallOptions): object {
  const isFractal = prompt.some(({ content }) => contentText(content).includes('{"type":"RETURN"'))
  if (step.do === 'return') return isFractal ? { type: 'RETURN', description: step.result } : step
  const call = { name: 'calculate', input: { expression: step.expression } }
  return isFractal ? { type: 'TOOL', ...call } : { do: 'tool', calls: [call] }
}

/**
 * Wraps a function that answers in everything that the AI SDK requires of a language model. One without native tool calls
 * refuses requests with tools, as providers do.
 */
export function scriptedLanguageModel(
  modelId: string,
  answer: (options: LanguageModelV4CallOptions) => LanguageModelV4Content[],
  { nativeTools = false } = {},
): LanguageModelV4 {
  async function doGenerate(options: LanguageModelV4CallOptions): Promise<LanguageModelV4GenerateResult> {
    if (!nativeTools && options.tools?.length)
      throw Object.assign(new Error(`${modelId} does not support tools`), { statusCode: 400 })
    options.abortSignal?.throwIfAborted()
    const content = answer(options)
    const unified = content.some(({ type }) => type === 'tool-call') ? 'tool-calls' : 'stop'
    // A script reports no tokens: Thinkon counts them itself.
    return { content, finishReason: { unified, raw: 'scripted' }, usage: NO_USAGE, warnings: [] }
  }
  return {
    specificationVersion: 'v4',
    provider: 'example',
    modelId,
    supportedUrls: {},
    doGenerate,
    async doStream(options) {
      const { content, finishReason, usage } = await doGenerate(options)
      const parts: LanguageModelV4StreamPart[] = [
        { type: 'stream-start', warnings: [] },
        ...content.flatMap((part, index) => streamed(part, String(index))),
        { type: 'finish', finishReason, usage },
      ]
      return { stream: ReadableStream.from(parts) as ReadableStream<LanguageModelV4StreamPart> }
    },
  }
}

function streamed(part: LanguageModelV4Content, id: string): LanguageModelV4StreamPart[] {
  if (part.type === 'tool-call') return [part]
  if (part.type !== 'text') return []
  return [
    { type: 'text-start', id },
    { type: 'text-delta', id, delta: part.text },
    { type: 'text-end', id },
  ]
}

function contentText(content: LanguageModelV4CallOptions['prompt'][number]['content']): string {
  if (typeof content === 'string') return content
  return content
    .map((part) => {
      if (part.type === 'text') return part.text
      return part.type === 'tool-result' && part.output.type === 'text' ? part.output.value : ''
    })
    .join('')
}

const NO_USAGE = {
  inputTokens: { total: undefined, noCache: undefined, cacheRead: undefined, cacheWrite: undefined },
  outputTokens: { total: undefined, text: undefined, reasoning: undefined },
}
