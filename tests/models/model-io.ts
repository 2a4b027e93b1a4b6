import type { ModelIo } from '../../src/kernel/model.ts'
import type { ModelRequest } from '../../src/protocol/index.ts'

export interface TestIo extends ModelIo {
  readonly deltas: string[]
}

export function testIo(signal: AbortSignal = new AbortController().signal, path = '1', n = 1): TestIo {
  const deltas: string[] = []
  return {
    path,
    n,
    signal,
    deltas,
    onDelta: (text) => void deltas.push(text),
    part: async (run) => (await run()).value,
  }
}

export function ask(text: string, more: Partial<ModelRequest> = {}): ModelRequest {
  return { kind: 'test/ask', version: 1, role: 'plan', messages: [{ role: 'user', content: text }], ...more }
}
