/** Whether a folder is trusted as it is now; if not, asks a person, or refuses and says how it is trusted. */
import { realpathSync } from 'node:fs'
import type { FoundConfig } from '../../config/index.ts'
import { ThinkonError } from '../../protocol/index.ts'
import { type AskingOptions, askTrust } from './ask-trust.ts'
import { guardImports, type ImportGuard } from './guard-imports.ts'
import { hashesOf, type Inspected, inspectFolder, placesOf } from './inspect-folder.ts'
import { codeNamedIn, keyOf, type Power, pathIn, powersOf, serverFilesIn } from './powers.ts'
import { readTrust, sha256, type TrustRecord, writeTrust } from './trust-records.ts'

export interface TrustOptions extends AskingOptions {
  /** It is trusted by this very command: `--trust`. */
  readonly isGiven: boolean
}

/** What this process may load: path and hash. */
const admitted = new Map<string, string>()
/** The record that was made in this process. It was made before all was loaded: what else is loaded is added to it. */
let fresh: TrustRecord | null = null
let guard: ImportGuard | undefined

export function folderTrust(folder: string, found: FoundConfig | null, options: TrustOptions) {
  const read = () => readTrust(folder, options.remark)

  /** The configuration and what it imports, whatever has become of executors and blueprints. */
  function holdsConfig(): boolean {
    if (found === null) return true
    const record = read()
    const { config, others } = placesOf(folder, found, {})
    if (record === null || !includes(record.files, config)) return false
    if (!isUnchanged(record.files, new Map([...config, ...others]))) return false
    admit(record.files)
    return true
  }

  /**
   * Resolves if a person trusts this value of the configuration: as it is written, or as it `isLoaded`. Throws UNTRUSTED, or INTERRUPTED
   * if the person left.
   */
  async function ensure(value: unknown, isLoaded = false): Promise<void> {
    const { config, others } = placesOf(folder, found, value)
    const named = [...codeNamedIn(value, folder), ...serverFilesIn(value, folder)]
    const files = new Map([...hashesOf(named), ...others, ...config])
    if (files.size === 0) return
    const record = fresh?.folder === folder ? fresh : read()
    const isSame = record !== null && includes(record.files, config) && isUnchanged(record.files, files)
    // With --trust, what it loads beyond that is trusted, too.
    if (isSame && options.isGiven) fresh = record
    if (isSame && includes(record.files, files) && includesAll(record.does, powersOf(value, folder)))
      return admit(record.files)
    const inspected = await inspectFolder(folder, found, value)
    await decide(folder, inspected, record, { ...options, isLoaded })
    // What only its execution showed stays known while the configuration is the same.
    const base = isSame ? record : { files: {}, does: [] }
    fresh = {
      folder,
      at: new Date().toISOString(),
      files: { ...base.files, ...Object.fromEntries(inspected.files) },
      does: [...new Map([...base.does, ...inspected.powers].map((one) => [keyOf(one), one])).values()],
    }
    writeTrust(fresh)
    admit(fresh.files)
  }

  return {
    holdsConfig,
    ensure,
    /** This file, and what it imports, is checked when it is loaded. */
    enter(path: string): void {
      guard ??= guardImports((loaded, hash) => check(loaded, hash, folder))
      guard.enter(path)
    },
    checkFile(path: string, text: string): void {
      const real = realpathSync(path)
      if (admitted.get(real) !== sha256(text)) throw untrustedFile(real, folder)
    },
  }
}

function admit(files: Readonly<Record<string, string>>): void {
  for (const [path, hash] of Object.entries(files)) admitted.set(path, hash)
}

function check(path: string, hash: string, folder: string): void {
  const known = admitted.get(path)
  if (known === hash) return
  if (known !== undefined || fresh?.folder !== folder) throw untrustedFile(path, folder)
  admitted.set(path, hash)
  fresh = { ...fresh, files: { ...fresh.files, [path]: hash } }
  writeTrust(fresh)
}

function untrustedFile(path: string, folder: string): ThinkonError {
  const shown = pathIn(path, folder)
  const why = admitted.has(path)
    ? 'has changed since you trusted it'
    : 'is loaded by the configuration, and was not when you trusted it'
  return new ThinkonError('UNTRUSTED', `${shown} ${why}: if you trust it, give this command --trust`, {
    data: { folder, files: [shown] },
  })
}

async function decide(
  folder: string,
  { files, powers }: Inspected,
  record: TrustRecord | null,
  options: TrustOptions & { isLoaded: boolean },
): Promise<void> {
  if (options.isGiven) return options.remark(`trusted from now on, until it changes: ${folder}`)
  const changed = record === null ? [] : [...files].filter(([path, hash]) => record.files[path] !== hash)
  const known = record && new Set(record.does.map(keyOf))
  const isKnown = (power: Power) => known === null || known.has(keyOf(power))
  const { isLoaded } = options
  const question = {
    head: headOf(folder, record, isLoaded),
    described: {
      powers: isLoaded ? powers.filter((power) => !isKnown(power)) : powers,
      changed: changed.map(([path]) => pathIn(path, folder)),
      isKnown,
    },
    question: isLoaded ? 'Do you trust that, too?' : 'Do you trust it? You are asked again when it changes.',
    how: `${isLoaded ? 'Nothing of that was done' : 'Nothing of it was executed'}. ${HOW}`,
    notDone: isLoaded ? 'nothing of that was done' : 'nothing was executed',
    subject: { folder },
    details: { files: [...files.keys()].map((path) => pathIn(path, folder)), does: powers },
  }
  await askTrust(question, options)
}

const HOW = 'If you trust it: thinkon trust, or --trust with this command; in CI: THINKON_TRUST=1'

function headOf(folder: string, record: TrustRecord | null, isLoaded: boolean): string {
  if (record === null) return `${folder} has a configuration that you have not trusted yet. It`
  return isLoaded
    ? `The configuration of ${folder} does more than its text shows. It also`
    : `The configuration of ${folder} is not as you trusted it. It now`
}

function includesAll(powers: readonly Power[], current: readonly Power[]): boolean {
  const keys = new Set(powers.map(keyOf))
  return current.every((power) => keys.has(keyOf(power)))
}

function includes(files: TrustRecord['files'], current: ReadonlyMap<string, string>): boolean {
  return [...current].every(([path, hash]) => files[path] === hash)
}

/** Of what is not in `known`. A file that is gone is not executed. */
function isUnchanged(files: TrustRecord['files'], known: ReadonlyMap<string, string>): boolean {
  const others = Object.keys(files).filter((path) => !known.has(path))
  return [...hashesOf(others)].every(([path, hash]) => files[path] === hash)
}
