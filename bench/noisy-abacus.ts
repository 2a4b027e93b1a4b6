/**
 * embedded:abacus with a poor memory. One operation goes wrong one time in sixty; of several at once each goes wrong one time in six. So
 * it is wrong more often the more it works out at once, as small language models are. The same request with the same seed gets the
 * same reply. It errs in answers of `best-of` and thoughts of `fractal`; every other request is answered exactly.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { countOperations } from '../src/arithmetic/expression.ts'
import { parseGoal } from '../src/arithmetic/parse-goal.ts'
import type { Model } from '../src/kernel/model.ts'
import { seededRandom } from '../src/kernel/random.ts'
import { abacusModel } from '../src/models/embedded/abacus/abacus-model.ts'
import { embeddedKind, STRATEGIES } from '../src/strategies/registry.ts'

const WRONG_ALONE = 1 / 60
const WRONG_AT_ONCE = 1 / 6

const exact = abacusModel({ kindOf: (kind) => embeddedKind(STRATEGIES, kind) })

const model: Model = {
  id: 'noisy-abacus',
  cost: () => 0,
  async call(request, io) {
    const delayMs = Number(process.env.NOISY_DELAY_MS ?? 0)
    if (delayMs > 0) await sleep(delayMs, undefined, { signal: io.signal })
    const reply = await exact.call(request, io)
    const random = seededRandom(JSON.stringify([request.kind, request.input, request.settings?.seed]))
    if (!worksOut(request.kind, reply.text) || !isWrong(random, request.input)) return reply
    const text = wrongBy(1 + Math.floor(random() * 9), reply.text)
    return { ...reply, text, ...(reply.value !== undefined && { value: JSON.parse(text) }) }
  },
}

export default model

/** To name the next operation, or to put results together, is not to work them out. */
function worksOut(kind: string, text: string): boolean {
  return kind === 'best-of/answer' || (kind === 'fractal/think' && text.includes('"type":"RETURN"'))
}

function isWrong(random: () => number, input: unknown): boolean {
  const { goal } = input as { goal?: unknown }
  const task = typeof goal === 'string' ? parseGoal(goal) : null
  const operations = task?.type === 'compute' ? task.expressions.map(countOperations).reduce(add) : 1
  return operations === 1 ? random() < WRONG_ALONE : random() > (1 - WRONG_AT_ONCE) ** operations
}

function add(a: number, b: number): number {
  return a + b
}

/** The last number is what it comes to. */
function wrongBy(much: number, text: string): string {
  return text.replace(/(-?\d+)(?=[^\d=]*$)/, (digits) => String(Number(digits) + much))
}
