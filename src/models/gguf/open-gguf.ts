/**
 * A model file in memory. Opened once per process for all who give the same settings, and freed when the last of them closes it.
 * Throws NO_MODEL if the file can't be used, BAD_INPUT if a setting can't.
 */
import { availableParallelism } from 'node:os'
import { resolve } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { readFileBytes } from '../../files/open-file.ts'
import type { GgufSettings } from '../../kernel/gguf-settings.ts'
import { defined, errorText, nearest, ThinkonError } from '../../protocol/index.ts'
import { Limiter } from '../resilience/limiter.ts'
import type {
  ChatWrapper,
  GpuChoice,
  Llama,
  LlamaChat,
  LlamaModel,
  NodeLlamaCpp,
  Sequence,
} from './llama-api.ts'

export interface Gguf {
  readonly llama: Llama
  readonly model: LlamaModel
  readonly template: ChatWrapper
  /** In tokens: the prompt and the reply of one call. */
  readonly contextSize: number
  /** Waits until fewer calls are running than there are sequences. Rejects with the signal's reason. */
  take(prompt: readonly unknown[], signal: AbortSignal): Promise<{ slot: Slot; release(): void }>
}

export interface Slot {
  readonly sequence: Sequence
  readonly chat: LlamaChat
}

export interface OpenGguf {
  readonly gguf: Gguf
  close(): Promise<void>
}

const opened = new Map<string, { gguf: Promise<Gguf>; users: number }>()

export async function openGguf(api: NodeLlamaCpp, file: string, settings: GgufSettings): Promise<OpenGguf> {
  const key = JSON.stringify([resolve(file), settings])
  const shared = opened.get(key) ?? { gguf: load(api, file, settings), users: 0 }
  opened.set(key, shared)
  shared.users++
  const leave = () => {
    shared.users--
    if (shared.users === 0) opened.delete(key)
    return shared.users === 0
  }
  try {
    const gguf = await shared.gguf
    let isClosed = false
    return {
      gguf,
      async close() {
        if (isClosed) return
        isClosed = true
        if (leave()) await gguf.model.dispose()
      },
    }
  } catch (thrown) {
    leave()
    throw thrown
  }
}

async function load(api: NodeLlamaCpp, file: string, settings: GgufSettings): Promise<Gguf> {
  const {
    contextSize,
    sequences = 1,
    chatTemplate,
    gpu = 'auto',
    gpuLayers,
    threads = fewThreads(),
  } = settings
  const problem = fileProblem(file)
  if (problem !== undefined) throw cantOpen(file, problem)
  const { llama, errors } = await llamaFor(api, gpu).catch((cause: unknown) => {
    throw cantOpen(file, noBinary(gpu, cause), cause)
  })
  errors.length = 0
  let model: LlamaModel | undefined
  try {
    model = await llama.loadModel({ modelPath: resolve(file), ...defined({ gpuLayers }) })
    checkContextSize(model, contextSize)
    const template = templateOf(api, model, chatTemplate)
    const context = await model.createContext({ sequences, ...defined({ contextSize, threads }) })
    const slots = Array.from({ length: sequences }, () => {
      const sequence = context.getSequence()
      return { sequence, chat: new api.LlamaChat({ contextSequence: sequence, chatWrapper: template }) }
    })
    return { llama, model, template, contextSize: context.contextSize, take: takeTurns(slots) }
  } catch (cause) {
    await model?.dispose()
    if (ThinkonError.isInstance(cause)) throw cause
    await setTimeout(LOG_DELAY_MS)
    throw cantOpen(file, [errorText(cause), ...errors.slice(0, 1)].join(': '), cause)
  }
}

interface LoadedLlama {
  readonly llama: Llama
  /** What llama.cpp has said went wrong: its errors say little more than that there is one. */
  readonly errors: string[]
}

/** llama.cpp's log arrives a little later than the error that it explains. */
const LOG_DELAY_MS = 50

/** The library stays loaded; what takes memory are the models. Of several in a process, only the last gets llama.cpp's log. */
const llamas = new Map<GpuChoice, Promise<LoadedLlama>>()

function llamaFor(api: NodeLlamaCpp, gpu: GpuChoice): Promise<LoadedLlama> {
  const known = llamas.get(gpu)
  if (known !== undefined) return known
  const errors: string[] = []
  const loading = api
    .getLlama({
      gpu,
      build: 'never',
      progressLogs: false,
      logger(level, line) {
        if (level === 'error' || level === 'fatal') errors.push(line.trim().replace(LOG_PREFIX, ''))
      },
    })
    .then((llama) => {
      // What this machine can't have is not refused: something else is loaded.
      if (typeof gpu === 'string' && gpu !== 'auto' && llama.gpu !== gpu)
        throw new Error(`it would use ${llama.gpu || 'the processor'}`)
      return { llama, errors }
    })
  loading.catch(() => llamas.delete(gpu))
  llamas.set(gpu, loading)
  return loading
}

