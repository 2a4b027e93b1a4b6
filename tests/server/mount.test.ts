// The service below a path of an application of one's own: Hono, Express, and a route handler as Next.js has them.
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { getRequestListener } from '@hono/node-server'
import express from 'express'
import { Hono } from 'hono'
import { afterEach, expect, it } from 'vitest'
import { createClient } from '../../src/client.ts'
import { createEngine } from '../../src/engine.ts'
import { type AppOptions, serviceApp } from '../../src/server/http/app.ts'
import { createService } from '../../src/server/service.ts'
import { ScriptedModel } from '../../src/testing/index.ts'
import { DONE, TOKEN } from './serve-here.ts'

const ends: (() => unknown)[] = []
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end()
})

function appOf(options: Partial<AppOptions> = {}): Hono {
  const service = createService({
    engineFor: () => createEngine({ model: new ScriptedModel(DONE) }),
    models: ['scripted'],
    defaults: { strategy: 'minimal' },
  })
  ends.push(() => service.close())
  return serviceApp(service, { tokens: [TOKEN], ...options })
}

async function listening(listener: RequestListener): Promise<string> {
  const server = createServer(listener)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  ends.push(() => {
    server.closeAllConnections()
    server.close()
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

/** The path, and how the application is made. `/api` in it must not be taken for that of the service. */
const MOUNTS: [name: string, path: string, serve: () => Promise<string>][] = [
  ['nowhere', '', () => listening(getRequestListener(appOf().fetch))],
  [
    'Hono',
    '/api/thinkon',
    () => {
      const own = new Hono().get('/', (context) => context.text('mine')).route('/api/thinkon', appOf())
      return listening(getRequestListener(own.fetch))
    },
  ],
  [
    'Express',
    '/tools/thinkon',
    () => {
      const listener = getRequestListener(appOf({ path: '/tools/thinkon' }).fetch)
      const own = express()
      own.use('/tools/thinkon', (request, response) => {
        request.url = request.originalUrl // Express takes the path off
        return listener(request, response)
      })
      own.use(express.json())
      own.get('/', (_, response) => void response.send('mine'))
      return listening(own)
    },
  ],
  [
    'a route handler of Next.js',
    '/api/thinkon',
    () => {
      // app/api/thinkon/[[...path]]/route.ts
      const app = appOf({ path: '/api/thinkon' })
      const handler = (request: Request): Response | Promise<Response> => app.fetch(request)
      return listening(getRequestListener(handler))
    },
  ],
]

it.each(MOUNTS)('in %s, paths, pages, documents and streams are right', async (_, path, serve) => {
  const origin = await serve()
  const url = origin + path
  const client = createClient({ url, token: TOKEN })
  const run = await client.start('a', { id: 'api' })
  expect((await run.outcome).result).toBe('done')
  expect((await client.events('api')).next).toBeNull()

  const authorization = `Bearer ${TOKEN}`
  const started = await fetch(`${url}/api/runs`, {
    method: 'POST',
    headers: { authorization, 'content-type': 'application/json' },
    body: JSON.stringify({ goal: 'b', id: 'other' }),
  })
  expect(started.headers.get('location')).toBe(`${path}/api/runs/other`)
  const document = await fetch(`${url}/api/openapi.json`, { headers: { authorization } })
  expect(await document.json()).toMatchObject({ servers: [{ url: `${path}/api` }] })

  for (const page of ['', '/api', '/api/docs']) {
    const html = await (await fetch(url + page)).text()
    expect(html).toContain(`href="${path}/api/openapi.json"`)
    expect(html).toContain(`<code>${path}/api/runs</code>`)
  }
  const opened = await fetch(`${url}/api/session`, { method: 'POST', headers: { authorization } })
  expect(opened.status).toBe(201)
  const missing = await fetch(`${url}/nothing`, { headers: { authorization } })
  expect([missing.status, await missing.json()]).toMatchObject([404, { instance: `${path}/nothing` }])
  expect((await fetch(`${url}/api/runs`)).status).toBe(401)
  if (path !== '' && _ !== 'a route handler of Next.js')
    expect(await (await fetch(origin)).text()).toBe('mine')
})
