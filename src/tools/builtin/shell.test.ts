import { execFileSync } from 'node:child_process'
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { until } from '../../../tests/conformance/async.ts'
import { toolIo } from '../../testing/tool-io.ts'
import { sandboxStatus, trySandbox } from '../sandbox.ts'
import { type ShellOptions, shellTool } from './shell.ts'

interface Ran {
  exitCode: number | null
  stdout: string
  stderr: string
  sandboxed: boolean
  timedOut?: string
  signal?: string
}

const status = await sandboxStatus()
const hasSandbox = status.kind === 'bubblewrap'
let workspace: string

beforeEach(() => {
  workspace = realpathSync(mkdtempSync(join(tmpdir(), 'thinkon-shell-')))
})
afterEach(() => rmSync(workspace, { recursive: true, force: true }))

describe.each(['off', 'auto'] as const)('shell, sandbox %s', (sandbox) => {
  it('gives exit code, stdout and stderr', async () => {
    expect(await run({ sandbox }, { command: 'echo out; echo err >&2; exit 3' })).toEqual({
      exitCode: 3,
      stdout: 'out\n',
      stderr: 'err\n',
      sandboxed: sandbox === 'auto' && hasSandbox,
    })
  })

  it('runs in the workspace or a folder of it, with no input', async () => {
    mkdirSync(join(workspace, 'sub'))
    expect((await run({ sandbox }, { command: 'pwd; cat' })).stdout).toBe(`${workspace}\n`)
    expect((await run({ sandbox }, { command: 'pwd', cwd: 'sub' })).stdout).toBe(`${workspace}/sub\n`)
    expect((await run({ sandbox }, { command: '-x; echo 1' })).stdout).toBe('1\n')
  })

  it('ends at the time-out with all that it started, and keeps the output', async () => {
    const mark = `${7_000_000 + Math.floor(Math.random() * 1_000_000)}`
    const command = `echo before; sleep ${mark} & (setsid sleep ${mark} &) ; nohup sleep ${mark} >/dev/null 2>&1 & trap '' TERM; sleep ${mark}`
    const ran = await run({ sandbox }, { command, timeoutMs: 500 })
    expect(ran).toMatchObject({ stdout: 'before\n', timedOut: 'ended after 500 ms' })
    expect(sleeping(mark)).toBe(0)
  })

  it('leaves nothing running when it is aborted', async () => {
    const mark = `${8_000_000 + Math.floor(Math.random() * 1_000_000)}`
    const stop = new AbortController()
    const running = run({ sandbox }, { command: `setsid sleep ${mark} & sleep ${mark}` }, stop.signal)
    await until(() => sleeping(mark) >= 2, 'both sleep')
    stop.abort(new Error('enough'))
    await expect(running).rejects.toMatchObject({ code: 'CANCELLED' })
    expect(sleeping(mark)).toBe(0)
  })

  it('leaves nothing running when it ends', async () => {
    const mark = `${9_000_000 + Math.floor(Math.random() * 1_000_000)}`
    const ran = await run({ sandbox }, { command: `sleep ${mark} & setsid sleep ${mark} & echo done` })
    expect(ran).toMatchObject({ exitCode: 0, stdout: 'done\n' })
    expect(sleeping(mark)).toBe(0)
  })

  it('keeps head and tail of a long output', async () => {
    const { stdout } = await run(
      { sandbox },
      { command: 'echo first; yes 你好 | head -c 3000000; echo; echo last' },
    )
    expect(stdout.length).toBeLessThan(33_000)
    expect(stdout).toMatch(/^first\n你好/)
    expect(stdout).toMatch(/好\n\nlast\n$|last\n$/)
    expect(stdout).toMatch(/\[… \d+ bytes left out …\]/)
    expect(stdout).not.toContain('\uFFFD')
  })

  it('does not run what is aborted before', async () => {
    await expect(run({ sandbox }, { command: 'touch ran' }, AbortSignal.abort())).rejects.toMatchObject({
      code: 'CANCELLED',
    })
    expect(existsSync(join(workspace, 'ran'))).toBe(false)
  })

  it('passes no secret on (K9), but what is configured', async () => {
    process.env.OPENAI_API_KEY = 'sk-secret'
    process.env.MY_FLAG = 'yes'
    try {
      const { stdout } = await run({ sandbox, env: ['MY_FLAG'] }, { command: 'env' })
      expect(stdout).not.toContain('sk-secret')
      const names = stdout.split('\n').map((row) => row.split('=')[0])
      const known = [
        'PATH',
        'HOME',
        'LANG',
        'TERM',
        'TMPDIR',
        // Set in the sandbox.
        'npm_config_logs_dir',
        'npm_config_cache',
        'MY_FLAG',
        'THINKON_CALL',
        'PWD',
        'OLDPWD',
        'SHLVL',
        '_',
        '',
      ]
      expect(names.filter((name) => !known.includes(name as string))).toEqual([])
      expect(stdout).toContain('MY_FLAG=yes')
    } finally {
      delete process.env.OPENAI_API_KEY
      delete process.env.MY_FLAG
    }
  })
})

