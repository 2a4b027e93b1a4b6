/**
 * What the training framework says with the weights that ship, at temperature 0: prompts as the model sees them, and their answers.
 * training/export.py writes both files. Undefined as long as one of them is missing.
 */
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

const root = join(import.meta.dirname, '../..')
export const WEIGHTS = join(root, 'src/models/embedded/mini/mini.gguf')
const VECTORS = join(root, 'training/vectors.json')

export const missing = [WEIGHTS, VECTORS].filter((file) => !existsSync(file))

export function readVectors(): [prompt: string, answer: string][] {
  return JSON.parse(readFileSync(VECTORS, 'utf8'))
}
