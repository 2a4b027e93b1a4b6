// A model that can't be reached, as a person at the command line meets it: a server on this machine that refuses, then recovers.
import { spawn, spawnSync } from 'node:child_process'
import { stripVTControlCharacters } from 'node:util'
import { afterAll, afterEach, describe, expect, it } from 'vitest'
import { type Answer, type FakeProvider, startFakeProvider } from '../models/fake-provider.ts'
import { bin, endOf, makePlace } from './cli-process.ts'

const hasScript =
  spawnSync('script', ['--version'], { encoding: 'utf8' }).stdout?.includes('util-linux') ?? false

const place = makePlace()
afterAll(() => place.remove())
let fake: FakeProvider
let trouble: Answer | null = null
afterEach(async () => {
  trouble = null
  await fake.close()
})

const REFUSED: Answer = { status: 401, body: { error: { message: 'the key has expired' } } }

/** Plans, then answers; `trouble` comes instead from the second request on. */
async function provider(): Promise<string> {
  fake = await startFakeProvider(({ body }) => {
    const planned = JSON.stringify(body).includes('look, then answer')
    if (planned && trouble !== null) return trouble
    return {
      text: planned ? '{"do":"return","result":"forty-two"}' : '{"do":"plan","todo":["look, then answer"]}',
    }
  })
  return `${fake.url}#fake`
}

describe('a run whose model is out', () => {
  it('says why and how to resume it, is listed and shown as waiting, and is resumed', async () => {
    trouble = REFUSED
    const model = await provider()
    const ran = await place.cli(['run', 'what is it?', '--model', model])
    expect(ran.code).toBe(6)
    const [, id = ''] = /^run (\S+)/.exec(ran.stdout) ?? []
    expect(ran.stdout).toContain('waits for the model: ')
    expect(ran.stderr).toContain('401 the key has expired')
    expect(ran.stderr).toContain(`thinkon resume ${id}`)
    expect((await place.cli(['list'])).stdout).toMatch(
      new RegExp(`${id} +waiting .*what is it\\?  \\(401 the key has expired\\)`),
    )
    expect(
      JSON.parse((await place.cli(['list', '--json'])).stdout.trim().split('\n')[0] as string),
    ).toMatchObject({
      id,
      status: 'waiting',
      reason: expect.stringContaining('the key has expired'),
    })
    const shown = (await place.cli(['show', id])).stdout
    expect(shown.split('\n')[0]).toBe(`${id} waits for the model: ${model}: 401 the key has expired`)
    expect(shown).toContain(`resume with: thinkon resume ${id}`)
    const again = await place.cli(['resume', id])
    expect(again.code).toBe(6)
    trouble = null
    const resumed = await place.cli(['resume', id])
    expect(resumed.code).toBe(0)
    expect(resumed.stdout.trimEnd().split('\n').at(-1)).toBe('forty-two')
    expect((await place.cli(['list'])).stdout).toMatch(new RegExp(`${id} +completed`))
    // The plan was asked for once; the answer refused twice, then given.
    expect(fake.requests).toHaveLength(4)
    expect((await place.cli(['replay', id])).stdout).toMatch(/^equal/)
  })

  it('tells it in the last line of --json', async () => {
    trouble = REFUSED
    const { code, stdout } = await place.cli(['run', 'what is it?', '--json', '--model', await provider()])
    const lines = stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line))
    expect(code).toBe(6)
    expect(lines.at(-2)).toMatchObject({ type: 'run-wait', steps: [{ path: '1', status: 401 }] })
    expect(lines.at(-1)).toMatchObject({
      type: 'waiting',
      status: 'waiting',
      run: lines[0].run,
      code: 'MODEL_OUTAGE',
      reason: expect.stringContaining('the key has expired'),
      usage: { calls: 1 },
    })
  })

  it('says with -q nothing but the reason', async () => {
    trouble = REFUSED
    const { code, stdout, stderr } = await place.cli([
      'run',
      'what is it?',
      '-q',
      '--model',
      await provider(),
    ])
    expect({ code, stdout }).toEqual({ code: 6, stdout: '' })
    expect(stderr).toContain('the key has expired')
  })

  it('survives kill -9 while it tries again', async () => {
    trouble = { status: 429, headers: { 'retry-after': '60' }, body: { error: { message: 'slow down' } } }
    const going = place.start(['run', 'what is it?', '--json', '--model', await provider()])
    let seen = ''
    const told = new Promise<void>((resolve) => {
      going.child.stdout?.on('data', (chunk) => {
        seen += chunk
        if (seen.includes('"model-retry"')) resolve()
      })
    })
    await told
    going.child.kill('SIGKILL')
    await going.ended
    const lines = seen
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line))
    expect(lines.at(-1)).toMatchObject({ type: 'model-retry', status: 429, attempt: 1, of: 5 })
    trouble = null
    const resumed = await place.cli(['resume', lines[0].run])
    expect(resumed.stdout.trimEnd().split('\n').at(-1)).toBe('forty-two')
    expect(fake.requests).toHaveLength(3)
  })

  it('says in plain lines that it tries again', async () => {
    trouble = { status: 429, headers: { 'retry-after': '0.2' } }
    const going = place.start(['run', 'what is it?', '--model', await provider()])
    going.child.stdout?.on('data', (chunk) => {
      if (String(chunk).includes('attempt 2')) trouble = null
    })
    const { code, stdout } = await going.ended
    expect(code).toBe(0)
    expect(stdout).toMatch(/^ {4}1 429, attempt 1 of 5, again in 0\.[234] s$/m)
    expect(stdout).toContain('429, attempt 2 of 5, again in ')
  })

  it('fails with --on-outage fail', async () => {
    trouble = REFUSED
    const args = ['run', 'what is it?', '--on-outage', 'fail', '--model', await provider()]
    expect((await place.cli(args)).code).toBe(4)
    expect((await place.cli([...args.slice(0, 3), 'stop'])).stderr).toContain(
      '--on-outage must be wait or fail, not "stop"',
    )
  })

  it('is answered by the next of several models, which show and events name', async () => {
    trouble = REFUSED
    const model = await provider()
    const other = await startFakeProvider(() => ({ text: '{"do":"return","result":"forty-three"}' }))
    const ran = await place.cli(['run', 'what is it?', '--model', `${model},${other.url}#other`])
    expect(ran.code).toBe(0)
    expect(ran.stdout).toMatch(/^ {4}1 401, attempt 1 of 2, again in 0 s$/m)
    expect(ran.stdout.trimEnd().split('\n').at(-1)).toBe('forty-three')
    expect((await place.cli(['show', 'last', '--audit'])).stdout).toContain(` · ${other.url}#other`)
    expect((await place.cli(['events', 'last'])).stdout).toContain(`${other.url}#other: {"do":"return"`)
    await other.close()
  })

  it('is the fault of the caller if the key is missing from the start', async () => {
    await provider()
    const { code, stderr } = await place.cli(['run', 'what is it?', '--model', 'openai:gpt-5'])
    expect(code).toBe(2)
    expect(stderr).toContain('openai:gpt-5 needs a key')
  })
})

