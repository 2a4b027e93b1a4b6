// Tools on the command line: what they may do, who is asked, MCP servers; recordings of models.
import { spawnSync } from 'node:child_process'
import { chmodSync, existsSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { afterAll, afterEach, describe, expect, it } from 'vitest'
import { jsonLines, makePlace, type ShownState } from './cli-process.ts'

const place = makePlace()
const { alone: cli, start, state } = place
afterAll(() => place.remove())

const file = (name: string) => join(place.folder, name)
const GOAL = 'compute 1+2 and write the result to r.txt'
const ABACUS = ['--model', 'embedded:abacus']

afterEach(() => {
  for (const name of ['r.txt', 'a.txt', 'b.txt', 'thinkon.config.json', 'traffic.jsonl'])
    rmSync(file(name), { force: true })
})

/** Starts a run with --ask and waits until it asks, and has said how to answer: a question that is answered before is not told. */
async function asking(goal: string, ...args: string[]) {
  const run = start(['run', goal, '--ask', ...args])
  if (!args.includes('-q')) await saysHowToAnswer(run)
  const waits = ({ goal: of, status }: ShownState) => of === goal && status === 'waiting'
  const { run: id } = await state('last', waits)
  return { ...run, id }
}

async function saysHowToAnswer({ child }: ReturnType<typeof start>) {
  let said = ''
  await new Promise<void>((resolve) =>
    child.stdout?.on('data', (chunk) => {
      said += chunk
      if (said.includes('waiting: thinkon answer')) resolve()
    }),
  )
}

describe('leave for what a tool does', () => {
  it('is given from another process; the question tells what will be written', async () => {
    const { id, ended } = await asking(GOAL, ...ABACUS)
    expect(existsSync(file('r.txt'))).toBe(false)
    const shown = (await cli(['show', id])).stdout
    expect(shown).toMatch(/\[\?\] 1 /)
    expect(shown).toMatch(new RegExp(`waiting: thinkon answer ${id} \\d+ 'yes\\|no\\|always'\n`))
    expect((await cli(['answer', id, 'yes'])).stdout).toContain('answered "yes"')
    const { code, stdout } = await ended
    expect(stdout).toContain(
      `    write_file (write) asks for permission:\n      r.txt (2 bytes)\n      3\n    (always: write_file in ./, for the rest of block 1)\n    waiting: thinkon answer ${id} `,
    )
    expect([code, stdout.trimEnd().split('\n').at(-1)]).toEqual([0, '1 + 2 = 3; written to r.txt'])
    expect(readFileSync(file('r.txt'), 'utf8')).toBe('3\n')
    expect((await cli(['replay', id])).code).toBe(0)
  })

  it('is refused: nothing is written, and the outcome says so', async () => {
    const { id, ended } = await asking(GOAL, ...ABACUS)
    await cli(['answer', id, 'no'])
    const { code, stdout } = await ended
    expect(stdout.trimEnd().split('\n').at(-1)).toBe('1 + 2 = 3; not written to r.txt: a person said no')
    expect([code, existsSync(file('r.txt'))]).toEqual([3, false])
  })

  it('with `always` is not asked for again', async () => {
    const { id, ended } = await asking('two files')
    await cli(['answer', id, 'always'])
    const { code, stdout } = await ended
    expect(stdout.match(/asks for permission:$/gm)).toHaveLength(1)
    expect([code, stdout.trimEnd().split('\n').at(-1)]).toEqual([0, 'written | written'])
  })

  it('with `yes` is asked for again', async () => {
    const { id, ended } = await asking('two files')
    await cli(['answer', id, 'yes'])
    await state(id, ({ status, usage }) => status === 'waiting' && usage.calls === 3)
    await cli(['answer', id, 'no'])
    expect((await ended).stdout.trimEnd().split('\n').at(-1)).toBe('written | a person said no')
    expect([existsSync(file('a.txt')), existsSync(file('b.txt'))]).toEqual([true, false])
  })

  it('is given by --yes', async () => {
    const { code, stdout } = await cli(['run', GOAL, ...ABACUS, '--yes', '-q'])
    expect([code, stdout]).toEqual([0, '1 + 2 = 3; written to r.txt\n'])
    expect(readFileSync(file('r.txt'), 'utf8')).toBe('3\n')
  })

  it('is not given where nobody is there to ask', async () => {
    const { code, stdout } = await cli(['run', GOAL, ...ABACUS])
    // The tool is not offered, and the head of the run says so.
    expect(stdout).toContain(
      '\nnot offered, as nobody is there to permit it: write_file, edit_file, apply_patch, shell (--ask, --yes, ',
    )
    expect(stdout).not.toContain('needs a person')
    expect(stdout).toContain('not written to r.txt: no tool that writes files')
    expect([code, existsSync(file('r.txt'))]).toEqual([3, false])
  })

  it('is given by the configuration', async () => {
    writeFileSync(file('thinkon.config.json'), '{ "approval": { "allow": ["write"] } }')
    const { code, stdout } = await cli(['run', GOAL, ...ABACUS, '-q'])
    expect([code, stdout]).toEqual([0, '1 + 2 = 3; written to r.txt\n'])
    writeFileSync(
      file('thinkon.config.json'),
      '{ "approval": { "allow": ["write"], "deny": ["write(r.*)"] } }',
    )
    const denied = await cli(['run', GOAL, ...ABACUS, '--yes', '-q'])
    expect([denied.code, denied.stdout]).toEqual([
      3,
      expect.stringContaining('this call of write_file is not allowed: the rule write(r.*) denies it'),
    ])
  })
})

describe('a question of a model', () => {
  it('is answered at once where nobody is there', async () => {
    const { code, stdout } = await cli(['run', 'ask by tool', '-q'])
    const said = 'nobody is there to answer: decide yourself, and say what you assumed\n'
    expect([code, stdout]).toEqual([0, said])
  })

  it('waits for the answer with --ask', async () => {
    const { id, ended } = await asking('ask by tool', '-q')
    await cli(['answer', id, 'blue'])
    expect((await ended).stdout).toBe('answer: blue\n')
  })
})

describe('what was spent', () => {
  it('is told by role, and costs only where there are some', async () => {
    const { stdout } = await cli(['run', GOAL, ...ABACUS, '--yes', '--json'])
    const outcome = jsonLines(stdout).at(-1) as { run: string; roles: Record<string, { calls: number }> }
    expect(Object.keys(outcome.roles).sort()).toEqual(['plan', 'tool'])
    expect(outcome.roles.tool?.calls).toBe(1)
    const shown = await cli(['show', outcome.run])
    expect(shown.stdout).toMatch(/^ {2}plan {2}2 calls {2}[\d.]+k? tok\n {2}tool {2}1 call$/m)
    expect(shown.stdout).toMatch(/^3 calls \(1 of tools\) \/ 1k · /m)
    expect(shown.stdout).not.toContain('$')
    expect((await state(outcome.run)).roles).toEqual(outcome.roles)
    const again = await cli(['resume', outcome.run, '--json'])
    expect(jsonLines(again.stdout).at(-1)).toMatchObject({ type: 'outcome', roles: outcome.roles })

    await cli(['run', 'two files', '--yes'])
    expect((await cli(['show', 'last'])).stdout).toMatch(/^ {2}plan {2}3 calls {2}\S+ tok {2}\$0\.0030$/m)
  })
})

describe('recording', () => {
  it('a replayed run has the same result; a request that was not recorded is told with the nearest', async () => {
    const first = await cli(['run', GOAL, ...ABACUS, '--yes', '-q', '--record', 'traffic.jsonl'])
    rmSync(file('r.txt'))
    const replayed = ['--model', 'replay:traffic.jsonl', '--yes']
    expect(await cli(['run', GOAL, ...replayed, '-q'])).toEqual(first)
    expect(readFileSync(file('r.txt'), 'utf8')).toBe('3\n')
    const { code, stdout } = await cli(['run', GOAL.replace('2', '3'), ...replayed])
    expect(stdout).toMatch(
      /does not know this minimal\/next@3 \(plan\) request; the nearest is minimal\/next@3/,
    )
    expect(code).toBe(4)
  })
})

describe('MCP servers', () => {
  const require = createRequire(import.meta.url)
  const server = join(
    dirname(require.resolve('@modelcontextprotocol/server-everything/package.json')),
    'dist/index.js',
  )

  it('bring their tools, and end with the run', async () => {
    // A name of its own tells its processes from those of other tests.
    const link = file('server-everything')
    symlinkSync(dirname(server), link)
    const mcp = `"${process.execPath}" "${join(link, 'index.js')}" stdio`
    const { code, stdout } = await cli(['run', 'echo over MCP', '--mcp', mcp, '--yes', '-q'])
    expect(stdout).toContain('Echo: hello')
    expect(code).toBe(0)
    expect(spawnSync('ps', ['-eo', 'args'], { encoding: 'utf8' }).stdout).not.toContain(link)
  })

  it('are asked about first', async () => {
    const mcp = `"${process.execPath}" "${server}" stdio`
    const { stdout } = await cli(['run', 'echo over MCP', '--mcp', mcp, '-q'])
    expect(stdout).toContain("needs a person's permission")
  })

  it('that can not be started are told', async () => {
    const { code, stdout, stderr } = await cli([
      'run',
      'echo over MCP',
      '--mcp',
      'no-such-server-here',
      '--yes',
    ])
    expect(stdout + stderr).toContain('no-such-server-here')
    expect(code).not.toBe(0)
  })
})

describe('the head of a run', () => {
  /** A PATH with nothing on it but a bwrap that does not work. */
  function withoutSandbox() {
    mkdirSync(file('no-bin'), { recursive: true })
    writeFileSync(file('no-bin/bwrap'), '#!/bin/sh\necho "bwrap: no namespaces" >&2\nexit 1\n')
    chmodSync(file('no-bin/bwrap'), 0o755)
    return { ...place.env, PATH: `${file('no-bin')}:${place.env.PATH}` }
  }
  const lines = (stdout: string) => stdout.trimEnd().split('\n')
  const run = (args: readonly string[]) => cli(['run', 'fine', '--yes', ...args], '', withoutSandbox())

  it('says that commands run without a sandbox', async () => {
    const said = lines((await run([])).stdout)[1]
    expect(said).toMatch(/^shell: no sandbox \(.*; see thinkon doctor\)$/)
    for (const args of [['--json'], ['-q']]) expect((await run(args)).stdout).not.toContain('no sandbox')
    // Where nobody is there to permit one, no command is run.
    const unattended = await cli(['run', 'fine'], '', withoutSandbox())
    expect(unattended.stdout).not.toContain('no sandbox')
  })

  it('says nothing where no command can be run, or none without a sandbox', async () => {
    for (const tools of [
      { builtin: { shell: false } },
      { builtin: false },
      { shell: { sandbox: 'require' } },
    ]) {
      writeFileSync(file('thinkon.config.json'), JSON.stringify({ tools }))
      expect((await run([])).stdout).not.toContain('no sandbox')
    }
    writeFileSync(file('thinkon.config.json'), '{ "tools": { "shell": { "sandbox": "off" } } }')
    expect(lines((await cli(['run', 'fine', '--yes'])).stdout)[1]).toBe(
      'shell: no sandbox (switched off in the configuration)',
    )
  })
})

it('a provider whose package is missing is told with how to install it', async () => {
  writeFileSync(
    file('missing.mjs'),
    `import { registerHooks } from 'node:module'
    registerHooks({
      resolve(name, context, next) {
        if (name !== '@ai-sdk/openai') return next(name, context)
        throw Object.assign(new Error('Cannot find package ' + name), { code: 'ERR_MODULE_NOT_FOUND' })
      },
    })`,
  )
  const env = { ...place.env, OPENAI_API_KEY: 'a-key', NODE_OPTIONS: `--import=${file('missing.mjs')}` }
  const { code, stdout, stderr } = await cli(['run', 'x', '--model', 'openai:gpt-5'], '', env)
  expect(stderr).toBe('thinkon: openai:gpt-5 needs the package @ai-sdk/openai: npm install @ai-sdk/openai\n')
  expect([code, stdout]).toEqual([2, ''])
})

it('says which servers it waits for, where one does not answer', async () => {
  const { child, ended } = place.start(['run', 'fine', '--mcp', 'sleep 60'])
  await new Promise<void>((resolve, reject) => {
    let said = ''
    child.stderr?.on('data', (chunk) => {
      said += chunk
      if (said.includes('waiting for the MCP servers: sleep')) resolve()
    })
    child.on('close', () => reject(new Error(`ended with ${said}`)))
  })
  child.kill('SIGTERM')
  await ended
})
