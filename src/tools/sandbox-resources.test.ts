import { spawnSync } from 'node:child_process'
import {
  chmodSync,
  chownSync,
  copyFileSync,
  existsSync,
  mkdtempSync,
  realpathSync,
  rmSync,
  statSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { toolIo } from '../testing/tool-io.ts'
import { shellTool } from './builtin/shell.ts'
import type { CommandLimits } from './command-limits.ts'
import { sandboxStatus } from './sandbox.ts'
import { seccompFilter } from './seccomp.ts'

const hasSandbox = (await sandboxStatus()).kind === 'bubblewrap'
const hasFilter = hasSandbox && seccompFilter() !== null
const hasPerl = spawnSync('perl', ['-e', '1']).status === 0
const hasSetpriv = spawnSync('setpriv', ['--version']).status === 0
const isRoot = process.getuid?.() === 0
const isX64 = process.arch === 'x64'

let workspace: string
beforeAll(() => {
  workspace = realpathSync(mkdtempSync(join(tmpdir(), 'thinkon-resources-')))
})
afterAll(() => rmSync(workspace, { recursive: true }))

interface Ended {
  readonly exitCode: number | null
  readonly stdout: string
  readonly stderr: string
  readonly note?: string
}

function shell(command: string, limits: Partial<CommandLimits> = {}, sandbox: 'require' | 'off' = 'require') {
  return shellTool({ sandbox, limits }).run(
    { command, timeoutMs: 30_000 },
    toolIo({ workspace }),
  ) as Promise<Ended>
}

/** Prints the error of a system call; 0 if it worked. */
function errorOf(call: string): string {
  return `perl -e 'my $result = syscall(${call}); print $result < 0 ? $! + 0 : 0'`
}
const [ADD_KEY, REQUEST_KEY, KEYCTL] = isX64 ? [248, 249, 250] : [217, 218, 219]
const EPERM = '1'
const ENOSYS = '38'

describe.skipIf(!hasFilter || !hasPerl)('system calls in the sandbox', () => {
  // KEYCTL_GET_KEYRING_ID of the session keyring, KEYCTL_JOIN_SESSION_KEYRING, KEYCTL_READ.
  it.each([
    `${KEYCTL}, 0, -3, 0`,
    `${KEYCTL}, 1, 0`,
    `${KEYCTL}, 11, -3, 0, 0`,
    `${ADD_KEY}, 0, 0, 0, 1, -3`,
    `${REQUEST_KEY}, 0, 0, 0, -3`,
  ])('do not reach the keyrings of the kernel: syscall(%s)', async (call) => {
    expect((await shell(errorOf(call))).stdout).toBe(EPERM)
  })

  it.runIf(isRoot && hasSetpriv)(
    'are refused to another user, too, whose processes the kernel counts',
    () => {
      const home = mkdtempSync(join(tmpdir(), 'thinkon-user-'))
      chownSync(home, 1000, 1000)
      const program = join(import.meta.dirname, '../../tests/sandboxed-command.ts')
      const command = `id -u; ${errorOf(`${KEYCTL}, 0, -3, 0`)}; for i in $(seq 100); do sleep 5 & done; wait; echo all`
      const user = ['--reuid', '1000', '--regid', '1000', '--clear-groups']
      const args = [...user, process.execPath, program, home, command, '{"processes":60}']
      const { stdout, stderr } = spawnSync('setpriv', args, {
        env: { ...process.env, HOME: home },
        encoding: 'utf8',
      })
      rmSync(home, { recursive: true })
      if (/sandbox|EACCES|permission denied/i.test(stderr)) return // no namespaces for other users, or no way to this checkout
      const ended = JSON.parse(stdout) as Ended
      expect(ended.stdout).toBe(`1000\n${EPERM}`)
      expect(ended.stderr + ended.note).toMatch(/Resource temporarily unavailable|more than 60 processes/)
    },
  )

  it('without the sandbox reach them', async () => {
    const { stdout } = await shell(errorOf(`${KEYCTL}, 0, -4, 0`), {}, 'off')
    expect(stdout).not.toBe(EPERM)
  })

  it('list no keys', async () => {
    const { stdout } = await shell('cat /proc/keys /proc/key-users')
    expect(stdout).toBe('')
  })

  it.runIf(isX64)('of the x32 ABI and those that can not be inspected do not exist', async () => {
    for (const call of [`${0x40000000 + 250}, 0, -3, 0`, '425, 1, 0', '437, -100, 0, 0, 0'])
      expect((await shell(errorOf(call))).stdout).toBe(ENOSYS)
  })

  it('make no file set-user-ID or set-group-ID, and others as always', async () => {
    const made = await shell(`
      cp /bin/true program && chmod 755 program && mkdir -p d && chmod 1777 d
      chmod 4755 program; chmod u+s program; chmod 2755 program; install -m 4755 program installed
      perl -e 'use Fcntl; sysopen(F, "opened", O_CREAT | O_WRONLY, 04755) or print "refused "; umask 0; sysopen(G, "other", O_CREAT | O_WRONLY, 0640) or print "bad"'
      perl -e 'chmod(06755, "program") and print "bad"'
      ./program && echo fine`)
    expect(made.stdout).toBe('refused fine\n')
    expect(made.stderr).toContain('not permitted')
    expect(statSync(join(workspace, 'program')).mode & 0o7777).toBe(0o755)
    expect(statSync(join(workspace, 'd')).mode & 0o7777).toBe(0o1777)
    expect(statSync(join(workspace, 'other')).mode & 0o7777).toBe(0o640)
    for (const name of ['installed', 'opened'])
      if (existsSync(join(workspace, name))) expect(statSync(join(workspace, name)).mode & 0o6000).toBe(0)
  })
})

it.runIf(hasSandbox && isRoot)('a set-user-ID file has no effect in the sandbox', async () => {
  const program = join(workspace, 'other-id')
  copyFileSync('/usr/bin/id', program)
  chownSync(program, 65534, 65534)
  chmodSync(program, 0o4755)
  expect(spawnSync(program, ['-u']).stdout.toString()).toBe('65534\n')
  expect((await shell('./other-id -u')).stdout).toBe('0\n')
})

describe('a command that uses too much', () => {
  const modes = hasSandbox ? (['require', 'off'] as const) : (['off'] as const)

  it.each(modes)('is ended when it has too many processes (sandbox: %s)', async (sandbox) => {
    const { note, stdout, stderr } = await shell(
      'for i in $(seq 200); do sleep 20 & done; wait; echo all',
      { processes: 60 },
      sandbox,
    )
    expect(stdout).not.toContain('all')
    if (note === undefined) expect(stderr).toContain('Resource temporarily unavailable')
    else expect(note).toContain('more than 60 processes')
  })

  it.runIf(hasPerl).each(modes)('gets no more memory in one process (sandbox: %s)', async (sandbox) => {
    const command = `perl -e 'my $text = "x" x 400_000_000; print length $text'`
    expect((await shell(command, { memoryMb: 200 }, sandbox)).stdout).toBe('')
    expect((await shell(command, { memoryMb: 2_000 }, sandbox)).stdout).toBe('400000000')
  })

  it.runIf(hasPerl).each(modes)(
    'is ended when its processes have too much together (sandbox: %s)',
    async (sandbox) => {
      const one = `perl -e 'my $text = "x" x 60_000_000; sleep 20'`
      const { note } = await shell(`for i in 1 2 3 4 5; do ${one} & done; wait`, { memoryMb: 200 }, sandbox)
      expect(note).toContain('more than 200 MB of memory')
    },
  )

  it.each(modes)('writes no larger file (sandbox: %s)', async (sandbox) => {
    await shell('head -c 20000000 /dev/zero > large', { fileMb: 5 }, sandbox)
    expect(statSync(join(workspace, 'large')).size).toBeLessThanOrEqual(5 * 1024 * 1024)
    await shell('head -c 3000000 /dev/zero > small', { fileMb: 8 }, sandbox)
    expect(statSync(join(workspace, 'small')).size).toBe(3_000_000)
  })

  it.runIf(hasSandbox)('finds /tmp full', async () => {
    const { stderr, stdout } = await shell('head -c 20000000 /dev/zero > /tmp/large; stat -c %s /tmp/large', {
      tmpMb: 5,
    })
    expect(stderr).toContain('No space left')
    expect(Number(stdout)).toBeLessThanOrEqual(5 * 1024 * 1024)
  })
})
