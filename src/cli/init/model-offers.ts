/** The models that could be used here at once: those of keys in the environment, and of servers on this machine. */
import { KEY_MODELS, probeServers } from '../../config/index.ts'
import type { InitWords } from './words.ts'

export interface ModelOffer {
  readonly spec: string
  /** `OPENAI_API_KEY is set` */
  readonly why: string
}

export async function modelOffers(
  env: Readonly<Record<string, string | undefined>>,
  words: InitWords,
): Promise<ModelOffer[]> {
  const offers: ModelOffer[] = []
  if (env.THINKON_MODEL) offers.push({ spec: env.THINKON_MODEL, why: words.whyVariable })
  for (const { key, model } of KEY_MODELS) if (env[key]) offers.push({ spec: model, why: words.whyKey(key) })
  const { found } = await probeServers(env)
  for (const { name, url, specs } of found)
    for (const spec of specs.slice(0, MAX_OF_SERVER)) offers.push({ spec, why: words.whyServer(name, url) })
  return offers.filter(({ spec }, i) => offers.findIndex((other) => other.spec === spec) === i)
}

const MAX_OF_SERVER = 5
