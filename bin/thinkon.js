#!/usr/bin/env node
// Plain JavaScript on purpose: it must also run on an old Node, to say or do what is needed then.
import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

const here = (path) => fileURLToPath(new URL(path, import.meta.url))
const [major, minor] = process.versions.node.split('.').map(Number)
const ownNode = here('../node_modules/node/bin/node')

if (major > 22 || (major === 22 && minor >= 18)) await start()
else if (existsSync(ownNode)) runWith(ownNode)
else {
  console.error(
    `thinkon needs Node.js 22.18 or newer; this is ${process.version}.\n` +
      'Install a newer one from https://nodejs.org, or in a checkout of thinkon run `npm install`, which brings its own.',
  )
  process.exitCode = 2
}

// Node runs the TypeScript sources as they are, but not under node_modules, where dist is.
async function start() {
  endWithLauncher()
  const inCheckout = !/[\\/]node_modules[\\/]/.test(here('.'))
  const load = (name) => import(inCheckout ? `../src/cli/${name}.ts` : `../dist/cli/${name}.js`)
  const { cleanCrashes, cleanWarnings } = await load('node-output')
  cleanWarnings()
  cleanCrashes()
  await load('main')
}

// A run that is under way is left as it is, as by `kill`; what does not stop in time is stopped.
function endWithLauncher() {
  const launched = process.env.THINKON_LAUNCHER === String(process.ppid)
  delete process.env.THINKON_LAUNCHER
  if (!launched || !process.channel) return
  process.once('disconnect', () => {
    process.kill(process.pid, 'SIGTERM')
    setTimeout(() => process.kill(process.pid, 'SIGKILL'), 10_000).unref()
  })
  process.channel.unref()
}

function runWith(node) {
  // The channel says nothing: it closes when this process dies, however it dies.
  const child = spawn(node, process.argv.slice(1), {
    stdio: ['inherit', 'inherit', 'inherit', 'ipc'],
    env: { ...process.env, THINKON_LAUNCHER: String(process.pid) },
  })
  // A terminal sends ^C to the child too. Passing it on would make it two, and two may mean "at once".
  const terminal = process.stdin.isTTY || process.stdout.isTTY || process.stderr.isTTY
  process.on('SIGINT', () => terminal || child.kill('SIGINT'))
  process.on('SIGTERM', () => child.kill('SIGTERM'))
  child.on('exit', (code, signal) => {
    if (signal === null) process.exit(code)
    process.removeAllListeners(signal)
    process.kill(process.pid, signal)
  })
}
