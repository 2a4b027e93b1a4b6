/** Answers what is asked, several at once. It does something only when step() is called. */
import { errorData, ThinkonError } from '../../../../protocol/index.ts'
import { encode } from '../tokens.ts'
import type { Answer, Ask, CompleteAsk, WeighAsk } from './ask.ts'
import { type Batch, type BatchSize, createBatch, type Text } from './batch.ts'
import { sharesOf, tokenChooser } from './choose-token.ts'
import { createNetwork, type Network } from './network.ts'
import type { Weights } from './weights.ts'
import { writtenText } from './written-text.ts'

export interface TextEngine {
  /** The last answer is no `text`. Returns what drops the request: it gets no answer then. */
  ask(ask: Ask, onAnswer: (answer: Answer) => void): () => void
  /** Returns whether there is more to do. */
  step(): boolean
  /** Positions so far. */
  readonly computed: number
}

const SIZE: BatchSize = { rows: 32, positions: 896 }

export function createTextEngine(weights: Weights, size: Partial<BatchSize> = {}): TextEngine {
  const rows = size.rows ?? SIZE.rows
  const positions = Math.max(size.positions ?? SIZE.positions, weights.shape.context)
  const network = createNetwork(weights, rows)
  const batch: Batch = createBatch(network, { rows, positions })
  return {
    ask(ask, onAnswer) {
      try {
        const text =
          ask.type === 'complete' ? completed(network, ask, onAnswer) : weighed(network, ask, onAnswer)
        batch.add(text)
        return () => batch.drop(text)
      } catch (thrown) {
        onAnswer({ type: 'failure', error: errorData(thrown, 'INTERNAL') })
        return () => {}
      }
    },
    step: () => batch.step(),
    get computed() {
      return batch.computed
    },
  }
}

function completed(network: Network, ask: CompleteAsk, onAnswer: (answer: Answer) => void): Text {
  const prompt = promptTokens(network, ask.prompt)
  const room = Math.min(ask.maxTokens ?? Number.POSITIVE_INFINITY, network.shape.context - prompt.length)
  const choose = tokenChooser({ ...ask, topK: ask.topK ?? Number.POSITIVE_INFINITY }, network.exp)
  const written = writtenText(ask.stop, (text) => onAnswer({ type: 'text', text }))
  let outputTokens = 0
  return {
    prompt,
    room,
    next(logits, cachedTokens) {
      const token = outputTokens < room ? choose(logits) : undefined
      const by = token === undefined ? undefined : written.add(token)
      if (token !== undefined && by === undefined) outputTokens++
      const ended = by ?? (outputTokens < room ? undefined : ('length' as const))
      if (ended === undefined) return token
      const text = written.end(ended)
      const completion = { text, inputTokens: prompt.length, cachedTokens, outputTokens, ended }
      onAnswer({ type: 'completion', completion })
      return undefined
    },
  }
}

function weighed(network: Network, { prompt, choices }: WeighAsk, onAnswer: (answer: Answer) => void): Text {
  const tokens = choices.map((choice) => {
    const [token, ...more] = encode(choice)
    if (token !== undefined && more.length === 0) return token
    throw new ThinkonError('BAD_INPUT', `"${choice}" is not one token of embedded:mini`)
  })
  if (tokens.length === 0) throw new ThinkonError('BAD_INPUT', 'there are no choices to weigh')
  return {
    prompt: promptTokens(network, prompt),
    room: 0,
    next(logits) {
      onAnswer({ type: 'shares', shares: sharesOf(tokens, logits, network.exp) })
      return undefined
    },
  }
}

function promptTokens({ shape }: Network, prompt: string): number[] {
  const tokens = encode(prompt)
  if (tokens.length === 0) throw new ThinkonError('BAD_INPUT', 'embedded:mini was given an empty prompt')
  if (tokens.length <= shape.context) return tokens
  throw new ThinkonError(
    'CONTEXT_OVERFLOW',
    `the prompt has ${tokens.length} tokens, and the context of embedded:mini ${shape.context}`,
    { data: { window: shape.context } },
  )
}
