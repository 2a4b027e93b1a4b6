import { existsSync } from 'node:fs'
import { addAbortSignal, Readable } from 'node:stream'
import { readFileChunks } from '../../files/open-file.ts'
import { bytesText } from '../../views/figures.ts'
import { type CommandRun, textOption } from '../command.ts'
import { longWork } from '../long-work.ts'
import { badInput } from '../options.ts'
import { withSession } from '../session.ts'
import { MEMORY, prepareStore, readSetting } from '../setting.ts'

export const importRun: CommandRun = async ({ values, args, out }) => {
  const setting = await readSetting(values)
  if (setting.store === MEMORY)
    throw badInput('a run that is imported into memory is gone at once: use a store file')
  const as = textOption(values, 'as')
  const file = args[0] as string
  // Before the store is created: a mistyped name leaves nothing behind.
  if (file !== '-' && !existsSync(file))
    throw new Error(
      `there is no file ${file}: give one that thinkon export wrote, or - to read standard input`,
    )
  prepareStore(setting)
  return withSession(values, ({ engine, hint }) =>
    longWork(out, 'importing', async ({ signal, progress }) => {
      const source = file === '-' ? process.stdin : Readable.from(readFileChunks(file))
      addAbortSignal(signal, source)
      let bytes = 0
      async function* chunks(): AsyncGenerator<Buffer> {
        for await (const chunk of source) {
          bytes += chunk.length
          progress(bytesText(bytes))
          yield chunk
        }
      }
      const imported = await engine.import(chunks(), { signal, ...(as !== undefined && { as }) })
      const { run, events, existed } = imported
      if (out.json) {
        out.data({ type: 'import', ...imported })
        return 0
      }
      if (existed) out.print(`run ${run} is here already, with the same ${events} events: nothing to do`)
      else out.print(`imported run ${run} (${events} events); see: ${hint(`show ${run}`)}`)
      if ((await engine.outline(run)).outcome === null)
        out.remark('it has not ended: a resume says what it would do, and asks whether you trust it')
      return 0
    }),
  )
}
