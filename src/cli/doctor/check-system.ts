/** Node, npm, the terminal, the store. */
import { execFile } from 'node:child_process'
import { accessSync, constants, existsSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname } from 'node:path'
import { promisify } from 'node:util'
import { DatabaseSync } from '../../files/sqlite.ts'
import { errorData, ThinkonError } from '../../protocol/index.ts'
import { acceptLoss } from '../../store/checkpoints.ts'
import { openStore } from '../../store/open-store.ts'
import { VERSION } from '../../version.ts'
import type { Output } from '../output.ts'
import { MEMORY } from '../setting.ts'
import { type Finding, finding } from './finding.ts'
import { tryStore } from './try-store.ts'
import type { DoctorWords } from './words.ts'

const NPM_TIMEOUT_MS = 5_000

export async function checkSystem(words: DoctorWords): Promise<Finding[]> {
  const node = process.versions.node
  const npm = await npmVersion()
  const data = { node, npm, thinkon: VERSION, platform: `${process.platform} ${process.arch}` }
  const support = supportOf(node)
  if (support === 'old') return [finding('system', 'bad', words.oldNode(node), { todo: words.getNode, data })]
  const problem = await tryStore(tmpdir())
  if (problem !== null)
    return [finding('system', 'bad', words.noStores(node, tmpdir(), problem), { todo: words.getNode, data })]
  if (support === 'untested')
    return [finding('system', 'warn', words.untestedNode(node), { todo: words.getNode, data })]
  const text = [
    `thinkon ${VERSION}`,
    `Node ${node}`,
    npm === null ? words.noNpm : `npm ${npm}`,
    data.platform,
  ]
  return [finding('system', 'good', text.join(' · '), { data })]
}

/** As `engines` in package.json: the lines of Node on which the package is tested. */
export function supportOf(version: string): 'tested' | 'untested' | 'old' {
  const [major = 0, minor = 0] = version.split('.').map(Number)
  if (major < 22 || (major === 22 && minor < 18)) return 'old'
  return major === 23 || major === 25 ? 'untested' : 'tested'
}

async function npmVersion(): Promise<string | null> {
  try {
    const shell = process.platform === 'win32'
    const { stdout } = await promisify(execFile)('npm', ['--version'], { timeout: NPM_TIMEOUT_MS, shell })
    return stdout.trim() || null
  } catch {
    return null
  }
}

export function checkTerminal(out: Output, words: DoctorWords): Finding[] {
  const { stdout, env } = process
  const terminal = stdout.isTTY === true
  const colour = terminal && stdout.hasColors(env)
  const unicode = hasUnicode(env)
  const colours = terminal ? (colour ? words.colour : words.noColour) : words.pipe
  const text = words.terminal(colours, unicode ? words.unicode : words.ascii, out.width())
  return [finding('terminal', 'note', text, { data: { terminal, colour, unicode, width: out.width() } })]
}

export function hasUnicode(env: NodeJS.ProcessEnv): boolean {
  if (process.platform === 'win32') return Boolean(env.WT_SESSION || env.TERM_PROGRAM)
  return /utf-?8/i.test(env.LC_ALL || env.LC_CTYPE || env.LANG || '') && env.TERM !== 'linux'
}

/** `acceptsLoss`: a store without its -wal is used as it is from now on. */
export async function checkStore(store: string, words: DoctorWords, acceptsLoss = false): Promise<Finding[]> {
  if (store === MEMORY) return [finding('store', 'note', words.memory, { data: { path: store } })]
  const data = { path: store, exists: existsSync(store) }
  const place = nearestExisting(store)
  const isUsable = place === store ? statSync(place).isFile() : statSync(place).isDirectory()
  if (!isUsable || !isWritable(place) || (place === store && !isWritable(dirname(store))))
    return [finding('store', 'bad', words.notWritable(store), { todo: words.otherStore, data })]
  const problem = await tryStore(existsSync(dirname(store)) ? dirname(store) : place)
  if (problem !== null) return [finding('store', 'bad', problem, { todo: words.otherStore, data })]
  if (!data.exists) return [finding('store', 'good', words.newStore(store), { data })]
  try {
    const lost = acceptsLoss && (await acceptMissingWal(store))
    const opened = await openStore(store)
    const runs = await opened.count()
    await opened.close()
    const bytes = ['', '-wal'].reduce((sum, end) => sum + sizeOf(`${store}${end}`), 0)
    const format = formatOf(store)
    return [
      finding('store', 'good', words.store(store, runs, sizeText(bytes), format), {
        data: { ...data, runs, bytes, format, writable: true },
      }),
      ...(lost ? [finding('store', 'note', words.lostWal, { data: { ...data, acceptedLoss: true } })] : []),
    ]
  } catch (thrown) {
    // The message says what to do.
    const { code, message } = errorData(thrown, 'STORE_IO')
    return [finding('store', 'bad', message, { data: { ...data, code } })]
  }
}

/** Returns whether something was missing. */
async function acceptMissingWal(store: string): Promise<boolean> {
  try {
    await (await openStore(store)).close()
    return false
  } catch (thrown) {
    if (!ThinkonError.isInstance(thrown) || thrown.code !== 'STORE_WAL_MISSING') throw thrown
    return acceptLoss(store)
  }
}

function nearestExisting(path: string): string {
  return existsSync(path) || dirname(path) === path ? path : nearestExisting(dirname(path))
}

function isWritable(path: string): boolean {
  try {
    accessSync(path, constants.W_OK)
    return true
  } catch {
    return false
  }
}

function formatOf(path: string): number {
  const database = new DatabaseSync(path, { readOnly: true })
  try {
    return Number(database.prepare('PRAGMA user_version').get()?.user_version)
  } finally {
    database.close()
  }
}

function sizeOf(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.size ?? 0
}

function sizeText(bytes: number): string {
  if (bytes < 1_000_000) return `${Math.max(1, Math.round(bytes / 1_000))} kB`
  return `${(bytes / 1_000_000).toFixed(1)} MB`
}
