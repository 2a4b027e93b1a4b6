import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { ApprovalRules } from '../protocol/index.ts'
import { toolIo } from '../testing/tool-io.ts'
import { createApproval } from './approval/approval.ts'
import { shellTool } from './builtin/shell.ts'
import { SHELL } from './executors/executor.ts'
import { executorTools } from './executors/executor-tools.ts'
import { sandboxStatus } from './sandbox.ts'

const hasSandbox = (await sandboxStatus()).kind === 'bubblewrap'
const SECRET = 'hunter2-of-the-files'
let workspace: string

beforeEach(() => {
  // Not in /tmp, which is another one inside.
  workspace = realpathSync(mkdtempSync('/var/tmp/thinkon-denied-'))
  for (const folder of ['app/config', 'secrets']) mkdirSync(join(workspace, folder), { recursive: true })
  for (const file of ['.env', 'app/.env.local', 'app/config/.ENV', 'secrets/key.txt'])
    writeFileSync(join(workspace, file), `TOKEN=${SECRET}\n`)
  for (const file of ['readme.md', '.env.example', 'app/environment.ts'])
    writeFileSync(join(workspace, file), 'for everyone\n')
  symlinkSync('.env', join(workspace, 'link'))
})
afterEach(() => rmSync(workspace, { recursive: true, force: true }))

const RULES = { allow: ['*', 'read(.env.example)'], deny: ['read(.env*)', 'read(secrets/)'] }

/** By a tool that runs commands, as a run with these rules has it; whether it may run the command at all is not asked. */
async function run(
  command: string,
  rules: ApprovalRules = RULES,
  name: 'shell' | 'executor__shell' = 'shell',
) {
  const tools = [shellTool(), ...executorTools([SHELL])]
  const tool = tools.find((one) => one.name === name) as ReturnType<typeof shellTool>
  const config = { thinkon: '0', approval: { ...rules, workspace, asks: 'yes' as const } }
  const permits = createApproval().permits(config, { tool, input: { command } }, [])
  const ran = (await tool.run({ command }, { ...toolIo({ workspace }), permits })) as {
    stdout: string
    stderr: string
  }
  return `${ran.stdout}${ran.stderr}`
}

describe.skipIf(!hasSandbox)('files that the rules forbid to read, in the sandbox', () => {
  it('they are not found by the next command where another has moved their folder', async () => {
    const rules = { allow: ['*'], deny: ['read(app/config/prod.json)', 'read(.vscode/key.json)'] }
    mkdirSync(join(workspace, '.vscode'))
    for (const file of ['app/config/prod.json', '.vscode/key.json'])
      writeFileSync(join(workspace, file), `TOKEN=${SECRET}\n`)
    await run('mv app other; mv app/config moved; mv .vscode v; echo evil > .vscode/tasks.json', rules)
    expect(await run('cat */prod.json */*/prod.json v/*; ls .vscode; ls app', rules)).not.toMatch(
      /hunter2|tasks\.json/,
    )
    // The folder is otherwise as it was.
    expect(await run('echo new > app/config/x && mkdir app/y && cat app/config/x', rules)).toBe('new\n')
  })

  it.each([
    'grep -rh TOKEN .',
    'grep -r "" . | sort',
    'tar cf - . | strings',
    'for f in $(find . -type f); do cat "$f"; done',
    'cp -r . ../copy 2>&1; cp -r app /tmp/x; cat /tmp/x/.*',
    'mv .e?v plain 2>&1; cat plain',
    'mv app other 2>&1; cat other/.[a-z]* other/config/.*',
    'ln .e?v hard 2>&1; cat hard',
    'cat link',
    'cat /proc/self/root"$PWD"/.e""nv',
    'cd secrets && cat *',
    'umount .e?v 2>&1; rm -f .e?v; cat .e?v',
    'python3 -c "import glob; [print(open(f).read()) for f in glob.glob(\'**/.e*\', recursive=True)]"',
  ])('%s learns nothing of them', async (command) => {
    for (const name of ['shell', 'executor__shell'] as const)
      expect(await run(command, RULES, name)).not.toContain(SECRET)
  })

  it('everything else can be read, and they are there as before when the command has ended', async () => {
    expect(await run('cat readme.md .env.example app/environment.ts')).toBe('for everyone\n'.repeat(3))
    expect(await run('grep -rh TOKEN .', { allow: ['*'] })).toContain(SECRET)
  })

  it('a command that names one, and is run, was allowed to do just that: it can read it', async () => {
    expect(await run('cat .env')).toContain(SECRET)
    expect(await run('cat ./app/../.env')).toContain(SECRET)
    // A part of a word names nothing.
    expect(await run('echo x.envx; grep -rh TOKEN .')).not.toContain(SECRET)
  })
})
