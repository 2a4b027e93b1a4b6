/** How a local model file is loaded and run, as an engine and a configuration file may give it. */
import { isObject } from '../protocol/json.ts'
import { nearest } from '../protocol/nearest.ts'
import { shownValue } from '../protocol/problem.ts'

export interface GgufSettings {
  /** In tokens, for the prompt and the reply of one call; by default what the model was trained with, or what memory has room for. */
  contextSize?: number
  /** How many calls run at a time, each in a sequence with a context of its own; 1 by default. */
  sequences?: number
  /** The name of one that node-llama-cpp has, such as `chatML`, or a Jinja template; by default the one in the file. */
  chatTemplate?: string
  /** What computes; by default the best there is. False: the processor. */
  gpu?: 'auto' | 'metal' | 'cuda' | 'vulkan' | false
  /** How many layers of the model the GPU holds; by default as many as fit. */
  gpuLayers?: number | 'auto' | 'max'
  /** Threads of the processor; by default as many as are useful. */
  threads?: number
}

const GPUS = ['auto', 'metal', 'cuda', 'vulkan', false]
const LEAST_CONTEXT = 256
const MOST_SEQUENCES = 64

const RULES: Readonly<Record<keyof GgufSettings, readonly [(value: unknown) => boolean, string]>> = {
  contextSize: [isWhole(LEAST_CONTEXT), `must be a whole number of ${LEAST_CONTEXT} or more`],
  sequences: [isWhole(1, MOST_SEQUENCES), `must be a whole number from 1 to ${MOST_SEQUENCES}`],
  chatTemplate: [
    (value) => typeof value === 'string' && value.trim() !== '',
    'must be the name of a template, such as "chatML", or a Jinja template',
  ],
  gpu: [(value) => GPUS.includes(value as string), 'must be "auto", "metal", "cuda", "vulkan" or false'],
  gpuLayers: [
    (value) => value === 'auto' || value === 'max' || isWhole(0)(value),
    'must be a whole number of 0 or more, "auto" or "max"',
  ],
  threads: [isWhole(1), 'must be a whole number of 1 or more'],
}

export interface SettingProblem {
  /** The setting; undefined if the problem is the whole. */
  readonly key?: string
  /** Continues the name of the setting: "must be …". */
  readonly problem: string
}

/** Undefined if nothing is wrong. Never throws. */
export function ggufProblem(given: unknown): SettingProblem | undefined {
  const names = Object.keys(RULES)
  if (!isObject(given)) return { problem: `must be an object with ${names.join(', ')}` }
  for (const [key, value] of Object.entries(given)) {
    const rule = Object.hasOwn(RULES, key) ? RULES[key as keyof GgufSettings] : undefined
    if (rule === undefined) return { key, problem: unknownSetting(key, names) }
    const [holds, problem] = rule
    if (value !== undefined && !holds(value)) return { key, problem: `${problem}, not ${shownValue(value)}` }
  }
  return undefined
}

function unknownSetting(key: string, names: readonly string[]): string {
  const near = nearest(key, names)
  return near === undefined
    ? `is unknown: there are ${names.join(', ')}`
    : `is unknown: did you mean "${near}"?`
}

function isWhole(least: number, most = Number.MAX_SAFE_INTEGER): (value: unknown) => boolean {
  return (value) => Number.isInteger(value) && (value as number) >= least && (value as number) <= most
}
