import { realpathSync } from 'node:fs'
import { showHidden } from '../../protocol/index.ts'
import { type CommandRun, textOption } from '../command.ts'
import { canAsk } from '../confirm.ts'
import { badInput } from '../options.ts'
import type { Output } from '../output.ts'
import { isFolder, trustOptions } from '../setting.ts'
import { isTrustedProcess, loadTrusted } from '../trust/load-trusted.ts'
import { describePowers } from '../trust/powers.ts'
import { forgetTrust, listTrust, readTrust, type TrustRecord } from '../trust/trust-record.ts'
import { localTime } from './list.ts'

/** Whoever gives this command trusts the folder; on a terminal, after a look at what it would do. */
export const trust: CommandRun = async ({ values, out }) => {
  if (values.list === true) return list(out)
  const given = textOption(values, 'workspace') ?? '.'
  if (!isFolder(given)) throw badInput(`the workspace ${given} is not a folder`)
  const folder = realpathSync(given)
  if (values.forget === true) return forget(folder, out)
  const was = readTrust(folder)
  const isAsked = canAsk() && !out.json && values.trust !== true && !isTrustedProcess()
  await loadTrusted(folder, { ...trustOptions(values), isGiven: !isAsked, remark: out.remark })
  report(folder, { was, record: readTrust(folder), isAsked }, out)
  return 0
}

interface Trusted {
  readonly was: TrustRecord | null
  readonly record: TrustRecord | null
  /** What it does has been shown already. */
  readonly isAsked: boolean
}

function report(folder: string, { was, record, isAsked }: Trusted, out: Output): void {
  const { rows = [], at = '' } = record ?? {}
  const isOld = was?.at === at
  if (out.json) {
    out.data({ type: 'trust', folder, trusted: record !== null, does: rows })
  } else if (record === null) {
    out.print(`there is nothing to trust in ${folder}: no configuration, no executors, no blueprints`)
  } else if (isAsked && !isOld) {
    out.print(`trusted: ${folder}`)
  } else {
    out.print(`you trust the configuration of ${folder}${isOld ? ` (since ${localTime(at)})` : ''}. It`)
    for (const line of describePowers(rows.filter(({ power }) => power !== 'uses'))) out.print(line)
  }
}

function list(out: Output): number {
  const records = listTrust()
  if (records.length === 0) out.remark('you trust no folder yet')
  for (const { folder, at, rows } of records) {
    if (out.json) out.data({ folder, at, files: rows.filter((row) => row.hash !== undefined).length })
    else out.print(`${localTime(at)}  ${showHidden(folder)}`)
  }
  return 0
}

function forget(folder: string, out: Output): number {
  const was = forgetTrust(folder)
  if (out.json) out.data({ type: 'trust', folder, trusted: false })
  else out.print(was ? `${folder} is not trusted any more` : `${folder} was not trusted`)
  return 0
}
