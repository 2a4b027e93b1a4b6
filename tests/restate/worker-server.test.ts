// What a Restate server makes of the address of a version, of drained workers and of signed requests: with a service of our own, since
// none of it depends on what is served.
import { generateKeyPairSync } from 'node:crypto'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import * as restate from '@restatedev/restate-sdk'
import * as clients from '@restatedev/restate-sdk-clients'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Balancer, openBalancer } from '../../src/cluster/balancer.ts'
import { freePorts } from '../../src/cluster/free-ports.ts'
import { type RestateServer, startRestateServer } from '../../src/cluster/restate-server.ts'
import { type Endpoint, openEndpoint } from '../../src/hosts/restate/endpoint.ts'
import { registerVersion } from '../../src/hosts/restate/register.ts'

let server: RestateServer
let publicKey: string
let folder: string
const ends: (() => Promise<void>)[] = []

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'thinkon-identity-'))
  const pem = join(folder, 'private.pem')
  writeFileSync(pem, generateKeyPairSync('ed25519').privateKey.export({ type: 'pkcs8', format: 'pem' }))
  server = await startRestateServer({
    folder: join(folder, 'restate'),
    settings: { RESTATE_REQUEST_IDENTITY_PRIVATE_KEY_PEM_FILE: pem, RESTATE_LOG_FILTER: 'info' },
  })
  publicKey = /publickeyv1_\w+/.exec(readFileSync(join(folder, 'restate/server.log'), 'utf8'))?.[0] ?? ''
})

afterAll(async () => {
  for (const end of ends) await end()
  await server.end()
  rmSync(folder, { recursive: true, force: true })
})

const calls: string[] = []

/** `work` says which worker did it, after so many milliseconds. */
async function worker(name: string, path: string, port = 0, identityKeys: string[] = []): Promise<Endpoint> {
  const service = restate.service({
    name: 'work',
    handlers: {
      async work(_: restate.Context, ms: number) {
        calls.push(name)
        await pause(ms)
        return name
      },
    },
    options: { retryPolicy: { initialInterval: 50, maxInterval: 200, maxAttempts: 1_000 } },
  })
  const handler = restate.createEndpointHandler({ services: [service], identityKeys, logger: () => {} })
  const opened = await openEndpoint({ handler, path, port })
  ends.push(() => opened.close())
  return opened
}

function work(ms = 0): Promise<string> {
  const client = clients.connect({ url: server.ingress }).serviceClient({ name: 'work' }) as unknown as {
    work(ms: number): Promise<string>
  }
  return client.work(ms)
}

test('a worker with the public key of the server serves it, and nobody else', async () => {
  const { port } = await worker('signed', '/signed', 0, [publicKey])
  await registerVersion(server.admin, `http://127.0.0.1:${port}/signed`)
  expect(await work()).toBe('signed')
  const unsigned = await fetch(`http://127.0.0.1:${port}/signed/discover`)
  expect(unsigned.status).toBe(401)
  const other = await worker('other', '/other', 0, [
    'publickeyv1_2G8dCQhArfvGpzPw5Vx2ALciR4xCLHfS5YaT93XjNxX9',
  ])
  await expect(registerVersion(server.admin, `http://127.0.0.1:${other.port}/other`)).rejects.toThrow(
    /refuse the Restate server.*cluster\.identityKeys/,
  )
})

test('a new version takes new work; an old worker that registers again does not take it back', async () => {
  const one = await worker('one', '/1')
  const two = await worker('two', '/2')
  const registerOne = () => registerVersion(server.admin, `http://127.0.0.1:${one.port}/1`)
  await registerOne()
  await registerOne()
  expect(await work()).toBe('one')
  await registerVersion(server.admin, `http://127.0.0.1:${two.port}/2`)
  expect(await work()).toBe('two')
  await registerOne()
  expect(await work()).toBe('two')
})

test('a worker that drains behind the balancer is rid of its work, and nothing is done twice', async () => {
  const [port, ...ports] = (await freePorts(4)) as [number, number, number, number]
  const workers = await Promise.all(ports.map((of, at) => worker(`worker ${at}`, '/3', of)))
  const balancer: Balancer = await openBalancer({ port, workers: ports })
  ends.unshift(() => balancer.close())
  await registerVersion(server.admin, `http://127.0.0.1:${port}/3`)
  calls.splice(0)
  const begun = Array.from({ length: 30 }, () => work(1_000))
  while (calls.length < 30) await pause(5)
  const [first] = workers as [Endpoint]
  expect(first.active()).toBeGreaterThan(0)
  const drained = first.drain(() => false)
  let isDrained = false
  void drained.then(() => {
    isDrained = true
  })
  let more = 0
  while (!isDrained) {
    await Promise.all([work(), work()])
    more += 2
  }
  await first.close()
  await Promise.all(begun)
  expect(await work()).not.toBe('worker 0')
  expect(calls).toHaveLength(30 + more + 1)
})
