/** 200 runs at once in one server against one run alone; 1,000 idle streams; readers that stop reading. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { connect, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import type { Figures } from './index.ts'
import { median, rounded } from './measure.ts'

export const about =
  '200 runs at once of 40 sequential calls of 100 ms in one server, against one run alone; idle streams and slow readers'

const RUNS = 200
const ROUNDS = 3
const IDLE = 1_000
const SLOW = 20
const MB = 1024 * 1024
const TOKEN = 'the-token-of-the-bench'

export async function run(): Promise<Figures> {
  const folder = mkdtempSync(join(tmpdir(), 'thinkon-serve-bench-'))
  const server = await startServer(join(folder, 'runs.db'))
  // Commits that do not wait for the disk: only a crash of the machine loses them.
  const unsynced = await startServer(join(folder, 'normal.db'), 'normal')
  try {
    await server.makespan(1)
    await unsynced.makespan(1)
    const before = await server.memory()
    const [one, many, normal]: [number[], number[], number[]] = [[], [], []]
    let cpuMs = 0
    let most = before.rss
    for (let round = 0; round < ROUNDS; round++) {
      one.push(await server.makespan(1))
      const { cpuMs: since } = await server.memory()
      many.push(await server.makespan(RUNS))
      cpuMs = (await server.memory()).cpuMs - since
      normal.push(await unsynced.makespan(RUNS))
      most = Math.max(most, (await server.memory()).rss)
    }
    const calm = await server.memory()
    const waiting = await server.start('wait for ever')
    const idle = await Promise.all(Array.from({ length: IDLE }, () => server.stream(waiting)))
    for (const socket of idle) socket.resume()
    const withIdle = await server.memory()
    const manyIdle = await server.makespan(RUNS)
    for (const socket of idle) socket.destroy()
    const alone = await server.makespan(1, 'large')
    const beforeSlow = await server.memory()
    const slow = await Promise.all(
      Array.from({ length: SLOW }, async (_, i) => {
        return server.stream(await server.start(`large ${i}`))
      }),
    )
    const withSlow = await server.makespan(1, 'large')
    const afterSlow = await server.memory()
    for (const socket of slow) socket.destroy()
    const ratio = rounded(median(many) / median(one), 3)
    const normalRatio = rounded(median(normal) / median(one), 3)
    const idleRatio = rounded(manyIdle / median(many), 3)
    const slowRatio = rounded(withSlow / alone, 3)
    const kbPerRun = Math.round((most - before.rss) / RUNS / 1024)
    const kbPerStream = Math.round((withIdle.rss - calm.rss) / IDLE / 1024)
    const slowKb = Math.round((afterSlow.rss - beforeSlow.rss) / SLOW / 1024)
    return {
      figures: {
        ratio,
        normalRatio,
        cpuMs: Math.round(cpuMs),
        oneMs: Math.round(median(one)),
        manyMs: Math.round(median(many)),
        rssMb: { before: rounded(before.rss / MB), most: rounded(most / MB), after: rounded(calm.rss / MB) },
        kbPerRun,
        idle: { kbPerStream, ratio: idleRatio },
        slow: { kbPerReader: slowKb, ratio: slowRatio },
      },
      lines: [
        `${RUNS} runs at once take ${ratio} × as long as one (goal 1.2): ${Math.round(median(many))} ms against ${Math.round(median(one))} ms`,
        `without waiting for the disk (NORMAL) ${normalRatio} ×; the processor works ${Math.round(cpuMs)} ms of it`,
        `memory ${rounded(before.rss / MB)} MB before, at most ${rounded(most / MB)} MB: ${kbPerRun} kB for each run`,
        `${IDLE} idle streams: ${kbPerStream} kB each; ${RUNS} runs beside them take ${idleRatio} × as long`,
        `${SLOW} readers that do not read 2.6 MB: ${slowKb} kB each; another reader's run takes ${slowRatio} × as long`,
      ],
    }
  } finally {
    server.end()
    unsynced.end()
    rmSync(folder, { recursive: true, force: true })
  }
}

interface Memory {
  readonly rss: number
  readonly heapUsed: number
  readonly cpuMs: number
}

async function startServer(store: string, synchronous = 'full') {
  const program = join(import.meta.dirname, 'serve-child.ts')
  const child = spawn(
    process.execPath,
    ['--expose-gc', '--no-warnings', program, store, TOKEN, synchronous],
    {
      stdio: ['pipe', 'pipe', 'inherit'],
    },
  )
  const lines = createInterface({ input: child.stdout })
  const [said] = (await once(lines, 'line')) as [string]
  const port = Number(said)
  const authorization = `Bearer ${TOKEN}`

  async function start(goal: string): Promise<string> {
    const response = await fetch(`http://127.0.0.1:${port}/api/runs`, {
      method: 'POST',
      headers: { authorization, 'content-type': 'application/json' },
      body: JSON.stringify({ goal }),
    })
    return ((await response.json()) as { run: string }).run
  }

  /** Resolves when it has begun; it is not read. */
  async function stream(run: string): Promise<Socket> {
    const socket = connect(port, '127.0.0.1')
    socket.write(
      `GET /api/runs/${run}/events HTTP/1.1\r\nhost: 127.0.0.1\r\naccept: text/event-stream\r\nauthorization: ${authorization}\r\n\r\n`,
    )
    const [bytes] = (await once(socket, 'data')) as [Buffer]
    socket.pause()
    const head = bytes.toString('latin1')
    if (!head.startsWith('HTTP/1.1 200')) throw new Error(`no stream of ${run}: ${head}`)
    socket.unshift(bytes)
    return socket
  }

  async function ended(run: string): Promise<void> {
    const socket = await stream(run)
    let rest = ''
    await new Promise<void>((resolve) => {
      socket.on('data', (bytes) => {
        rest = (rest + bytes.toString('latin1')).slice(-200_000)
        if (rest.includes('event: end')) resolve()
      })
      socket.on('close', () => resolve())
      socket.resume()
    })
    if (!rest.includes('"status":"completed"'))
      throw new Error(`a run has not completed: ${rest.slice(-2_000)}`)
    socket.destroy()
  }

  return {
    start,
    stream,
    /** Milliseconds until so many runs, started at once, have ended. */
    async makespan(count: number, goal = 'bench'): Promise<number> {
      const startMs = performance.now()
      await Promise.all(Array.from({ length: count }, async (_, i) => ended(await start(`${goal} ${i}`))))
      return performance.now() - startMs
    },
    async memory(): Promise<Memory> {
      child.stdin.write('\n')
      const [line] = (await once(lines, 'line')) as [string]
      return JSON.parse(line)
    },
    end: () => void child.kill('SIGKILL'),
  }
}
