import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import type { ToolIo } from '../kernel/tool.ts'
import { toolIo } from '../testing/tool-io.ts'
import { shellTool } from './builtin/shell.ts'
import { sandboxStatus } from './sandbox.ts'

const hasSandbox = (await sandboxStatus()).kind === 'bubblewrap'
let base: string
let workspace: string

beforeEach(() => {
  base = realpathSync(mkdtempSync('/var/tmp/thinkon-notes-'))
  workspace = join(base, 'workspace')
  mkdirSync(join(base, 'home/.ssh'), { recursive: true })
  mkdirSync(workspace)
  writeFileSync(join(base, 'home/.ssh/id'), 'key')
  writeFileSync(join(workspace, 'package.json'), '{"name":"notes","version":"1.0.0"}')
  vi.stubEnv('HOME', join(base, 'home'))
})
afterEach(() => {
  vi.unstubAllEnvs()
  rmSync(base, { recursive: true, force: true })
})

async function run(command: string, network = false) {
  const tool = shellTool({ network })
  const permits: ToolIo['permits'] = (deed) =>
    deed.does === 'read' && deed.path === '.env' ? 'deny' : 'allow'
  return (await tool.run({ command }, toolIo({ workspace, permits }))) as { stdout: string; note?: string }
}

async function noteOf(command: string, network = false): Promise<string> {
  return (await run(command, network)).note ?? ''
}

describe.skipIf(!hasSandbox)('a command that the sandbox makes fail is told so', () => {
  const PROTECTED =
    'package.json is read-only for commands in the sandbox, because other programs execute or trust it; a file tool can write it, if a person agrees.'

  it('also where the program does not name the file, or its words are in stdout', async () => {
    expect(await noteOf('sed -i s/1.0.0/1.0.1/ package.json')).toBe(PROTECTED)
    expect(await noteOf('(echo x > package.json) 2>&1 | tail -3')).toBe(PROTECTED)
  })

  it('no file tool writes the configuration of git, either', async () => {
    const note = await noteOf('git init -q . ; echo x > .git/config')
    expect(note).toContain('only a person can change it')
    expect(note).not.toContain('a file tool')
  })

  it('what is outside the workspace is read-only', async () => {
    expect(await noteOf('touch /usr/x')).toBe(
      'Commands in the sandbox can write in the workspace and in /tmp only.',
    )
  })

  it('npm can pack where there is no cache yet, and is told of another where its own can only be read', async () => {
    const ran = await run('npm pack --silent && ls *.tgz')
    expect(ran).toMatchObject({ exitCode: 0, stdout: expect.stringContaining('notes-1.0.0.tgz') })
    mkdirSync(join(base, 'home/.npm/_cacache/tmp'), { recursive: true })
    const told =
      'npm can only read its cache in the sandbox; with --cache /tmp/.npm it has one that it can write to.'
    expect(await noteOf('npm pack')).toBe(told)
    expect(await noteOf('npm pack 2>&1 | tail -3')).toBe(told)
    expect(await run('npm pack --cache /tmp/.npm')).toMatchObject({ exitCode: 0 })
    const given = await run('echo $npm_config_cache $npm_config_logs_dir', true)
    expect(given.stdout).toBe('/tmp/.npm /tmp/.npm/_logs\n')
  })

  it('a hidden key is not taken for one that does not exist', async () => {
    const told = `Files that may hold keys are hidden from commands in the sandbox, among them ${base}/home/.ssh.`
    for (const command of ['ls ~/.ssh', 'cat "$HOME/.ssh/id"', 'cd; cat .ssh/id || cat $PWD/.ssh/id'])
      expect(await noteOf(command)).toBe(told)
    expect(await noteOf('ls ~/.sshx; ls ~')).toBe('')
  })

  it('a file that a rule denies is not taken for one with the wrong permissions', async () => {
    writeFileSync(join(workspace, '.env'), 'KEY=1')
    writeFileSync(join(workspace, '.envy'), 'KEY=1')
    expect(await noteOf('grep -r KEY .')).toBe('A rule denies reading .env, to commands, too.')
    expect(await noteOf('ls -a; cat .envy; cat .envies')).not.toContain('A rule')
  })

  it('there is no network', async () => {
    const asked = 'echo "curl: (6) Could not resolve host: a.example" >&2'
    expect(await noteOf(asked)).toContain('have no network; only a person can give it')
    expect(await noteOf(asked, true)).toBe('')
    expect(await noteOf('echo done')).toBe('')
  })
})
