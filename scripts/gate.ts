// The one command that says whether the code is good: every check runs, also after one has failed. A check's
// output is shown when it fails; the tests show their progress. The last line is the count of all.

import { spawn } from 'node:child_process'
import { existsSync, globSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, join, relative } from 'node:path'

const root = join(import.meta.dirname, '..')
const bin = join(root, 'node_modules/.bin')
const compileCache = join(root, 'node_modules/.cache/node-compile')
const temp = mkdtempSync(join(tmpdir(), 'thinkon-gate-'))
const exampleTimeoutMs = 120_000
const examplesAtOnce = 3
/** If more files fail, it is no accident. */
const MOST_TRIED_AGAIN = 3
const counts = { passed: 0, failed: 0, skipped: 0 }

/** What whoever reads the last lines has to know. */
const remarks: string[] = []

try {
  await installSandbox()
  await Promise.all([
    check('format, lint', join(bin, 'biome'), ['check', '--error-on-warnings', '.']),
    check('types', join(bin, 'tsc'), []),
    check('types of the page', join(bin, 'tsc'), ['-p', 'studio']),
    check('layers', process.execPath, ['scripts/check-layers.ts']),
    check('bounds of decoding', process.execPath, ['scripts/check-decoding.ts']),
    check('patterns', process.execPath, ['scripts/check-patterns.ts']),
    check('picture of the imports', process.execPath, ['scripts/import-picture.ts', '--check']),
    check('lock file', process.execPath, ['scripts/complete-lock.js', '--check']),
  ])
  await tests()
  await examples()
} finally {
  rmSync(temp, { recursive: true, force: true })
}

for (const remark of remarks) console.log(`\n! ${remark}`)
const skipped = counts.skipped > 0 ? `, ${counts.skipped} skipped` : ''
console.log(`\n${counts.passed} passed, ${counts.failed} failed${skipped}`)
process.exitCode = counts.failed > 0 ? 1 : 0

async function check(name: string, command: string, args: string[], options: RunOptions = {}) {
  const { ok, output, seconds } = await run(command, args, options)
  counts[ok ? 'passed' : 'failed'] += 1
  report(name, ok, seconds)
  if (!ok) console.log(output)
}

async function tests() {
  const first = await vitest()
  const { seconds } = first
  const again = await retried(first)
  const { ok, result } = again === null ? first : { ok: again.ok, result: first.result }
  const failed = again === null ? (result.numFailedTests ?? 0) : (again.result.numFailedTests ?? 0)
  counts.passed += (result.numPassedTests ?? 0) + (result.numFailedTests ?? 0) - failed
  // A file that can't be loaded, or an error outside a test, fails the run and no test.
  counts.failed += ok ? failed : Math.max(failed, 1)
  counts.skipped += (result.numPendingTests ?? 0) + (result.numTodoTests ?? 0)
  report('tests', ok, seconds + (again?.seconds ?? 0))
  // Only now: code that can't be loaded must not keep the checks from running.
  const { sandboxStatus } = await import('../src/tools/sandbox.ts')
  const { kind, text } = await sandboxStatus()
  if (kind === 'none')
    remarks.push(`${skippedOf(result, /\bsandbox\b/)} tests of the sandbox were skipped: ${text}`)
}

async function vitest(files: readonly string[] = []) {
  const file = join(temp, `vitest-${files.length}.json`)
  const reporters = ['--reporter=default', '--reporter=json', `--outputFile.json=${file}`]
  const args = ['run', '--passWithNoTests', ...reporters, ...files]
  const { ok, seconds } = await run(join(bin, 'vitest'), args, { show: true })
  // No file: there are no tests, or Vitest itself broke.
  const result: VitestResult = existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : {}
  return { ok, seconds, result }
}

/**
 * Files of which a test failed, once more and by themselves: hundreds of processes, clocks and servers are started on a machine that may be
 * busy. Whatever passes then is named: it is a race, in the test or in the product, and somebody has to look for it. Null if nothing is tried again.
 */