describe('the sandbox', () => {
  it('says why there is none', async () => {
    expect(await trySandbox('/nonexistent')).toEqual({
      kind: 'none',
      text: expect.stringContaining('bubblewrap is not installed'),
    })
  })

  it('that makes no namespaces is not used', async () => {
    writeFileSync(join(workspace, 'bwrap'), '#!/bin/sh\necho "bwrap: No permissions" >&2\nexit 1\n', {
      mode: 0o755,
    })
    expect((await trySandbox(`${workspace}:/usr/bin:/bin`)).text).toContain('bwrap: No permissions')
  })

  it.skipIf(hasSandbox)('that is required is missed', async () => {
    await expect(run({ sandbox: 'require' }, { command: 'true' })).rejects.toThrow('requires a sandbox')
  })

  // Without bubblewrap, or where it may not make namespaces, there is nothing to see.
  describe.skipIf(!hasSandbox)(`(${status.text})`, () => {
    it('lets the workspace be written, and nothing else', async () => {
      const outside = mkdtempSync('/var/tmp/thinkon-outside-')
      try {
        const command = `echo x > mine; echo x > ${outside}/theirs; echo x > /etc/thinkon-test; touch "$HOME/thinkon-test"; ls ${outside}`
        const ran = await run({}, { command })
        expect(ran).toMatchObject({ sandboxed: true, stdout: '' })
        expect(ran.stderr.match(/Read-only file system/g)).toHaveLength(3)
        expect(readFileSync(join(workspace, 'mine'), 'utf8')).toBe('x\n')
      } finally {
        rmSync(outside, { recursive: true })
      }
    })

    it('has a /tmp of its own', async () => {
      const name = `thinkon-${process.pid}-probe`
      expect((await run({}, { command: `touch /tmp/${name} && ls /tmp/${name}` })).exitCode).toBe(0)
      expect(existsSync(`/tmp/${name}`)).toBe(false)
    })

    // Only looked at, never written: where this fails a write would change the machine.
    it('does not let the settings of the machine be changed', async () => {
      const paths = [
        '/proc/sys/kernel/core_pattern',
        '/proc/sysrq-trigger',
        '/proc/irq',
        '/sys',
        '/boot',
        '/usr',
        '/',
      ]
      const command = paths.map((path) => `test -w ${path} && echo ${path}`).join('; ')
      expect((await run({}, { command })).stdout).toBe('')
    })

    it('keeps the journal from being read, changed, moved or linked', async () => {
      mkdirSync(join(workspace, '.thinkon'))
      writeFileSync(join(workspace, '.thinkon/journal.db'), 'truth')
      const command =
        'echo lie > .thinkon/journal.db; rm -rf .thinkon; mv .thinkon x; ln .thinkon/journal.db hard; umount .thinkon; cat .thinkon/journal.db'
      expect((await run({}, { command })).stdout).toBe('')
      expect(readFileSync(join(workspace, '.thinkon/journal.db'), 'utf8')).toBe('truth')
      expect(existsSync(join(workspace, 'hard'))).toBe(false)
    })

    it('has no network, unless configured, and no sockets of /run', async () => {
      const server = createServer((socket) => socket.end('hello')).listen(0, '127.0.0.1')
      await new Promise((resolve) => server.once('listening', resolve))
      const { port } = server.address() as { port: number }
      try {
        const command = `cat < /dev/tcp/127.0.0.1/${port}; ls -A /run`
        expect((await run({}, { command })).stdout).not.toContain('hello')
        expect((await run({ network: true }, { command })).stdout).toContain('hello')
      } finally {
        server.close()
      }
    })

    it('sees only its own processes', async () => {
      expect((await run({}, { command: 'ls -d /proc/[0-9]* | wc -l' })).stdout.trim()).toMatch(/^\d$/)
    })

    it('lets no process escape that cuts every tie', async () => {
      const mark = `${6_000_000 + Math.floor(Math.random() * 1_000_000)}`
      await run({}, { command: `(env -i setsid sh -c 'sleep ${mark} & exit' &) ; sleep 0.2; echo done` })
      await until(() => sleeping(mark) === 0, 'none sleeps')
    })
  })
})

function run(
  options: Partial<ShellOptions>,
  input: object,
  signal = new AbortController().signal,
): Promise<Ran> {
  const io = toolIo({ workspace, signal })
  return shellTool({ ...options }).run(input, io) as Promise<Ran>
}

/** How many `sleep <mark>` there are. */
function sleeping(mark: string): number {
  const rows = execFileSync('ps', ['-eo', 'stat=,args=']).toString().split('\n')
  return rows.filter((row) => new RegExp(`^\\s*[^Z]\\S*\\s+sleep ${mark}$`).test(row)).length
}
