import { createWriteStream, existsSync, renameSync, rmSync } from 'node:fs'
import { resolve } from 'node:path'
import { Readable, type Writable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { PRIVATE_FILE } from '../../files/private-files.ts'
import { bytesText } from '../../views/figures.ts'
import type { CommandRun } from '../command.ts'
import { longWork } from '../long-work.ts'
import { badInput } from '../options.ts'
import { withRun } from '../session.ts'

export const exportRun: CommandRun = ({ values, args, out }) =>
  withRun(values, args[0] as string, ({ engine }, { id, seq }) =>
    longWork(out, 'exporting', async ({ signal, progress }) => {
      let bytes = 0
      async function* lines(): AsyncGenerator<string> {
        for await (const line of await engine.export(id)) {
          bytes += Buffer.byteLength(line)
          progress(bytesText(bytes))
          yield line
        }
      }
      if (args[1] === '-') {
        await write(lines(), process.stdout, signal)
        return 0
      }
      const file = resolve(args[1] ?? fileName(id))
      if (existsSync(file) && values.force !== true)
        throw badInput(`${file} exists already: choose another file, or overwrite it with --force`)
      await writeWhole(lines(), file, signal)
      if (out.json) out.data({ type: 'export', run: id, file, events: seq, bytes })
      else out.print(`run ${id} is in ${file} (${bytesText(bytes)}); thinkon import reads it`)
      return 0
    }),
  )

/** The file appears whole or not at all. */
async function writeWhole(lines: AsyncIterable<string>, file: string, signal: AbortSignal): Promise<void> {
  const draft = `${file}.${process.pid}.tmp`
  try {
    await write(lines, createWriteStream(draft, { flags: 'wx', flush: true, mode: PRIVATE_FILE }), signal)
    renameSync(draft, file)
  } catch (error) {
    rmSync(draft, { force: true })
    throw error
  }
}

/** Goes only as fast as it can be written. */
async function write(lines: AsyncIterable<string>, to: Writable, signal: AbortSignal): Promise<void> {
  try {
    await pipeline(Readable.from(lines), to, { signal, end: to !== process.stdout })
  } catch (error) {
    // A reader that goes away is not an error.
    if (to !== process.stdout || (error as NodeJS.ErrnoException).code !== 'EPIPE') throw error
  }
}

function fileName(id: string): string {
  return `thinkon-${id.replace(/[^\w.-]+/g, '-')}.jsonl`
}