async function retried({ ok, result }: Awaited<ReturnType<typeof vitest>>) {
  const files = (result.testResults ?? []).filter(({ status }) => status === 'failed')
  const broken = files.some(({ assertionResults }) =>
    assertionResults.every((one) => one.status !== 'failed'),
  )
  if (ok || broken || files.length === 0 || files.length > MOST_TRIED_AGAIN) return null
  const names = files.map(({ name }) => name)
  console.log(`\nonce more, by themselves: ${names.join(', ')}`)
  const again = await vitest(names)
  if (!again.ok) return again
  for (const { name, assertionResults } of files)
    for (const { status, fullName } of assertionResults)
      if (status === 'failed')
        remarks.push(`failed, and passed when it was run again: ${relative(root, name)} > ${fullName}`)
  return again
}

function skippedOf(result: VitestResult, about: RegExp): number {
  const all = (result.testResults ?? []).flatMap(({ assertionResults }) => assertionResults)
  return all.filter(({ status, fullName }) => !/passed|failed/.test(status) && about.test(fullName)).length
}

/** What promises to keep commands in is tested with bubblewrap, where that can be had. Without it, the gate says so. */
async function installSandbox() {
  const canInstall = process.env.CI && process.getuid?.() === 0 && existsSync('/usr/bin/apt-get')
  if (!canInstall || existsSync('/usr/bin/bwrap')) return
  const options = { timeoutMs: 120_000, env: { DEBIAN_FRONTEND: 'noninteractive' } }
  const install = () => run('apt-get', ['install', '-y', '-q', 'bubblewrap'], options)
  if ((await install()).ok) return
  // The list of packages may be missing.
  if ((await run('apt-get', ['update', '-q'], options)).ok) await install()
}

async function examples() {
  const files = globSync('examples/[0-9][0-9]-*.ts', { cwd: root }).sort()
  if (files.length === 0) console.log('- examples: none yet')
  const worker = async () => {
    for (let file = files.shift(); file !== undefined; file = files.shift()) {
      // Elsewhere than in the checkout, so that what an example writes is not left there.
      const cwd = mkdtempSync(join(temp, 'example-'))
      await check(file, process.execPath, [join(root, file)], { cwd, timeoutMs: exampleTimeoutMs })
    }
  }
  await Promise.all(Array.from({ length: examplesAtOnce }, worker))
}

function report(name: string, ok: boolean, seconds: number) {
  console.log(`${ok ? '✓' : '✗'} ${name} (${seconds.toFixed(1)} s)`)
}

interface VitestResult {
  numPassedTests?: number
  numFailedTests?: number
  numPendingTests?: number
  numTodoTests?: number
  testResults?: {
    name: string
    status: string
    assertionResults: { status: string; fullName: string }[]
  }[]
}

interface RunOptions {
  cwd?: string
  env?: Record<string, string>
  show?: boolean // the output goes to ours as it comes
  timeoutMs?: number
}

function run(
  command: string,
  args: string[],
  { cwd = root, show = false, timeoutMs, env: more }: RunOptions,
) {
  const began = performance.now()
  // First in the path: the tools are started by `#!/usr/bin/env node`, and must get this Node.
  const env = {
    ...process.env,
    ...more,
    PATH: `${bin}${delimiter}${process.env.PATH}`,
    NODE_COMPILE_CACHE: compileCache,
  }
  const child = spawn(command, args, {
    cwd,
    env,
    stdio: ['ignore', show ? 'inherit' : 'pipe', show ? 'inherit' : 'pipe'],
    ...(timeoutMs && { timeout: timeoutMs, killSignal: 'SIGKILL' }),
  })
  let output = ''
  for (const stream of [child.stdout, child.stderr]) stream?.on('data', (chunk) => (output += chunk))
  return new Promise<{ ok: boolean; output: string; seconds: number }>((resolve) => {
    const end = (code: number | null, why: string) => {
      if (code !== 0) output += `ended with ${why}`
      resolve({ ok: code === 0, output, seconds: (performance.now() - began) / 1000 })
    }
    child.on('error', (error) => end(null, error.message))
    child.on('close', (code, signal) => end(code, signal ?? `exit code ${code}`))
    // A process it left behind may hold the output open, and then there is no close.
    child.on('exit', (code, signal) => setTimeout(end, 2000, code, signal ?? `exit code ${code}`).unref())
  })
}
