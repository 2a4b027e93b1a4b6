// `npm run gallery` writes docs/gallery: a run of each strategy, as the page that `thinkon export --html` makes. The runs are recorded
// (docs/gallery/runs), so that anybody gets the same pages without a model.

import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createEngine, type Engine } from '../src/index.ts'
import { sharedPage } from '../src/server/studio/shared-page.ts'
import { SHIPPED_VIEWS } from '../src/strategies/shipped-views.ts'

const folder = join(import.meta.dirname, '../docs/gallery')

const STRATEGIES = ['fractal', 'planner', 'tot', 'cot', 'dual'] as const

/** Imports all of them; that of a strategy is `gallery-` and its name. Studio is shown with these, too: tests/studio/shown-runs.ts. */
export async function importGallery(engine: Engine): Promise<void> {
  for (const strategy of STRATEGIES) {
    const file = readFileSync(join(folder, 'runs', `${strategy}.jsonl`))
    await engine.import([file], { as: `gallery-${strategy}` })
  }
}

async function writeGallery(): Promise<void> {
  const engine = createEngine({ store: ':memory:' })
  await importGallery(engine)
  for (const strategy of STRATEGIES) {
    const events = [...(await engine.events(`gallery-${strategy}`))]
    const page = await sharedPage(events, SHIPPED_VIEWS)
    writeFileSync(join(folder, `${strategy}.html`), page)
    console.log(`${strategy}: ${events.length} events, ${Math.round(page.length / 1000)} kB`)
  }
  await engine.close()
}

if (import.meta.main) await writeGallery()
