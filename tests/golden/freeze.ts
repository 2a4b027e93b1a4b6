// Writes the frozen journals of the current version of the store: `node tests/golden/freeze.ts`. Done once for each version;
// what is frozen is never written again, unless forced before its release: `node tests/golden/freeze.ts --force`.

import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createEngine } from '../../src/engine.ts'
import { sqliteStore } from '../../src/store/sqlite.ts'
import { STORE_VERSION } from '../../src/store/sqlite-open.ts'
import { crashAt, manualClock } from '../../src/testing/index.ts'
import { answerAt } from '../answers.ts'
import { until } from '../conformance/async.ts'
import { frozenModel, frozenStrategy, frozenTools } from './frozen-strategy.ts'
import { journalText } from './journal-text.ts'

const folder = join(import.meta.dirname, 'frozen', `store-${STORE_VERSION}`)
const file = join(folder, 'store.sqlite')

if (existsSync(file) && !process.argv.includes('--force')) {
  console.error(
    `${folder} is frozen: journals of store version ${STORE_VERSION} must stay as they were written`,
  )
  process.exit(1)
}
rmSync(folder, { recursive: true, force: true })
mkdirSync(folder, { recursive: true })
await freeze('ended', () => false)
await freeze('unfinished', (name) => name === 'write' || name === 'frozen/last')
console.log(`frozen: ${folder}`)

/** Runs it until it ends, or until what hangs is under way; then the process dies, with a message in the inbox. */
async function freeze(id: string, hang: (name: string) => boolean): Promise<void> {
  const store = crashAt(sqliteStore(file))
  const clock = manualClock()
  const engine = createEngine({
    store,
    clock,
    model: frozenModel(hang),
    tools: frozenTools(hang),
    strategies: [frozenStrategy],
  })
  const run = await engine.start('be frozen', {
    strategy: 'frozen',
    id,
    seed: 'frozen',
    budget: { calls: 100 },
  })
  let outcome = ''
  run.outcome.then(({ status }) => (outcome = status)).catch(() => {})
  const asked = () => [...store.read(id)].filter((event) => event.type === 'signal-asked').length
  await until(() => asked() === 3, 'the last question is asked')
  await clock.advance(60_000)
  await run.signal('1', 'message', 'be brief')
  await answerAt(run, '1', 'yes')
  const hangs = () =>
    [...store.read(id)].some((event) => event.type === 'model-start' && event.request.kind === 'frozen/last')
  await until(() => outcome !== '' || (hang('write') && hangs()), 'it ends, or hangs')
  if (outcome === '') await run.signal('1', 'message', 'from before the crash')
  writeFileSync(join(folder, `${id}.jsonl`), journalText(store.read(id)))
  store.crash()
  await engine.close()
  store.close()
}
