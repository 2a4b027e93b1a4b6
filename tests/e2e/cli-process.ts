/** The command as users start it, in a folder of its own. */
import { type ChildProcess, spawn } from 'node:child_process'
import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createEngine } from '../../src/engine.ts'
import type { BlockState, RunState } from '../../src/protocol/index.ts'
import { until } from '../conformance/async.ts'
import { manyCommands } from './cli-many.ts'

export const bin = join(import.meta.dirname, '../../bin/thinkon.js')
const model = `module:${join(import.meta.dirname, 'cli-model.ts')}`

export interface Ended {
  code: number | null
  stdout: string
  stderr: string
}

export interface Going {
  child: ChildProcess
  ended: Promise<Ended>
}

export interface Place {
  folder: string
  env: NodeJS.ProcessEnv
  /** What a command says and its exit code. Commands share a process, unless they get an input or run at the same time. */
  cli(args: readonly string[], input?: string | Buffer, env?: NodeJS.ProcessEnv): Promise<Ended>
  /** The same in a process of its own: for what is remembered in a process, as imported modules are, or depends on its end. */
  alone(args: readonly string[], input?: string | Buffer, env?: NodeJS.ProcessEnv): Promise<Ended>
  /** Starts and does not wait. */
  start(args: readonly string[], env?: NodeJS.ProcessEnv): Going
  /** The state of a run as `show --json` tells it, once `holds` says so. */
  state(run: string, holds?: (state: ShownState) => boolean): Promise<ShownState>
  remove(): void
}

export type ShownState = Omit<RunState, 'blocks'> & { blocks: BlockState[]; owned: boolean }

export function makePlace(): Place {
  const folder = mkdtempSync(join(tmpdir(), 'thinkon-cli-'))
  const state = mkdtempSync(join(tmpdir(), 'thinkon-state-'))
  const { PATH, HOME, NODE_COMPILE_CACHE } = process.env
  const env: NodeJS.ProcessEnv = {
    PATH,
    HOME,
    NODE_COMPILE_CACHE,
    TERM: 'xterm-256color',
    LANG: 'C.UTF-8',
    THINKON_MODEL: model,
    THINKON_PROBE: 'off',
    // The test model speaks its words.
    THINKON_STRATEGY: 'minimal',
    // Configurations here are the test's own. What is remembered stays out of the developer's home.
    THINKON_TRUST: '1',
    XDG_STATE_HOME: state,
  }
  const started: ChildProcess[] = []
  const ended: { args: string; code: number | null; stderr: string }[] = []

  function start(args: readonly string[], ownEnv = env): Going {
    const child = spawn(process.execPath, [bin, ...args], {
      cwd: folder,
      env: ownEnv,
      stdio: ['pipe', 'pipe', 'pipe'],
    })
    started.push(child)
    const end = endOf(child)
    void end.then(({ code, stderr }) => ended.push({ args: args.join(' '), code, stderr }))
    return { child, ended: end }
  }
  const many = manyCommands()
  async function cli(args: readonly string[], input?: string | Buffer, ownEnv = env): Promise<Ended> {
    const shared = input === undefined ? many.tell({ args, cwd: folder, env: ownEnv }) : null
    return shared ?? alone(args, input, ownEnv)
  }
  async function alone(args: readonly string[], input?: string | Buffer, ownEnv = env): Promise<Ended> {
    const { child, ended } = start(args, ownEnv)
    // The command may refuse before it has read all.
    child.stdin?.on('error', () => {})
    child.stdin?.end(input ?? '')
    return ended
  }
  async function shown(run: string): Promise<ShownState | null> {
    const { code, stdout } = await cli(['show', run, '--json'])
    return code === 0 ? JSON.parse(stdout) : null
  }
  /** What `show` would tell, read in this process: to wait for a state does not start a command for every look. */
  async function look(run: string): Promise<ShownState | null> {
    const store = join(folder, '.thinkon/runs.db')
    if (!existsSync(store)) return null
    const engine = createEngine({ store })
    try {
      const rows = await engine.list()
      const row = run === 'last' ? rows[0] : rows.find(({ id }) => id === run)
      if (row === undefined) return null
      const state = await engine.state(row.id)
      return { ...state, owned: row.owned, blocks: [...state.blocks.values()] }
    } finally {
      await engine.close()
    }
  }
  return {
    folder,
    env,
    cli,
    alone,
    start,
    async state(run, holds = () => true) {
      let state: ShownState | null = null
      await until(
        async () => {
          const seen = await look(run)
          state = seen !== null && holds(seen) ? await shown(run) : null
          return state !== null && holds(state)
        },
        () => `run ${run} in the state of the test; commands that have ended: ${JSON.stringify(ended)}`,
      )
      return state as unknown as ShownState
    },
    remove() {
      many.end()
      for (const child of started) if (child.exitCode === null) child.kill('SIGKILL')
      for (const made of [folder, state]) rmSync(made, { recursive: true, force: true })
    },
  }
}

export function endOf(child: ChildProcess): Promise<Ended> {
  let stdout = ''
  let stderr = ''
  child.stdout?.on('data', (chunk) => (stdout += chunk))
  child.stderr?.on('data', (chunk) => (stderr += chunk))
  return new Promise((resolve) => child.on('close', (code) => resolve({ code, stdout, stderr })))
}

export function jsonLines(text: string): Record<string, unknown>[] {
  return text
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))
}
