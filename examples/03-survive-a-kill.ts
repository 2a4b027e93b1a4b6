/** A process is killed in the middle of a run; another one resumes it. What was paid for is not paid for again. */
import { spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createEngine, type Model } from 'thinkon'

const [store = join(mkdtempSync(join(tmpdir(), 'thinkon-example-')), 'runs.db'), die] = process.argv.slice(2)

/** Counts to five, one call a step; in the first process the fourth call never ends. */
const model: Model = {
  id: 'counter',
  async call(_request, { n }) {
    const step = (n + 1) / 2
    console.log(`${die ? 'first' : 'second'} process: call ${step}`)
    if (die && step === 4) process.kill(process.pid, 'SIGKILL')
    const move =
      step < 5 ? { do: 'note', name: 'counted', data: step } : { do: 'return', result: 'counted to five' }
    return { text: JSON.stringify(move), usage: { inputTokens: 10, outputTokens: 5 } }
  },
}

if (die) {
  const engine = createEngine({ model, store })
  await (await engine.start('count to five', { strategy: 'minimal', id: 'count' })).outcome
} else {
  const killed = spawn(process.execPath, [import.meta.filename, store, 'die'], { stdio: 'inherit' })
  await new Promise((resolve) => killed.on('exit', resolve))
  console.log('the first process is dead; resuming')
  const engine = createEngine({ model, store })
  const outcome = await (await engine.resume('count')).outcome
  console.log(`${outcome.status}: ${outcome.result}, ${outcome.usage.calls} calls in all`)
  await engine.close()
  rmSync(join(store, '..'), { recursive: true, force: true })
}
