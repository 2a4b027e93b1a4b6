/** `npm run bench -- <name> [--json]`: figures as ratios measured side by side in one run. `repair` also takes --unread. */
const BENCHES: Record<string, () => Promise<{ run: () => Promise<Figures>; about: string }>> = {
  budget: () => import('./budget.ts'),
  overhead: () => import('./overhead.ts'),
  strategies: () => import('./strategies.ts'),
  parallel: () => import('./parallel.ts'),
  growth: () => import('./growth.ts'),
  resume: () => import('./resume.ts'),
  repair: () => import('./repair.ts'),
  game24: () => import('./game24.ts'),
  lab: () => import('./lab.ts'),
  mini: () => import('./mini.ts'),
  prompts: () => import('./prompts.ts'),
  calls: () => import('./calls.ts'),
  cluster: () => import('./cluster.ts'),
  serve: () => import('./serve.ts'),
  studio: () => import('./studio.ts'),
  simulate: () => import('./simulate.ts'),
  'simulate-costs': () => import('./simulate-costs.ts'),
}

/** The result of a bench: `figures` for programs, `lines` for people. */
export interface Figures {
  figures: Record<string, unknown>
  lines: string[]
}

const json = process.argv.includes('--json')
/** With --json, stdout is for the program alone. */
const people = json ? process.stderr : process.stdout
const names = process.argv.slice(2).filter((word) => !word.startsWith('--'))
const unknown = names.find((name) => !(name in BENCHES))
if (unknown !== undefined || names.length > 1) {
  process.stderr.write(`bench: one of ${Object.keys(BENCHES).join(', ')}, with --json for programs\n`)
  process.exit(2)
}
for (const name of names.length > 0 ? names : Object.keys(BENCHES)) {
  const bench = await BENCHES[name]?.()
  if (bench === undefined) continue
  people.write(`${name}: ${bench.about}\n`)
  const { figures, lines } = await bench.run()
  for (const line of lines) people.write(`  ${line}\n`)
  if (json) process.stdout.write(`${JSON.stringify({ bench: name, ...figures })}\n`)
}
