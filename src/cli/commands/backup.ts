import { statSync } from 'node:fs'
import { resolve } from 'node:path'
import { bytesText } from '../../views/figures.ts'
import type { CommandRun } from '../command.ts'
import { withStore } from '../session.ts'

export const backup: CommandRun = ({ values, args, out }) =>
  withStore(values, null, async ({ engine }) => {
    const file = resolve(args[0] as string)
    await engine.backup(file)
    const bytes = statSync(file).size
    if (out.json) out.data({ type: 'backup', file, bytes })
    else out.print(`the store is in ${file} (${bytesText(bytes)}); --store ${file} opens it`)
    return 0
  })
