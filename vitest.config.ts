import { join } from 'node:path'
import { defineConfig } from 'vitest/config'
import { BaseSequencer, type TestSpecification } from 'vitest/node'

// Where `npm run soak` has installed node-llama-cpp: without it, the tests that need it are skipped.
const llama = process.env.THINKON_LLAMA

export default defineConfig({
  test: {
    alias: llama ? { 'node-llama-cpp': join(llama, 'dist/index.js') } : {},
    include: [
      'src/**/*.test.ts',
      'tests/**/*.test.ts',
      'scripts/**/*.test.ts',
      'training/**/*.test.ts',
      'examples/**/*.test.ts',
    ],
    // Processes, not threads: the tests kill, lock and signal. A few for all files, not one for each: no test replaces a module, and
    // whoever changes the environment puts it back.
    pool: 'forks',
    isolate: false,
    setupFiles: ['tests/forget-secrets.ts'],
    unstubEnvs: true,
    // One more than the two cores on which the gate is timed: some tests wait for processes and clocks.
    maxWorkers: 3,
    // For what hangs. Nothing is measured: on a busy machine a test may take ten times as long as on a quiet one.
    testTimeout: 120_000,
    hookTimeout: 120_000,
    // One second by default, which is short on a busy machine. Like PATIENCE_MS of tests/conformance/async.ts.
    expect: { poll: { timeout: 100_000 } },
    sequence: { sequencer: longestFirst() },
    // Hundreds of processes are started: with the sources stripped and compiled once, each start costs a quarter.
    env: {
      NODE_COMPILE_CACHE: join(import.meta.dirname, 'node_modules/.cache/node-compile'),
      // What the commands remember stays out of the developer's home.
      XDG_STATE_HOME: join(import.meta.dirname, 'node_modules/.cache/state'),
    },
  },
})

/** Also where no earlier run has left its times: no worker is to be left alone with a long file at the end. */
function longestFirst() {
  const long = ['tests/crash/', 'tests/conformance/', 'tests/e2e/', 'tests/property/', 'tests/', 'src/']
  const rank = ({ moduleId }: TestSpecification) =>
    long.findIndex((folder) => moduleId.includes(`/${folder}`))
  return class extends BaseSequencer {
    override async sort(files: TestSpecification[]) {
      return (await super.sort(files)).sort((a, b) => rank(a) - rank(b))
    }
  }
}
