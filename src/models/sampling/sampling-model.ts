/**
 * `mcp:client`: the model of whoever has called `thinkon mcp`, through the protocol's sampling. A request waits until the client of its run
 * takes it; if none does, that is an outage, and the run waits.
 */
import type { Model } from '../../kernel/model.ts'
import { choicesOf, type ModelChoice, type ModelChoices, modelConfig } from '../../kernel/model-choice.ts'
import { CLIENT_MODEL } from '../../kernel/model-spec.ts'
import { type ModelReply, type ModelRequest, ThinkonError } from '../../protocol/index.ts'
import { countRequestTokens, tokenCounter } from '../tokens.ts'
import { type SamplingParams, samplingParams } from './sampling-params.ts'
import { readSampled } from './sampling-reply.ts'

export interface Sampler {
  /**
   * Has the client of the run answer, in the protocol's words, which are not checked here. Rejects with MODEL_OUTAGE if no client takes the
   * request, and when the signal is aborted.
   */
  sample(run: string, asked: Asked, signal: AbortSignal): Promise<unknown>
}

/** A request, made when it is known whether the client's model can call tools itself. */
export interface Asked {
  params(callsTools: boolean): SamplingParams
}

export function samplingModel(sampler: Sampler): Model {
  const once: Model = {
    id: CLIENT_MODEL,
    async call(request, { run, signal }) {
      if (run === undefined) throw new ThinkonError('NO_MODEL', `${CLIENT_MODEL} answers within runs only`)
      const params = (callsTools: boolean) => samplingParams(request, callsTools)
      return replyOf(request, await sampler.sample(run, { params }, signal))
    },
  }
  return {
    ...once,
    async call(request, io) {
      if (request.schema === undefined) return once.call(request, io)
      const { askStructured } = await import('../structured/ask-structured.ts')
      return askStructured(once, request, io)
    },
  }
}

/** The choices with the client's model where it is named. */
export function withClientModel(given: ModelChoices, model: Model): ModelChoices {
  return choicesOf(given).map((choice): ModelChoice => {
    const config = modelConfig(choice)
    if (config.model !== CLIENT_MODEL) return choice
    return choice === CLIENT_MODEL ? model : { ...config, model }
  })
}

/** The protocol does not tell what a reply has cost: tokens are counted here. */
async function replyOf(request: ModelRequest, result: unknown): Promise<ModelReply> {
  const said = readSampled(result)
  const count = await tokenCounter()
  const calls = said.toolCalls === undefined ? 0 : count(JSON.stringify(said.toolCalls))
  return {
    ...said,
    usage: { inputTokens: countRequestTokens(request, count), outputTokens: count(said.text) + calls },
    usageEstimated: true,
  }
}