describe.skipIf(!hasScript)('on a terminal (skipped where `script` of util-linux is missing)', () => {
  function inTerminal(args: string) {
    const command = `stty cols 120 rows 30; exec "${process.execPath}" "${bin}" ${args}`
    const child = spawn('script', ['-qec', command, '/dev/null'], {
      cwd: place.folder,
      env: { ...place.env, SHELL: '/bin/sh' },
      stdio: ['pipe', 'pipe', 'pipe'],
    })
    let all = ''
    child.stdout?.on('data', (chunk) => {
      all += chunk
    })
    const seen = async (text: string) => {
      while (!stripVTControlCharacters(all).includes(text)) {
        if (child.exitCode !== null) throw new Error(`ended without "${text}":\n${all}`)
        await new Promise((resolve) => setTimeout(resolve, 20))
      }
      all = ''
    }
    return { child, ended: endOf(child), seen }
  }

  it('offers to try again, and Enter does', async () => {
    trouble = REFUSED
    const { child, ended, seen } = inTerminal(`run 'what is it?' --model ${await provider()}`)
    await seen('press Enter to try again, Ctrl-C to leave it waiting')
    child.stdin?.write('\r')
    await seen('press Enter to try again')
    trouble = null
    child.stdin?.write('\r')
    const { code, stdout } = await ended
    expect(code).toBe(0)
    const text = stripVTControlCharacters(stdout)
    expect(text).toMatch(/\[\?\] 1 "what is it\?" ‹minimal› {2}waits for the model: /)
    expect(text.trimEnd().split('\r\n').at(-1)).toBe('forty-two')
    expect(fake.requests).toHaveLength(4)
  })

  it('Ctrl-C leaves it waiting', async () => {
    trouble = REFUSED
    const { child, ended, seen } = inTerminal(`run 'what is it?' --model ${await provider()}`)
    await seen('Ctrl-C to leave it waiting')
    child.stdin?.write('\u0003')
    expect((await ended).code).toBe(6)
    expect((await place.cli(['list'])).stdout.split('\n')[0]).toContain('waiting')
  })

  it('shows in the tree that it tries again', async () => {
    trouble = { status: 429, headers: { 'retry-after': '1' } }
    const { ended, seen } = inTerminal(`run 'what is it?' --model ${await provider()}`)
    await seen('of 5, again in ')
    trouble = null
    expect((await ended).code).toBe(0)
  })
})