const LOG_PREFIX = /^\w+: (?:error loading model: )?/

function checkContextSize({ trainContextSize }: LlamaModel, contextSize = 0): void {
  if (contextSize <= trainContextSize) return
  throw new ThinkonError(
    'BAD_INPUT',
    `gguf.contextSize: the model was trained with ${trainContextSize} tokens and can't use ${contextSize}`,
    { data: { key: 'gguf.contextSize' } },
  )
}

/** Of the sequences that are free, a call gets the one that has read most of its prompt already. */
function takeTurns(slots: readonly Slot[]): Gguf['take'] {
  const turns = new Limiter({ maxConcurrent: slots.length })
  const free = new Set(slots)
  return async (prompt, signal) => {
    const release = await turns.acquire(signal)
    const hasRead = ({ sequence }: Slot) =>
      sequence.compareContextTokens([...prompt] as never).firstDifferentIndex
    const [slot] = [...free].sort((a, b) => hasRead(b) - hasRead(a)) as [Slot]
    free.delete(slot)
    return {
      slot,
      release() {
        free.add(slot)
        release()
      },
    }
  }
}

/** Undefined if the file can be tried: llama.cpp itself says what is wrong inside it. */
export function fileProblem(file: string): string | undefined {
  let start: Buffer
  try {
    start = readFileBytes(file, 4)
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'ENOENT') return 'there is no such file'
    return code === 'EISDIR' ? 'it is a folder' : errorText(error)
  }
  return start.toString() === 'GGUF' ? undefined : 'it is not a GGUF file: llama.cpp reads no other format'
}

/** On few cores node-llama-cpp starts more threads than there are, which then wait for each other. */
function fewThreads(): number | undefined {
  const cores = availableParallelism()
  return cores < 4 ? cores : undefined
}

function templateOf(api: NodeLlamaCpp, model: LlamaModel, given: string | undefined): ChatWrapper {
  if (given === undefined || given === 'auto') return api.resolveChatWrapper(model, { warningLogs: false })
  if (/\{[{%]/.test(given)) return jinjaTemplate(api, model, given)
  const names = api.resolvableChatWrapperTypeNames.filter((name) => !/template$/i.test(name))
  if (names.includes(given))
    return api.resolveChatWrapper(model, { type: given as never, warningLogs: false })
  const near = nearest(given, names)
  const meant =
    near === undefined ? `there are ${names.join(', ')}, or a Jinja template` : `did you mean "${near}"?`
  throw badTemplate(`"${given}" is unknown: ${meant}`)
}

function jinjaTemplate(api: NodeLlamaCpp, model: LlamaModel, template: string): ChatWrapper {
  try {
    const wrapper = api.resolveChatWrapper(model, {
      type: 'jinjaTemplate' as never,
      customWrapperSettings: { jinjaTemplate: { template } },
      fallbackToOtherWrappersOnJinjaError: false,
      warningLogs: false,
    })
    const chatHistory = [
      { type: 'user' as const, text: 'a question' },
      { type: 'model' as const, response: [] },
    ]
    wrapper.generateContextState({ chatHistory })
    return wrapper
  } catch (cause) {
    throw badTemplate(`the Jinja template can't be used: ${errorText(cause)}`)
  }
}

function badTemplate(problem: string): ThinkonError {
  return new ThinkonError('BAD_INPUT', `gguf.chatTemplate: ${problem}`, {
    data: { key: 'gguf.chatTemplate' },
  })
}

function noBinary(gpu: GpuChoice, cause: unknown): string {
  const build = 'npx node-llama-cpp source download'
  if (gpu === 'auto' || gpu === false)
    return `llama.cpp can't be loaded (${errorText(cause)}); ${build} builds it`
  return `there is no llama.cpp for gpu "${gpu}" here (${errorText(cause)}): leave gguf.gpu out, or build it with ${build} --gpu ${gpu}`
}

function cantOpen(file: string, why: string, cause?: unknown): ThinkonError {
  const model = `gguf:${file}`
  return new ThinkonError('NO_MODEL', `can't open ${model}: ${why}`, {
    ...defined({ cause }),
    data: { model },
  })
}
