/** A model whose every word would control the terminal, in a run that has a bit of everything. */
import type { Model } from '../../src/index.ts'
import type { Result } from '../../src/protocol/index.ts'
import { evil } from './hostile-text.ts'

interface Input {
  goal: string
  path: string
  done: readonly string[]
  timeline: string
  results: readonly { name: string; result: Result }[]
}

const QUESTION = { text: evil('Go on?'), choices: [evil('yes'), evil('no')] }
const PERMISSION = { path: `${evil('file')}.txt`, content: evil('content') }

const model: Model = {
  id: 'hostile-model',
  async call(request, io) {
    const input = request.input as Input
    if (input.goal.includes('throw')) throw new Error(evil('the model is broken'))
    if (input.goal.includes('warn')) process.emitWarning(evil('a warning'), evil('WarningOfEvil'))
    if (input.goal.includes('crash'))
      setTimeout(() => {
        throw new Error(evil('nobody catches this'))
      })
    if (input.goal.includes('crash')) await new Promise(() => {})
    for (const char of evil('incoming text')) io.onDelta(char)
    const value = nextMove(input)
    return { text: JSON.stringify(value), value, usage: { inputTokens: 1, outputTokens: 1 } }
  },
}

export default model

/** In this run: several may follow each other in one process. */
let noted = false

function nextMove({ goal, path, done, timeline, results }: Input): unknown {
  if (path !== '1')
    return { do: 'return', status: 'partial', result: evil('a part'), reason: evil('why not') }
  if (goal.includes('ask')) {
    if (timeline.includes('Go on') || /→/.test(timeline)) return { do: 'return', result: evil('asked') }
    return { do: 'ask', question: QUESTION }
  }
  if (goal.includes('permission')) {
    if (results.length > 0) return { do: 'return', result: evil('permitted') }
    return { do: 'tool', calls: [{ name: 'write_file', input: PERMISSION }] }
  }
  if (results.length === 0) {
    noted = false
    return {
      do: 'tool',
      calls: [
        { name: 'read_file', input: { path: evil('missing') } },
        { name: 'list_files', input: {} },
        { name: 'odd__echo', input: { text: evil('echo') } },
        { name: 'odd__crash', input: {} },
        { name: evil('no such tool'), input: {} },
      ],
    }
  }
  if (!noted) {
    noted = true
    return { do: 'note', name: 'noted', data: { [evil('key')]: evil('noted') } }
  }
  if (done.length === 0) return { do: 'call', goals: [evil('first child'), evil('second child')] }
  return { do: 'return', result: `${evil('the result')}\n\n# ${evil('heading')}\n${evil('text')}` }
}
