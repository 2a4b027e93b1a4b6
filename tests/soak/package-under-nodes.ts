// The package under other versions of Node, which come from npm's package `node`: imported and required, a run that is kept in a file
// and resumed, the command, and not a word on stderr.

import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { checkout, freshProject, type Project, parts } from '../package/packed.ts'

export function packageUnderOtherNodes(majors: readonly string[]): string {
  const project = freshProject()
  try {
    return majors.map((major) => tryUnder(project, nodeOf(major))).join(', ')
  } finally {
    project.remove()
  }
}

const RUN = `import { createEngine, solve } from 'thinkon'
const { result, run } = await solve('(3 + 4) * 2', { model: 'embedded:mini', store: process.argv[1] })
const engine = createEngine({ store: process.argv[1] })
const { differences } = await engine.replay(run)
await engine.close()
console.log(result, differences.length)`

function tryUnder(project: Project, node: string): string {
  const said = (args: string[]) => project.printed(args, { node })
  const version = said(['--version'])
  expectText(said(['--input-type=module', '-e', RUN, `${version}.db`]), '(3 + 4) × 2 = 14 0')
  const required = `for (const name of ${JSON.stringify(parts)}) if (Object.keys(require(name)).length === 0) throw name
    require('thinkon').solve('3 + 4', { model: 'embedded:mini' }).then(({ result }) => console.log(result))`
  expectText(said(['--input-type=commonjs', '-e', required]), '3 + 4 = 7')
  const command = join(project.installed, 'bin/thinkon.js')
  const run = project.node([command, 'run', '3 + 4', '--store', `${version}-cli.db`], { node })
  if (run.status !== 0 || !run.stdout.includes('3 + 4 = 7') || /Warning/.test(run.stderr))
    throw new Error(`${version}: thinkon run ended with ${run.status}\n${run.stdout}${run.stderr}`)
  const doctor = project.node([command, 'doctor', '--json', '--store', `${version}-doctor.db`], { node })
  const { findings } = JSON.parse(doctor.stdout) as {
    findings: { area: string; level: string; text: string }[]
  }
  const wrong = findings.filter(({ area, level }) => ['system', 'store'].includes(area) && level !== 'good')
  if (wrong.length > 0) throw new Error(`${version}: thinkon doctor finds ${JSON.stringify(wrong)}`)
  return version
}

function expectText(text: string, expected: string) {
  if (text !== expected) throw new Error(`expected "${expected}", got "${text}"`)
}

/** Installed once: a version is there when its folder has its name. */
function nodeOf(major: string): string {
  const folder = join(checkout, 'node_modules/.cache/nodes', major)
  const node = join(folder, 'node_modules/node/bin/node')
  if (existsSync(node)) return node
  const making = `${folder}-${process.pid}`
  mkdirSync(making, { recursive: true })
  writeFileSync(join(making, 'package.json'), '{ "allowScripts": { "node": true } }')
  execFileSync('npm', ['install', '--no-save', '--loglevel=error', `node@${major}`], {
    cwd: making,
    stdio: 'inherit',
  })
  rmSync(folder, { recursive: true, force: true })
  renameSync(making, folder)
  return node
}
