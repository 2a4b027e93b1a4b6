/**
 * The sandbox for commands: bubblewrap, if it is installed and may create namespaces. Inside, the workspace is writable
 * except for what other programs execute or trust later (seal.ts), /tmp is private and empty, everything else is read-only,
 * files with keys can't be read (secret-files.ts), there is no network, no socket in /run, and no process outlives the call. System calls
 * that reach the keyrings of the kernel, or make files set-user-ID, are refused (seccomp.ts).
 */
import { existsSync } from 'node:fs'
import { mkdtemp, realpath, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { homeFolder, isWithin } from '../files/look.ts'
import { type CommandLimits, commandLimits, limitingShell } from './command-limits.ts'
import { toolError } from './define-tool.ts'
import { type DeniedFiles, deniedFiles } from './denied-files.ts'
import { databaseFilesIn } from './own-files.ts'
import { mountsOfSandbox, nextSandboxMark } from './placeholders.ts'
import { type ProcessSpec, runProcess } from './run-process.ts'
import { NPM_FOLDER } from './sandbox-notes.ts'
import { type Seal, sealTrusted } from './seal.ts'
import { seccompFilter } from './seccomp.ts'
import { secretFiles } from './secret-files.ts'

/** `auto`: in the sandbox if there is one. `require`: only in the sandbox. */
export type SandboxMode = 'auto' | 'require' | 'off'

export interface SandboxStatus {
  readonly kind: 'bubblewrap' | 'none'
  /** One line for doctor and the head of a run: what the sandbox does, or why there is none and how to get it. */
  readonly text: string
}

let known: Promise<SandboxStatus> | null = null
/** Bubblewrap before 0.7 can't limit the size of /tmp. */
let limitsTmp = true

/** Tried once per process, by running something in it. */
export function sandboxStatus(): Promise<SandboxStatus> {
  known ??= trySandbox(process.env.PATH ?? '')
  return known
}

/** Whether a command is to run in the sandbox; throws if it must and can't. */
export async function usesSandbox(mode: SandboxMode): Promise<boolean> {
  if (mode === 'off') return false
  const { kind, text } = await sandboxStatus()
  if (kind === 'none' && mode === 'require') {
    throw toolError(`refused: the configuration requires a sandbox, but ${text}`)
  }
  return kind !== 'none'
}

export async function trySandbox(path: string): Promise<SandboxStatus> {
  if (process.platform !== 'linux') return none('bubblewrap exists for Linux only')
  const workspace = await realpath(await mkdtemp(join(tmpdir(), 'thinkon-sandbox-')))
  try {
    const options = { workspace, network: false, env: [] }
    const { process, release } = sandboxed(['/bin/sh', '-c', 'touch tried'], options)
    const { exitCode, stderr } = await runProcess({
      ...process,
      cwd: workspace,
      env: { PATH: path },
      timeoutMs: 5_000,
      maxOutputBytes: 2_000,
      signal: new AbortController().signal,
    }).finally(release)
    const text = 'commands run in bubblewrap: the workspace is writable, the rest read-only, no network'
    if (exitCode === 0) return { kind: 'bubblewrap', text }
    if (limitsTmp && /unknown option --size/i.test(stderr)) {
      limitsTmp = false
      return trySandbox(path)
    }
    const [why] = stderr.trim().split('\n')
    return none(`bubblewrap can't be used here: ${why || `it ended with ${exitCode}`}`)
  } catch (error) {
    const { message } = error as Error
    if (!message.includes('ENOENT')) return none(message)
    return none('bubblewrap is not installed (apt install bubblewrap, dnf install bubblewrap)')
  } finally {
    await rm(workspace, { recursive: true, force: true })
  }
}

export interface Sandboxed extends Pick<Seal, 'placeholders' | 'release'> {
  readonly process: Required<Pick<ProcessSpec, 'argv' | 'ready'>> & Pick<ProcessSpec, 'filter'>
  /** Files and folders that can't be read inside: keys, and what the rules deny. */
  readonly hidden: readonly string[]
  readonly denied: readonly string[]
}

/** The command line that runs another in the sandbox, in the current folder. */
export function sandboxed(argv: readonly [string, ...string[]], options: SandboxOptions): Sandboxed {
  const { workspace, network, env, isDenied, limits = commandLimits() } = options
  const denied = isDenied === undefined ? NOTHING_DENIED : deniedFiles(workspace, isDenied)
  const hidden = secretFiles(process.env, env)
  const isInside = (path: string) => isWithin(workspace, path)
  const isOutside = (path: string) => !isInside(path)
  const databases = databaseFilesIn(workspace)
  const seal = sealTrusted(workspace, [...denied.folders, ...denied.files, ...databases])
  const mark = nextSandboxMark()
  const filter = seccompFilter()
  const line: [string, ...string[]] = [
    'bwrap',
    '--die-with-parent',
    ...['--unshare-pid', '--unshare-ipc', '--unshare-uts', '--unshare-cgroup-try'],
    ...(network ? [] : ['--unshare-net']),
    ...capabilities(),
    ...(filter === null ? [] : ['--seccomp', '4']),
    ...['--ro-bind', '/', '/', '--dev', '/dev', '--tmpfs', mark, '--proc', '/proc'],
    // System-wide settings: without this, a command run by root could change them (seen with bubblewrap 0.8).
    ...KERNEL_SETTINGS.flatMap((path) => ['--ro-bind-try', path, path]),
    ...KEY_LISTS.filter(existsSync).flatMap((path) => ['--ro-bind', '/dev/null', path]),
    // Its sockets would lead out of the sandbox: agents, containers, the desktop.
    ...['--tmpfs', '/run'],
    ...['--ro-bind-try', '/run/current-system', '/run/current-system'], // the programs of NixOS
    ...(limitsTmp ? ['--size', String(limits.tmpMb * 1024 * 1024)] : []),
    ...['--tmpfs', '/tmp', '--setenv', 'TMPDIR', '/tmp'],
    ...npmSettings(options),
    ...hide(hidden, isOutside),
    // Also where it is in a hidden folder.
    ...['--bind', workspace, workspace],
    ...seal.mounts,
    ...hide(hidden, isInside),
    ...hidden.shown.flatMap((path) => ['--ro-bind-try', path, path]),
    ...hidden.folders.flatMap((path) => (path === workspace ? [] : ['--remount-ro', path])),
    ...hide(denied, () => true),
    ...denied.folders.flatMap((path) => ['--remount-ro', path]),
    ...hide({ folders: [], files: databases }, () => true),
    ...['--', '/bin/sh', '-c', `${WAITING}; ${limitingShell(limits, true)}; exec "$@"`, 'sh'],
    ...argv,
  ]
  const ready = () => seal.verify(mountsOfSandbox(mark) ?? '')
  return {
    process: { argv: line, ready, ...(filter !== null && { filter }) },
    hidden: [...hidden.folders, ...hidden.files],
    denied: [...denied.folders, ...denied.files],
    placeholders: seal.placeholders,
    release: seal.release,
  }
}

/** The mounts are looked at before the command begins. */
const WAITING = 'echo ready >&3 && read -r go <&3 || exit 125; exec 3>&-'

export interface SandboxOptions {
  /** A real path. */
  readonly workspace: string
  readonly network: boolean
  /** Names of variables that are passed on: the files that they name can be read. */
  readonly env: readonly string[]
  readonly limits?: CommandLimits
  /** Files of the workspace, by their path in it, that can't be read. */
  isDenied?(path: string): boolean
}

const NOTHING_DENIED: DeniedFiles = { folders: [], files: [] }

function hide({ folders, files }: DeniedFiles, which: (path: string) => boolean): string[] {
  return [
    ...folders.filter(which).flatMap((path) => ['--tmpfs', path]),
    // A device can't be opened there.
    ...files.filter(which).flatMap((path) => ['--ro-bind', '/dev/null', path]),
  ]
}

/**
 * npm writes to its cache even to pack. A cache that is there can be read, which is worth more than one to write to where there is no
 * network: then it stays, and a note says how to have another.
 */
function npmSettings({ network, env }: SandboxOptions): string[] {
  const hasCache = existsSync(join(process.env.HOME ?? homeFolder(), '.npm', '_cacache'))
  const settings = {
    npm_config_logs_dir: `${NPM_FOLDER}/_logs`,
    ...((network || !hasCache) && { npm_config_cache: NPM_FOLDER }),
  }
  return Object.entries(settings).flatMap(([name, value]) =>
    env.includes(name) ? [] : ['--setenv', name, value],
  )
}

/** Descriptions of the keys in the keyrings of the kernel. */
const KEY_LISTS = ['/proc/keys', '/proc/key-users']
const KERNEL_SETTINGS = ['/proc/sys', '/proc/sysrq-trigger', '/proc/irq', '/proc/bus']

/** Root keeps the capabilities for other users' files, and none that could undo a mount. */
function capabilities(): string[] {
  if (process.getuid?.() !== 0) return []
  const kept = ['CAP_DAC_OVERRIDE', 'CAP_FOWNER', 'CAP_CHOWN']
  return ['--cap-drop', 'ALL', ...kept.flatMap((name) => ['--cap-add', name])]
}

function none(why: string): SandboxStatus {
  return { kind: 'none', text: `commands run without a sandbox: ${why}` }
}
