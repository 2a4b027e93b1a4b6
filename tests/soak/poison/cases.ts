import { POISON_MODELS } from './models.ts'
import { POISON_TOOLS } from './tools.ts'

export interface PoisonCase {
  readonly kind: 'model' | 'tool'
  readonly name: string
  readonly strategy: string
}

const WITH_MODELS = ['ask', 'auto', 'best-of', 'cot', 'dual', 'fractal', 'minimal', 'planner', 'tot']

/** The same in each process. */
export function casesOf(): PoisonCase[] {
  const models = Object.keys(POISON_MODELS).flatMap((name) =>
    WITH_MODELS.map((strategy): PoisonCase => ({ kind: 'model', name, strategy })),
  )
  const tools = Object.keys(POISON_TOOLS).map(
    (name): PoisonCase => ({ kind: 'tool', name, strategy: 'call' }),
  )
  return [...models, ...tools]
}
