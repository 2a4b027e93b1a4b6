/** Solves with a model that answers when told to on standard input: `node asleep-program.ts <timeMs>`. Prints JSON lines. */
import { once } from 'node:events'
import { type Model, solve } from '../../src/index.ts'

const say = (line: object) => process.stdout.write(`${JSON.stringify(line)}\n`)
const model: Model = {
  id: 'told',
  async call() {
    say({ asked: true })
    await once(process.stdin, 'data')
    process.stdin.pause()
    return { text: '{"do":"return","result":"answered"}', usage: { inputTokens: 1, outputTokens: 1 } }
  },
}
const { status, result } = await solve('wait for it', {
  model,
  strategy: 'minimal',
  budget: { timeMs: Number(process.argv[2]) },
})
say({ status, result })
