/** The worker of a TextModel: reads the weights, and answers until it is terminated. Between two steps it hears what is new. */
import { readFileSync } from 'node:fs'
import { parentPort, workerData } from 'node:worker_threads'
import { errorData, errorText } from '../../../../protocol/index.ts'
import type { FromWorker, ToWorker } from './ask.ts'
import { unreadable } from './read-gguf.ts'
import { createTextEngine, type TextEngine } from './text-engine.ts'
import { readWeights } from './weights.ts'

const { file } = workerData as { file: string }

try {
  const bytes = bytesOf(file)
  serve(createTextEngine(readWeights(bytes, file)))
  // The engine has the weights in its own form: the file's memory is given back now, not when it is collected.
  bytes.buffer.transfer(0)
  send({ type: 'ready' })
} catch (thrown) {
  send({ type: 'unusable', error: errorData(thrown, 'INTERNAL') })
}

function bytesOf(path: string): Uint8Array<ArrayBuffer> {
  try {
    return readFileSync(path)
  } catch (cause) {
    const isMissing = (cause as NodeJS.ErrnoException).code === 'ENOENT'
    throw unreadable(path, isMissing ? 'there is no such file' : errorText(cause), cause)
  }
}

function serve(engine: TextEngine): void {
  const drops = new Map<number, () => void>()
  let isRunning = false
  const run = () => {
    isRunning = engine.step()
    if (isRunning) setImmediate(run)
  }
  parentPort?.on('message', (message: ToWorker) => {
    const { id } = message
    if (message.type === 'drop') {
      drops.get(id)?.()
      drops.delete(id)
      return
    }
    let isAnswered = false
    const drop = engine.ask(message.ask, (answer) => {
      isAnswered = answer.type !== 'text'
      if (isAnswered) drops.delete(id)
      send({ type: 'answer', id, answer })
    })
    if (isAnswered) return
    drops.set(id, drop)
    if (isRunning) return
    isRunning = true
    setImmediate(run)
  })
}

function send(message: FromWorker): void {
  parentPort?.postMessage(message)
}
