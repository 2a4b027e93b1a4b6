/** Many commands in one process, for tests of what they say: to start a process costs more than most commands. */
import { type ChildProcess, fork } from 'node:child_process'
import { join } from 'node:path'
import type { Ended } from './cli-process.ts'

export interface Told {
  args: readonly string[]
  cwd: string
  env: NodeJS.ProcessEnv
}

export interface Many {
  /** Null while another command runs: a second at the same time needs a process of its own. */
  tell(told: Told): Promise<Ended> | null
  end(): void
}

/** On each stream, behind the output of a command and before its exit code. */
export const MARK = '\0the command has ended: '

const server = join(import.meta.dirname, 'cli-server.ts')

export function manyCommands(): Many {
  let child: ChildProcess | null = null
  let busy = false

  async function answer(told: Told): Promise<Ended> {
    child ??= fork(server, [], { execArgv: [], env: told.env, stdio: ['ignore', 'pipe', 'pipe', 'ipc'] })
    const ended = endOf(child)
    // A process gets its words as UTF-8.
    child.send({ ...told, args: told.args.map((word) => word.toWellFormed()) })
    const { code, stdout, stderr, alive } = await ended
    // A command that has ended its process: the next one gets another.
    if (!alive) child = null
    return { code, stdout, stderr }
  }
  return {
    tell(told) {
      if (busy) return null
      busy = true
      return answer(told).finally(() => (busy = false))
    },
    end: () => child?.kill('SIGKILL'),
  }
}

/** The end of the command: both marks, or that of the process. */
function endOf(child: ChildProcess): Promise<Ended & { alive: boolean }> {
  const texts = { stdout: '', stderr: '' }
  return new Promise((resolve) => {
    const finish = (code: number | null, alive: boolean) => {
      child.stdout?.removeAllListeners('data')
      child.stderr?.removeAllListeners('data')
      child.removeAllListeners('close')
      resolve({ code, stdout: before(texts.stdout), stderr: before(texts.stderr), alive })
    }
    for (const name of ['stdout', 'stderr'] as const)
      child[name]?.setEncoding('utf8').on('data', (chunk) => {
        texts[name] += chunk
        const [out, err] = [codeIn(texts.stdout), codeIn(texts.stderr)]
        if (out !== null && err !== null) finish(out, true)
      })
    child.on('close', (code) => finish(code, false))
  })
}

function codeIn(text: string): number | null {
  const [, code] = /\0the command has ended: (\d+)\n$/.exec(text.slice(-MARK.length - 10)) ?? []
  return code === undefined ? null : Number(code)
}

function before(text: string): string {
  const end = text.lastIndexOf(MARK)
  return end < 0 ? text : text.slice(0, end)
}
