// `npm run gallery` writes docs/gallery: a run of each strategy, as the page that `thinkon export --html` makes. The calculator that ships
// answers, so that anybody gets the same without a key.

import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createEngine, type Engine } from '../src/index.ts'
import { sharedPage } from '../src/server/studio/shared-page.ts'
import { SHIPPED_VIEWS } from '../src/strategies/shipped-views.ts'

const folder = join(import.meta.dirname, '../docs/gallery')

const GOALS = {
  fractal: '((3+4)*(8-6)+(12/4-1)*5)*(2+(9-7)*3)',
  planner: '((3+4)*(8-6))-(12/4-1)*5',
  tot: 'Make 24 from 4, 9, 10 and 13',
  cot: '((3+4)*(8-6)+(12/4-1)*5)*2',
  dual: '((3+4)*(8-6))-(12/4-1)*5',
} as const

/** Runs all of them; that of a strategy is `gallery-` and its name. Studio is shown with these, too: tests/studio/shown-runs.ts. */
export async function runGallery(engine: Engine): Promise<string[]> {
  for (const [strategy, goal] of Object.entries(GOALS)) {
    const run = await engine.start(goal, { strategy, id: `gallery-${strategy}` } as object)
    const { status, result } = await run.outcome
    if (status !== 'completed') throw new Error(`${strategy} ended as ${status}: ${result}`)
  }
  return Object.keys(GOALS)
}

async function writeGallery(): Promise<void> {
  mkdirSync(folder, { recursive: true })
  const engine = createEngine({ model: 'embedded:abacus', store: ':memory:' })
  for (const strategy of await runGallery(engine)) {
    const events = [...(await engine.events(`gallery-${strategy}`))]
    const page = await sharedPage(events, SHIPPED_VIEWS)
    writeFileSync(join(folder, `${strategy}.html`), page)
    console.log(`${strategy}: ${events.length} events, ${Math.round(page.length / 1000)} kB`)
  }
  await engine.close()
}

if (import.meta.main) await writeGallery()
