/**
 * The model of the runs in Chinese: a program that goes by the words of the goal, and gives strategies other than minimal nothing
 * that they could use. What it says is Chinese, so all English in such a run is ours.
 */
import { type Model, ThinkonError } from '../../src/index.ts'
import type { Result } from '../../src/protocol/index.ts'

interface Input {
  readonly goal: string
  readonly path: string
  readonly done: readonly string[]
  readonly timeline: string
  readonly results?: readonly { readonly result: Result }[]
}

const model: Model = {
  id: 'chinese-model',
  async call({ kind, messages, input }, { signal }) {
    const said = JSON.stringify([messages, input])
    if (said.includes('断线')) throw new ThinkonError('MODEL_OUTAGE', '服务器无应答')
    if (said.includes('很慢'))
      await new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)))
    const value = kind.startsWith('minimal/') ? nextMove(kind, input as Input) : { do: '跳舞' }
    return { text: JSON.stringify(value), value, usage: { inputTokens: 10, outputTokens: 5 } }
  },
}

export default model

function nextMove(kind: string, { goal, path, done, timeline, results = [] }: Input): unknown {
  const ends = (result: string) => ({ do: 'return', result })
  const tool = (name: string, input: unknown) =>
    results.length === 0 ? { do: 'tool', calls: [{ name, input }] } : ends('看过了')
  if (kind === 'minimal/close') return ends('收尾')
  if (goal.includes('失败')) return { ...ends('现有的'), status: 'failed', reason: '做不到' }
  if (goal.includes('乱说')) return { do: '跳舞' }
  if (goal.includes('问人')) return tool('ask_user', { question: '红还是蓝？' })
  if (goal.includes('写文件')) return tool('write_file', { path: '甲.txt', content: '一\n' })
  if (goal.includes('读文件')) return tool('read_file', { path: '没有.txt' })
  if (goal.includes('没有的工具')) return tool('no_tool', {})
  if (goal.includes('重复')) return { do: 'call', goals: ['做甲'] }
  if (goal.includes('分两步'))
    return done.length === 0 ? { do: 'call', goals: ['等一等甲', '失败乙'] } : ends(done.join('\n'))
  if (goal.includes('等一等') && !path.includes('#') && !timeline.includes('回答了'))
    return { do: 'ask', question: { text: '等到什么时候？', choices: ['yes', 'no'] } }
  return ends(`已做：${goal}`)
}
