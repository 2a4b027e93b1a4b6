import { createWriteStream, existsSync, renameSync, rmSync } from 'node:fs'
import { resolve } from 'node:path'
import { Readable, type Writable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { PRIVATE_FILE } from '../../files/private-files.ts'
import { sharedPage } from '../../server/studio/shared-page.ts'
import { viewsOf } from '../../strategies/registry.ts'
import { bytesText } from '../../views/figures.ts'
import { type CommandRun, textOption, type Values } from '../command.ts'
import { longWork } from '../long-work.ts'
import { badInput } from '../options.ts'
import { type Session, withRun } from '../session.ts'

const STDOUT = '-'

export const exportRun: CommandRun = ({ values, args, out }) =>
  withRun(values, args[0] as string, (session, { id, seq }) =>
    longWork(out, 'exporting', async ({ signal, progress }) => {
      const { parts, to, reads } = values.html === true ? pageOf(session, id) : linesOf(session, id)
      let bytes = 0
      async function* counted(): AsyncGenerator<string> {
        for await (const part of await parts()) {
          bytes += Buffer.byteLength(part)
          progress(bytesText(bytes))
          yield part
        }
      }
      const target = targetOf(values, args[1], to)
      if (target === STDOUT) {
        await write(counted(), process.stdout, signal)
        return 0
      }
      const file = freeFile(target, values)
      await writeWhole(counted(), file, signal)
      if (out.json) out.data({ type: 'export', run: id, file, events: seq, bytes })
      else out.print(`run ${id} is in ${file} (${bytesText(bytes)}); ${reads}`)
      return 0
    }),
  )

interface Exported {
  parts(): Promise<Iterable<string> | AsyncIterable<string>>
  /** Where it goes unless a file is given. */
  readonly to: string
  /** What the file is for. */
  readonly reads: string
}

function linesOf({ engine }: Session, id: string): Exported {
  const name = `thinkon-${id.replace(/[^\w.-]+/g, '-')}.jsonl`
  return { parts: () => engine.export(id), to: name, reads: 'thinkon import reads it' }
}

function pageOf({ engine, strategies }: Session, id: string): Exported {
  const parts = async () => [await sharedPage(await engine.events(id), await viewsOf(strategies))]
  return { parts, to: STDOUT, reads: 'any browser opens it' }
}

function targetOf(values: Values, given: string | undefined, otherwise: string): string {
  const option = textOption(values, 'out')
  if (option !== undefined && given !== undefined)
    throw badInput(`two files are given: ${given} and --out ${option}`)
  return option ?? given ?? otherwise
}

function freeFile(target: string, values: Values): string {
  const file = resolve(target)
  if (existsSync(file) && values.force !== true)
    throw badInput(`${file} exists already: choose another file, or overwrite it with --force`)
  return file
}

/** The file appears whole or not at all. */
async function writeWhole(parts: AsyncIterable<string>, file: string, signal: AbortSignal): Promise<void> {
  const draft = `${file}.${process.pid}.tmp`
  try {
    await write(parts, createWriteStream(draft, { flags: 'wx', flush: true, mode: PRIVATE_FILE }), signal)
    renameSync(draft, file)
  } catch (error) {
    rmSync(draft, { force: true })
    const { code, syscall, message } = error as NodeJS.ErrnoException
    // Nobody has named the draft.
    if (code === undefined || syscall === undefined) throw error
    throw Object.assign(new Error(message.replaceAll(draft, file), { cause: error }), { code, syscall })
  }
}

/** Goes only as fast as it can be written. */
async function write(parts: AsyncIterable<string>, to: Writable, signal: AbortSignal): Promise<void> {
  try {
    await pipeline(Readable.from(parts), to, { signal, end: to !== process.stdout })
  } catch (error) {
    // A reader that goes away is not an error.
    if (to !== process.stdout || (error as NodeJS.ErrnoException).code !== 'EPIPE') throw error
  }
}
