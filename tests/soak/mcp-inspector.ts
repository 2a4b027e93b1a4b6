// The MCP inspector's command line against `thinkon mcp` on stdio and `thinkon serve` over HTTP, in both generations of the protocol.

import { execFileSync, spawn } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { checkout } from '../package/packed.ts'

const VERSION = '2.12.0'
const bin = join(checkout, 'bin/thinkon.js')
const model = `module:${join(checkout, 'tests/e2e/cli-model.ts')}`

export async function mcpInspector(): Promise<string> {
  const inspector = installInspector()
  const home = mkdtempSync(join(tmpdir(), 'thinkon-inspector-'))
  const own = {
    XDG_STATE_HOME: home,
    THINKON_MODEL: model,
    THINKON_STRATEGY: 'minimal',
    THINKON_TRUST: '1',
    THINKON_PROBE: 'off',
  }
  const env = {
    ...process.env,
    ...own,
    PATH: `${dirname(process.execPath)}:${process.env.PATH}`,
    HOME: home,
  }
  // It passes nothing of its environment on.
  const given = Object.entries(own).flatMap(([name, value]) => ['-e', `${name}=${value}`])
  const serve = spawn(process.execPath, [bin, 'serve', '--port', '0'], { cwd: home, env })
  try {
    const { url, token } = await addressOf(serve.stdout)
    const targets = {
      stdio: [process.execPath, bin, 'mcp', ...given],
      HTTP: [`${url}/mcp`, '--header', `Authorization: Bearer ${token}`],
    }
    for (const [name, target] of Object.entries(targets)) {
      for (const era of ['legacy', 'modern']) {
        const inspect = (...args: string[]) => {
          const words = ['--cli', ...target, '--protocol-era', era, '--quiet', '--format', 'json', ...args]
          return execFileSync(process.execPath, [inspector, ...words], { cwd: home, env, encoding: 'utf8' })
        }
        tryOut(`${name}, ${era}`, inspect)
      }
    }
    return `${Object.keys(targets).join(' and ')}, both generations, with inspector ${VERSION}`
  } finally {
    serve.kill()
    rmSync(home, { recursive: true, force: true })
  }
}

function tryOut(where: string, inspect: (...args: string[]) => string): void {
  const expectText = (said: string, needle: string) => {
    if (!said.includes(needle)) throw new Error(`${where}: expected ${needle} in ${said.slice(0, 1_000)}`)
  }
  const tool = (name: string, args: object) =>
    inspect('--method', 'tools/call', '--tool-name', name, '--tool-args-json', JSON.stringify(args))
  // Exits with 6 if a schema of a tool is one that clients can't use.
  expectText(inspect('--method', 'tools/list', '--strict'), '"strategies"')
  const ended = tool('run', { goal: 'the end' })
  expectText(ended, 'reached: the end')
  const [, run = ''] = /"run": ?"([\w-]+)"/.exec(ended) ?? []
  expectText(tool('show', { run }), 'reached: the end')
  expectText(inspect('--method', 'resources/read', '--uri', `thinkon://runs/${run}/tree`), 'reached: the end')
  expectText(inspect('--method', 'resources/templates/list'), 'thinkon://runs/{run}')
  expectText(
    inspect('--method', 'prompts/get', '--prompt-name', 'tot', '--prompt-args', 'goal=make 24'),
    'make 24',
  )
  // Its command line asks nobody: the question comes back.
  const asking = tool('run', { goal: 'ask' })
  expectText(asking, 'Go on?')
  const [, waiting = ''] = /"run": ?"([\w-]+)"/.exec(asking) ?? []
  tool('answer', { run: waiting, answer: 'yes' })
  expectText(tool('wait', { run: waiting }), 'answer: yes')
  const load = ['--load', '--load-requests', '200', '--load-concurrency', '50']
  const loaded = inspect('--method', 'tools/call', '--tool-name', 'list', '--tool-args-json', '{}', ...load)
  process.stdout.write(`  ${where}: 200 calls, 50 at once: ${loaded.replaceAll(/\s+/g, ' ').slice(0, 300)}\n`)
}

/** Of its first line. */
async function addressOf(stdout: NodeJS.ReadableStream): Promise<{ url: string; token: string }> {
  let said = ''
  for await (const chunk of stdout) {
    said += chunk
    const [, url, file] = /(http:\/\/[\d.]+:\d+)\/\?code=[\s\S]*token in (\S+)\n/.exec(said) ?? []
    if (url !== undefined && file !== undefined) return { url, token: readFileSync(file, 'utf8').trim() }
  }
  throw new Error(`thinkon serve has ended: ${said}`)
}

/** Installed once, without the scripts of its packages: it is there when its folder has its name. */
function installInspector(): string {
  const folder = join(checkout, 'node_modules/.cache', `mcp-inspector-${VERSION}`)
  if (!existsSync(folder)) {
    const part = `${folder}.${process.pid}`
    mkdirSync(part, { recursive: true })
    writeFileSync(join(part, 'package.json'), '{ "private": true }')
    const args = [
      'install',
      '--ignore-scripts',
      '--no-audit',
      '--no-fund',
      `@modelcontextprotocol/inspector@${VERSION}`,
    ]
    execFileSync('npm', args, { cwd: part, stdio: 'ignore' })
    renameSync(part, folder)
  }
  return join(folder, 'node_modules/.bin/mcp-inspector')
}
