/**
 * `node locks-program.ts <folder> <store> <run> <rounds> [resume]`: works on a run in a store that its file tools can reach. Each round
 * searches the workspace, reads files of the store, lets the planner's observations look at it, and sends one letter, a write that must
 * not be repeated. Prints a line when a letter is committed.
 */
import { appendFileSync, existsSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { z } from 'zod'
import { builtinTools, createEngine, ThinkonError, tool } from '../../src/index.ts'
import { defineStrategy } from '../../src/strategies/index.ts'
import { checkObservations } from '../../src/tools/executors/observations.ts'

const [folder = '', store = '', id = '', rounds = '0', verb = 'start'] = process.argv.slice(2)

const mail = tool({
  name: 'mail',
  description: 'Sends a letter',
  access: 'write',
  input: z.object({ no: z.number() }),
  run: async ({ no }) => {
    appendFileSync(join(folder, `${id}.letters`), `${no}\n`)
    return 'sent'
  },
})

/** Holds the run after its first letter, while other processes look at the store. */
const wait = tool({
  name: 'wait',
  description: 'Waits for the file `go`',
  access: 'read',
  run: async () => {
    while (!existsSync(join(folder, 'go'))) await pause(10)
  },
})

const named = [store, `${store}-shm`, `${store}-wal`, 'link-to-store', 'hard-link']

const observe = tool({
  name: 'observe',
  description: 'Looks at files of the store as a planner does',
  access: 'read',
  run: () =>
    checkObservations(
      named.map((path) => `the file "${path}" contains "needle"`),
      { stdout: '', stderr: '', exitCode: 0, durationMs: 0, truncated: false },
      { workspace: folder, permits: () => 'allow' },
    ),
})

const strategy = defineStrategy({
  name: 'letters',
  version: 1,
  options: () => ({}),
  async solve(context) {
    const use = (name: string, input: unknown) => context.all([context.tool(name, input)])
    for (let no = 1; no <= Number(rounds); no++) {
      await use('search_files', { pattern: 'needle', all: true })
      for (const path of named) await use('read_file', { path })
      await use('edit_file', { path: 'hard-link', old: 'SQLite', new: 'x' })
      await use('list_files', { all: true })
      await use('observe', {})
      await use('mail', { no })
      process.stdout.write(`committed ${no}\n`)
      if (no === 1) await use('wait', {})
    }
    return 'done'
  },
})

const engine = createEngine({
  model: { id: 'none', call: () => Promise.reject(new Error('not used')) },
  store: join(folder, store),
  strategies: [strategy],
  tools: [mail, observe, wait, builtinTools({ workspace: folder })],
})
try {
  const run =
    verb === 'resume' ? await engine.resume(id) : await engine.start('letters', { id, strategy: 'letters' })
  process.stdout.write('started\n')
  const { status } = await run.outcome
  process.stdout.write(`ended ${status}\n`)
} catch (thrown) {
  process.stdout.write(`refused ${ThinkonError.isInstance(thrown) ? thrown.code : String(thrown)}\n`)
} finally {
  await engine.close()
}
