/**
 * Runs the snippets that are named in a file, one after the other in this process, each in its own folder, and writes how each
 * ended into another file. Nothing leaves this machine.
 */
import { readFileSync, writeFileSync } from 'node:fs'
import { Socket } from 'node:net'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { format } from 'node:util'

interface Unit {
  name: string
  folder: string
  main: string
}

interface Ended {
  output: string
  error?: string
}

const TIMEOUT_MS = 60_000
const project = import.meta.dirname
const [given = '', results = ''] = process.argv.slice(2)
const units: Unit[] = JSON.parse(readFileSync(given, 'utf8'))
const ended: Record<string, Ended> = {}
let current: { output: string; fail: (error: unknown) => void } | null = null

stayOnThisMachine()
catchOutput()
process.on('unhandledRejection', (error) => current?.fail(error))
process.on('uncaughtException', (error) => current?.fail(error))

for (const unit of units) {
  ended[unit.name] = await run(unit)
  // After each: one that ends the process is the one that is missing.
  writeFileSync(results, JSON.stringify(ended))
}
process.exit(0)

async function run({ folder, main }: Unit): Promise<Ended> {
  const env = { ...process.env }
  process.chdir(join(project, folder))
  const failed = Promise.withResolvers<never>()
  const state = { output: '', fail: failed.reject }
  current = state
  const timer = setTimeout(failed.reject, TIMEOUT_MS, new Error(`it has not ended within ${TIMEOUT_MS} ms`))
  try {
    await Promise.race([import(pathToFileURL(join(project, folder, main)).href), failed.promise])
    return { output: state.output }
  } catch (error) {
    return { output: state.output, error: format('%O', error) }
  } finally {
    clearTimeout(timer)
    process.env = env
  }
}

function catchOutput(): void {
  const write = (chunk: string | Uint8Array) => {
    if (current !== null) current.output += typeof chunk === 'string' ? chunk : Buffer.from(chunk).toString()
    return true
  }
  process.stdout.write = write
  process.stderr.write = write
}

function stayOnThisMachine(): void {
  const { connect } = Socket.prototype
  Socket.prototype.connect = function (this: Socket, ...args: unknown[]) {
    const [first] = args.flat()
    const { host, path } = (typeof first === 'object' ? first : {}) as { host?: string; path?: string }
    const isHere = path !== undefined || ['localhost', '127.0.0.1', '::1'].includes(host ?? 'localhost')
    if (!isHere) throw new Error(`a snippet wants to connect to ${host}`)
    return Reflect.apply(connect, this, args)
  } as typeof connect
}
