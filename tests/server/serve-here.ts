/** A service in this process, on a free port of the loopback, with scripted models. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createEngine, type EngineOptions } from '../../src/engine.ts'
import type { ModelIo } from '../../src/kernel/model.ts'
import type { ModelRequest } from '../../src/protocol/index.ts'
import { type AppOptions, serviceApp } from '../../src/server/http/app.ts'
import { type Listening, type ListenOptions, listen } from '../../src/server/http/listen.ts'
import { createService, type Service, type ServiceOptions } from '../../src/server/service.ts'
import { ScriptedModel } from '../../src/testing/index.ts'
import { type Asking, asking } from './asking.ts'

export type Script = (request: ModelRequest, io: ModelIo) => unknown
export const DONE: Script = () => ({ do: 'return', result: 'done' })
export const TOKEN = 'a-token-of-the-tests-that-is-long-enough'

export interface ServedOptions {
  script?: Script
  store?: string
  service?: Partial<ServiceOptions>
  app?: Partial<AppOptions>
  listen?: Partial<ListenOptions>
  engine?: Partial<EngineOptions>
}

export interface Served extends Asking {
  readonly service: Service
  readonly store: string
  readonly url: string
  readonly port: number
  close(): Promise<void>
}

const ends: (() => unknown)[] = []

/** For afterEach. */
export async function endAll(): Promise<void> {
  for (const end of ends.splice(0).reverse()) await end()
}

export function storeFile(): string {
  const folder = mkdtempSync(join(tmpdir(), 'thinkon-serve-'))
  ends.push(() => rmSync(folder, { recursive: true, force: true }))
  return join(folder, 'runs.db')
}

export async function serveHere(options: ServedOptions = {}): Promise<Served> {
  const { script = DONE, store = storeFile() } = options
  const service = createService({
    engineFor: (id) => createEngine({ model: new ScriptedModel(script, { id }), store, ...options.engine }),
    models: ['fast', 'slow'],
    defaults: { strategy: 'minimal' },
    ...options.service,
  })
  const app = serviceApp(service, {
    tokens: [TOKEN],
    hosts: ['127.0.0.1', 'localhost'],
    onError: (thrown) => process.stderr.write(`${(thrown as Error).stack}\n`),
    ...options.app,
  })
  const listening: Listening = await listen(app, { host: '127.0.0.1', port: 0, ...options.listen })
  const url = `http://127.0.0.1:${listening.port}`
  let isClosed = false
  const close = async () => {
    if (isClosed) return
    isClosed = true
    await service.close()
    await listening.close(200)
  }
  ends.push(close)
  return {
    service,
    store,
    url,
    port: listening.port,
    ...asking(url, TOKEN),
    close,
  }
}

/** A model that waits until it is let go. */
export function gate() {
  const { promise, resolve } = Promise.withResolvers<void>()
  const asked = Promise.withResolvers<void>()
  const script: Script = async (_, { signal }) => {
    asked.resolve()
    const stopped = new Promise((_, reject) =>
      signal.addEventListener('abort', () => reject(signal.reason), { once: true }),
    )
    await Promise.race([promise, stopped])
    return { do: 'return', result: 'let go' }
  }
  return { script, open: resolve, asked: asked.promise }
}

export interface SentEvent {
  readonly id?: string
  readonly event?: string
  readonly data: string
}

/** Server-sent events as their sender wrote them, comments left out. */
export async function* sentEvents(response: Response): AsyncGenerator<SentEvent> {
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader()
  let text = ''
  for (let next = await reader?.read(); next && !next.done; next = await reader?.read()) {
    text += next.value
    const parts = text.split('\n\n')
    text = parts.pop() ?? ''
    for (const part of parts) {
      const fields = part.split('\n').map((line) => line.split(/: (.*)/s) as [string, string])
      const sent = Object.fromEntries(fields.filter(([name]) => name !== '')) as unknown as SentEvent
      if (sent.data !== undefined) yield sent
    }
  }
}
