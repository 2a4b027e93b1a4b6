/** What a request asks of the language model, in the compact form: by the request's settings, each question once, and counted. */
import type { ModelIo } from '../../../kernel/model.ts'
import { seededRandom } from '../../../kernel/random.ts'
import { type ModelReply, type ModelSettings, ThinkonError } from '../../../protocol/index.ts'
import { turnNumbers } from './compact.ts'
import type { TextModel } from './text-model.ts'
import { encode } from './tokens.ts'

/** Unless a request says otherwise: the most likely answer. */
export const TEMPERATURE = 0

/** No answer that the model was taught is as long. What does not end by then is none. */
const MAX_ANSWER = 96

export interface Question {
  readonly stop?: string
  /** Which of several answers to the same question. */
  readonly draw?: number
}

export interface Questions {
  /** Null where the question is too long for the model, or its answer does not end. */
  ask(prompt: string, question?: Question): Promise<string | null>
  /** The probability of the first of two answers, of one character each; null where the question is too long. */
  weigh(prompt: string, choices: readonly [string, string]): Promise<number | null>
  readonly usage: ModelReply['usage']
}

export function askModel(
  open: () => Promise<TextModel>,
  settings: ModelSettings = {},
  io: ModelIo,
): Questions {
  const { temperature = TEMPERATURE, seed = `${io.seed}/${io.path}/${io.n}` } = settings
  const maxTokens = Math.min(MAX_ANSWER, settings.maxOutputTokens ?? MAX_ANSWER)
  // Without what its cache had: that depends on what else was asked lately, and a run with the same seed is to be the same run again.
  const usage = { inputTokens: 0, outputTokens: 0, costUsd: 0 }
  const asked = new Map<string, Promise<string | null>>()

  async function complete(prompt: string, { stop, draw = 1 }: Question): Promise<string | null> {
    const model = await open()
    const done = await model.complete({
      prompt: turnNumbers(prompt),
      maxTokens,
      ...(stop !== undefined && { stop }),
      temperature,
      seed: Math.floor(seededRandom(`${seed}/${prompt}/${draw}`)() * 2 ** 32),
      signal: io.signal,
    })
    usage.inputTokens += done.inputTokens
    usage.outputTokens += done.outputTokens
    const text = turnNumbers(done.text)
    io.onHidden?.(text)
    return done.ended === 'length' ? null : text
  }

  return {
    usage,
    ask(prompt, question = {}) {
      // Without temperature all draws are the same.
      const key = JSON.stringify([prompt, temperature === 0 ? question.stop : question])
      const answer = asked.get(key) ?? unlessTooLong(complete(prompt, question))
      asked.set(key, answer)
      return answer
    },
    weigh: (prompt, choices) =>
      unlessTooLong(
        (async () => {
          const turned = turnNumbers(prompt)
          const [share = 0] = await (await open()).weigh(turned, choices, io.signal)
          usage.inputTokens += encode(turned).length
          usage.outputTokens += 1
          return share
        })(),
      ),
  }
}

async function unlessTooLong<T>(answer: Promise<T>): Promise<T | null> {
  try {
    return await answer
  } catch (thrown) {
    if (ThinkonError.isInstance(thrown) && thrown.code === 'CONTEXT_OVERFLOW') return null
    throw thrown
  }
}
