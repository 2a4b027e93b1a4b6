/** A small language model in this process: prompts and texts as the model sees them. */
import { ThinkonError } from '../../../protocol/index.ts'

export interface Asked {
  readonly prompt: string
  readonly maxTokens?: number
  readonly stop?: string
  readonly temperature?: number
  readonly topK?: number
  readonly seed?: number
  readonly signal?: AbortSignal
  readonly onText?: (text: string) => void
}

export interface Completion {
  readonly text: string
  readonly inputTokens: number
  readonly cachedTokens: number
  readonly outputTokens: number
  readonly ended: 'end' | 'stop' | 'length'
}

export interface TextModel {
  complete(asked: Asked): Promise<Completion>
  weigh(prompt: string, choices: readonly string[], signal?: AbortSignal): Promise<number[]>
  close(): Promise<void>
}

export async function openTextModel(file: string): Promise<TextModel> {
  throw new ThinkonError('NO_MODEL', `${file} can't be run yet`)
}
