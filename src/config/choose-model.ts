/**
 * Which model a run uses, and why. In this order: the caller's choice, the model the run was started with, the configuration,
 * THINKON_MODEL, an API key in the environment, a server on this machine, the embedded model.
 */
import { type ModelChoices, specOf } from '../kernel/model-choice.ts'
import type { Language } from '../protocol/index.ts'
import type { LoadedConfig } from './load-config.ts'
import { type ProbedServers, probeServers } from './local-servers.ts'
import { absoluteSpecs } from './model-spec.ts'

export interface ChosenModel {
  readonly model: ModelChoices
  /** Its name, for people and for the journal. */
  readonly spec: string
  /** A short phrase for the first line of a run: "from thinkon.config.ts". */
  readonly why: string
  readonly from: 'flag' | 'run' | 'config' | 'variable' | 'key' | 'server' | 'embedded'
}

export interface ModelSources {
  /** `--model`, or an option in code. */
  flag?: string | undefined
  /** The model that the resumed run was started with. */
  recorded?: string | undefined
  loaded?: LoadedConfig
  env?: Readonly<Record<string, string | undefined>>
  /** Looks for servers on this machine. Called only if nothing before decides. */
  probe?: () => Promise<ProbedServers>
}

export const EMBEDDED_DEFAULT = 'embedded:mini'

/** What is said of a model that ships wherever it is named as the run's: nobody is to take it for more. */
export function embeddedNote(spec: string): Readonly<Record<Language, string>> | undefined {
  if (!spec.startsWith('embedded:')) return undefined
  return /^embedded:mini(?:#|$)/.test(spec)
    ? { en: 'a small language model for arithmetic, often wrong', zh: '只会算术的小语言模型，常常出错' }
    : { en: 'not a language model', zh: '不是语言模型' }
}

/** The default model for each API key: not the provider's largest, but a good one. */
export const KEY_MODELS: readonly { key: string; model: string }[] = [
  { key: 'OPENAI_API_KEY', model: 'openai:gpt-6.1-terra' },
  { key: 'ANTHROPIC_API_KEY', model: 'anthropic:claude-sonnet-5-5' },
  { key: 'GOOGLE_GENERATIVE_AI_API_KEY', model: 'google:gemini-3.8-flash' },
  { key: 'GEMINI_API_KEY', model: 'google:gemini-3.8-flash' },
]

export async function chooseModel(sources: ModelSources): Promise<ChosenModel> {
  const { flag, recorded, loaded, env = process.env } = sources
  const configured = loaded?.config.model
  if (flag !== undefined) return given(flag, configured, 'given with --model', 'flag')
  if (recorded !== undefined) return given(recorded, configured, 'as the run was begun', 'run')
  if (configured !== undefined) {
    return chosen(configured, `from ${loaded?.source ?? 'the configuration'}`, 'config')
  }
  if (env.THINKON_MODEL) return given(env.THINKON_MODEL, undefined, 'from THINKON_MODEL', 'variable')
  for (const { key, model } of KEY_MODELS) if (env[key]) return chosen(model, `${key} is set`, 'key')
  const { found } = await (sources.probe ?? (() => probeServers(env)))()
  for (const { url, specs } of found) {
    const [spec] = specs
    if (spec !== undefined) return chosen(spec, `a local server answers at ${url}`, 'server')
  }
  return chosen(EMBEDDED_DEFAULT, withNote('nothing else is configured', EMBEDDED_DEFAULT), 'embedded')
}

/** A spec from outside; if the configuration has settings for it, they apply. */
function given(
  spec: string,
  configured: ModelChoices | undefined,
  why: string,
  from: ChosenModel['from'],
): ChosenModel {
  const absolute = absoluteSpecs(spec, process.cwd())
  const same = configured !== undefined && specOf(configured) === absolute
  return chosen(same ? configured : absolute, withNote(why, absolute), from)
}

function withNote(why: string, spec: string): string {
  const note = embeddedNote(spec)
  return note === undefined ? why : `${why}; ${note.en}`
}

function chosen(model: ModelChoices, why: string, from: ChosenModel['from']): ChosenModel {
  return { model, spec: specOf(model), why, from }
}
