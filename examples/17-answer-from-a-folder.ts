/**
 * The assistant of docs/tutorial.md, which answers questions from a folder: 17-answer-from-a-folder/. It is killed with `kill -9` while a
 * person thinks about its question, and started again: it continues where it was. The model is a recording.
 */
import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const folder = join(import.meta.dirname, '17-answer-from-a-folder')
const MODEL = `replay:${join(folder, 'recorded.jsonl')}`
const cwd = mkdtempSync(join(tmpdir(), 'thinkon-example-'))

const first = start('Are there enough rye breads? If not, order some.')
await first.says('yes / no / always?')
console.log('\n(the person thinks; kill -9)\n')
first.process.kill('SIGKILL')
await once(first.process, 'exit')

const second = start()
await second.says('yes / no / always?')
console.log('(the person says yes)\n')
second.process.stdin?.write('yes\n')
await once(second.process, 'exit')

assert.equal(readFileSync(join(cwd, 'orders.txt'), 'utf8'), '20 rye bread\n')
assert.match(second.output(), /sources: large-orders\.md/)
rmSync(cwd, { recursive: true, force: true })

function start(...args: string[]) {
  const child: ChildProcess = spawn(process.execPath, [join(folder, 'ask.ts'), ...args], {
    cwd,
    env: { ...process.env, MODEL },
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  let output = ''
  child.stdout?.setEncoding('utf8').on('data', (text) => {
    process.stdout.write(text)
    output += text
  })
  return {
    process: child,
    output: () => output,
    async says(text: string) {
      while (!output.includes(text)) {
        assert.equal(child.exitCode, null, 'it has ended')
        await Promise.race([once(child.stdout ?? child, 'data'), once(child, 'exit')])
      }
    },
  }
}
