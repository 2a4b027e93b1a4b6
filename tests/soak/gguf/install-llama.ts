/**
 * node-llama-cpp with the binaries for this machine's processor: 85 MB. With those for GPUs it would be 700 MB, so it is no
 * development dependency: `npm run soak` installs it once, into the user's cache.
 */
import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'

const VERSION = '3.22.1'
const PACKAGE = 'node-llama-cpp'
const BINARIES: Readonly<Record<string, string>> = {
  'linux-x64': 'linux-x64',
  'linux-arm64': 'linux-arm64',
  'darwin-x64': 'mac-x64',
  'darwin-arm64': 'mac-arm64-metal',
  'win32-x64': 'win-x64',
  'win32-arm64': 'win-arm64',
}

/** Where it is installed, or would be. */
export function llamaFolder(): string {
  const cache = process.env.XDG_CACHE_HOME || join(homedir(), '.cache')
  return join(cache, 'thinkon', `${PACKAGE}-${VERSION}`)
}

/** The folder of the package. */
export function installLlama(): string {
  const folder = llamaFolder()
  const installed = join(folder, 'node_modules', PACKAGE)
  const done = join(folder, 'done')
  if (existsSync(done)) return installed
  const binaries = BINARIES[`${process.platform}-${process.arch}`]
  if (binaries === undefined)
    throw new Error(`${PACKAGE} has no binaries for ${process.platform} ${process.arch}`)
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, 'package.json'), '{"private":true,"type":"module"}\n')
  const packages = [`${PACKAGE}@${VERSION}`, `@node-llama-cpp/${binaries}@${VERSION}`]
  const npm = process.platform === 'win32' ? 'npm.cmd' : 'npm'
  execFileSync(
    npm,
    ['install', '--omit=optional', '--ignore-scripts', '--no-audit', '--no-fund', ...packages],
    {
      cwd: folder,
      stdio: ['ignore', 'ignore', 'inherit'],
    },
  )
  writeFileSync(done, '')
  return installed
}
