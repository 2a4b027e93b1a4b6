// What the service refuses, and that it says why: each attack is a line of a table or a test of its own.
import { readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { afterEach, expect, it, onTestFinished, vi } from 'vitest'
import { storeState } from '../../src/files/state-folder.ts'
import { ROUTES } from '../../src/server/http/routes/index.ts'
import { LoginCodes, openSession } from '../../src/server/http/sessions.ts'
import { tokenIn } from '../../src/server/http/token-file.ts'
import { needsOf } from '../../src/server/scopes.ts'
import { raw, requestHead } from './raw.ts'
import { endAll, gate, serveHere, storeFile, TOKEN } from './serve-here.ts'

afterEach(endAll)

const BEARER = { authorization: `Bearer ${TOKEN}` }

it.each([
  ['none', {}],
  ['a wrong one', { authorization: 'Bearer wrong' }],
  ['one that only begins right', { authorization: `Bearer ${TOKEN.slice(0, -1)}` }],
  ['one that only ends wrong', { authorization: `Bearer ${TOKEN}x` }],
  ['another scheme', { authorization: `Basic ${TOKEN}` }],
  ['two', { authorization: `Bearer ${TOKEN}, Bearer ${TOKEN}` }],
  ['a cookie', { cookie: `thinkon=${TOKEN}` }],
  ['a session of another token', { authorization: `Bearer ${openSession('x'.repeat(20)).session}` }],
  ['a session that has expired', { authorization: `Bearer ${openSession(TOKEN, 0).session}` }],
  ['a session whose end was moved', { authorization: `Bearer ${moved(openSession(TOKEN, 0).session)}` }],
])('no answer without a token: %s', async (_, headers) => {
  const { url, service } = await serveHere()
  for (const { method, path } of ROUTES) {
    const response = await fetch(`${url}/api${path.replace('{run}', 'x')}`, {
      method: method.toUpperCase(),
      headers: headers as Record<string, string>,
    })
    expect([path, response.status]).toEqual([path, 401])
    expect(response.headers.get('www-authenticate')).toContain('Bearer')
    expect(await response.json()).toMatchObject({ code: 'DENIED', title: 'A token is needed' })
  }
  for (const path of ['/api/nothing', '/nothing', `/api/runs?token=${TOKEN}`])
    expect((await fetch(url + path, { headers: headers as Record<string, string> })).status).toBe(401)
  expect(await service.engine.count()).toBe(0)
})

function moved(session: string): string {
  const [kind, , mac] = session.split('.')
  return `${kind}.${(Date.now() + 1e9).toString(36)}.${mac}`
}

it('a code opens one session, which is not the token; no answer sets a cookie', async () => {
  const codes = new LoginCodes()
  const reader = 'a-token-only-for-reading'
  const { url } = await serveHere({ app: { tokens: [TOKEN, { token: reader, scopes: ['read'] }], codes } })
  const open = (body: object, headers = {}) =>
    fetch(`${url}/api/session`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: JSON.stringify(body),
    })
  const code = codes.create(reader)
  const opened = await open({ code })
  expect([opened.status, opened.headers.get('set-cookie')]).toEqual([201, null])
  const { session } = (await opened.json()) as { session: string }
  expect(session).not.toContain(reader)
  const authorization = `Bearer ${session}`
  expect((await fetch(`${url}/api/runs`, { headers: { authorization } })).status).toBe(200)
  // It has the scopes of its token, opens no other session, and is no cookie.
  const started = await fetch(`${url}/api/runs`, { method: 'POST', headers: { authorization } })
  expect(started.status).toBe(403)
  expect((await open({}, { authorization })).status).toBe(401)
  expect((await fetch(`${url}/api/runs`, { headers: { cookie: `thinkon=${session}` } })).status).toBe(401)
  // Once, and not after its time.
  expect((await open({ code })).status).toBe(401)
  expect((await open({ code: codes.create(reader, Date.now() - 16 * 60_000) })).status).toBe(401)
  expect((await open({ code: 'wrong' })).status).toBe(401)
  expect((await open({})).status).toBe(401)
  expect((await open({}, { authorization: `Bearer ${TOKEN}` })).status).toBe(201)
  expect((await fetch(`${url}/api/session`, { headers: { authorization } })).status).toBe(404)
})

it('a session belongs to the tokens of one service', async () => {
  const one = await serveHere({ app: { tokens: ['the-token-of-the-first-service'] } })
  const other = await serveHere({ app: { tokens: ['the-token-of-the-second-service'] } })
  const { session } = openSession('the-token-of-the-first-service')
  const statusAt = async (url: string) =>
    (await fetch(`${url}/api/runs`, { headers: { authorization: `Bearer ${session}` } })).status
  expect([await statusAt(one.url), await statusAt(other.url)]).toEqual([200, 401])
})

it.each([
  'evil.example',
  'evil.example:80',
  '127.0.0.1.evil.example',
  'localhost.evil.example',
  '127.0.0.2',
  '[::2]',
  'localhost:1:2',
  '',
])('no name but ours leads here (DNS rebinding): %s', async (host) => {
  const { port } = await serveHere()
  for (const path of ['/api/runs', '/', '/api/health']) {
    const { status, text } = await raw(port, requestHead(`GET ${path}`, { host, ...BEARER }))
    expect([path, [400, 403].includes(status)]).toEqual([path, true])
    expect(text).not.toContain('"runs"')
  }
})

it('an address that is reached by any of its numbers is not reached by a name', async () => {
  const { port } = await serveHere({ app: { hosts: ['ip', 'runs.example'] } })
  const ask = async (host: string) =>
    (await raw(port, requestHead('GET /api/models', { host, ...BEARER }))).status
  expect(await ask('10.0.0.1:7317')).toBe(200)
  expect(await ask('[::1]:7317')).toBe(200)
  expect(await ask('runs.example')).toBe(200)
  expect(await ask('evil.example')).toBe(403)
})

it.each([
  ['a page elsewhere', { origin: 'https://evil.example', ...BEARER }],
  ['a page of another port', { origin: 'http://127.0.0.1:1', ...BEARER }],
  ['a page in a sandbox', { origin: 'null', ...BEARER }],
])('what changes something does not come from another page (CSRF): %s', async (_, headers) => {
  const { port, service } = await serveHere()
  const body = '{"goal":"a"}'
  const head = requestHead('POST /api/runs', {
    host: `127.0.0.1:${port}`,
    'content-type': 'application/json',
    'content-length': String(body.length),
    ...(headers as Record<string, string>),
  })
  expect((await raw(port, head + body)).status).toBe(403)
  expect(await service.engine.count()).toBe(0)
})

it('an allowed origin is answered with the headers that let its page read, also its errors', async () => {
  const origin = 'https://desk.example'
  const { fetch, url } = await serveHere({ app: { origins: [origin] } })
  const preflight = await globalThis.fetch(`${url}/api/runs`, {
    method: 'OPTIONS',
    headers: { origin, 'access-control-request-method': 'POST' },
  })
  expect([preflight.status, preflight.headers.get('access-control-allow-origin')]).toEqual([204, origin])
  expect(preflight.headers.get('access-control-allow-credentials')).toBeNull()
  for (const path of ['/api/runs', '/api/runs/none'])
    expect((await fetch(path, { headers: { origin } })).headers.get('access-control-allow-origin')).toBe(
      origin,
    )
})

it('a token is good for its scopes, on every route', async () => {
  const scopes = ['read', 'steer', 'start'] as const
  const { url } = await serveHere({
    app: { tokens: scopes.map((scope) => ({ token: `token-for-${scope}-only`, scopes: [scope] })) },
  })
  for (const { method, path, does } of ROUTES) {
    for (const has of scopes) {
      const response = await fetch(`${url}/api${path.replace('{run}', 'none')}`, {
        method: method.toUpperCase(),
        headers: { authorization: `Bearer token-for-${has}-only` },
      })
      await response.text()
      const isAllowed = needsOf(does).every((need) => need === has)
      expect([method, path, has, response.status === 403]).toEqual([method, path, has, !isAllowed])
    }
  }
})

it('what a token must be valid for follows from what is done, as in this table', () => {
  expect(Object.fromEntries(ROUTES.map(({ name, does }) => [name, needsOf(does).join(' ')]))).toEqual({
    ...{ startRun: 'start', importRun: 'start', deleteRun: 'start' },
    ...{
      listQuestions: 'read',
      listRuns: 'read',
      showRun: 'read',
      runState: 'read',
      runEvents: 'read',
      replayRun: 'read',
    },
    ...{ blockForm: 'read', exportRun: 'read', runPage: 'read' },
    ...{ proposedChanges: 'steer', signalRun: 'steer', answerRun: 'steer', cancelRun: 'steer' },
    ...{ resumeRun: 'steer', redoBlock: 'steer', forkRun: 'start steer', trustRun: 'start steer' },
    ...{ listModels: 'read', listStrategies: 'read', listTools: 'read', listBlueprints: 'read' },
    listWebhooks: 'read',
  })
})

/** A stopped run of one client, and a token of another one that may only start. */
async function stoppedRun(app = {}) {
  const store = storeFile()
  const { script, asked } = gate()
  const other = 'a-token-to-start-only'
  const tokens = [TOKEN, { token: other, scopes: ['start'] as const }]
  const before = await serveHere({ store, script, app: { tokens, ...app } })
  expect((await before.post('/api/runs', { goal: 'a', id: 'one' })).status).toBe(201)
  await asked
  await before.close()
  // Not resumed by itself: `open` is not called.
  const after = await serveHere({ store, app: { tokens, ...app } })
  const ask = (method: string, path: string, body?: object, token = other) =>
    after.fetch(path, {
      method,
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      ...(body && { body: JSON.stringify(body) }),
    })
  return { ...after, ask }
}

it('a run of another client is neither resumed, shared nor deleted with a token to start only', async () => {
  const { ask, service } = await stoppedRun()
  const isStopped = async () => (await service.engine.row('one')).status === 'stopped'
  const start = () => ask('POST', '/api/runs', { goal: 'a', id: 'one' })
  expect([(await start()).status, await isStopped()]).toEqual([403, true])
  expect([(await ask('DELETE', '/api/runs/one')).status, await isStopped()]).toEqual([403, true])
  // Its own client may.
  expect((await ask('POST', '/api/runs', { goal: 'a', id: 'one' }, TOKEN)).status).toBe(201)
  await expect.poll(async () => (await service.engine.row('one')).status).toBe('completed')
  expect((await start()).status).toBe(403)
  expect((await ask('DELETE', '/api/runs/one', undefined, TOKEN)).status).toBe(200)
  // Runs of its own.
  expect((await ask('POST', '/api/runs', { goal: 'a', id: 'two' })).status).toBe(201)
  expect((await start()).status).toBe(201)
  await expect.poll(async () => (await service.engine.row('two')).status).toBe('completed')
  expect((await ask('DELETE', '/api/runs/two')).status).toBe(200)
})

it('authorize may name the client, whose runs are then not those of others', async () => {
  const authorize = (request: Request) => {
    const client = request.headers.get('x-user') ?? ''
    return client === '' ? null : { scopes: ['start'] as const, client }
  }
  const { url } = await serveHere({ app: { tokens: undefined as never, authorize } })
  const start = async (user: string) => {
    const headers = { 'x-user': user, 'content-type': 'application/json' }
    return (await fetch(`${url}/api/runs`, { method: 'POST', headers, body: '{"goal":"a","id":"one"}' }))
      .status
  }
  expect([await start('ann'), await start('bob'), await start('ann'), await start('')]).toEqual([
    201, 403, 201, 401,
  ])
})

it('a redo in a fork is a start, and an edit of a fork is steering', async () => {
  const tokens = (['steer', 'start'] as const).map((scope) => ({
    token: `a-token-to-${scope}-only`,
    scopes: [scope],
  }))
  const { fetch, post } = await serveHere({ app: { tokens: [TOKEN, ...tokens] } })
  const { run } = (await (await post('/api/runs', { goal: 'a' })).json()) as { run: string }
  await fetch(`/api/runs/${run}/events`, { headers: { accept: 'text/event-stream' } }).then((one) =>
    one.text(),
  )
  const ask = async (token: string, path: string, body: object) => {
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
    const response = await fetch(`/api/runs/${run}/${path}`, {
      method: 'POST',
      headers,
      body: JSON.stringify(body),
    })
    return [response.status, ((await response.json()) as { detail?: string }).detail ?? '']
  }
  expect(await ask('a-token-to-steer-only', 'redo', { path: '1' })).toEqual([
    403,
    'this token is not good for "start"',
  ])
  expect(await ask('a-token-to-start-only', 'fork', { at: 1, edit: { goal: 'b' } })).toEqual([
    403,
    'this token is not good for "steer"',
  ])
  for (const edit of [{ config: {} }, { limits: {} }, { usage: {} }, { strategy: 'tot@1' }])
    expect(await ask(TOKEN, 'fork', { at: 1, edit })).toEqual([
      403,
      expect.stringContaining('it can change: goal, value, result, request'),
    ])
})

it('an edited prompt that is none, or of a token that may not edit, is refused, and there is no fork', async () => {
  const tokens = (['read', 'start'] as const).map((scope) => ({
    token: `a-token-only-to-${scope}`,
    scopes: [scope],
  }))
  const { fetch, post, service } = await serveHere({ app: { tokens: [TOKEN, ...tokens] } })
  const { run } = (await (await post('/api/runs', { goal: 'a' })).json()) as { run: string }
  expect(await (await service.attach(run)).outcome).toMatchObject({ status: 'completed' })
  const at = [...(await service.engine.events(run))].find(({ type }) => type === 'model-start')?.seq
  const ask = async (token: string, request: unknown) => {
    const response = await fetch(`/api/runs/${run}/fork`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: JSON.stringify({ at, edit: { request } }),
    })
    return [response.status, ((await response.json()) as { detail?: string }).detail ?? '']
  }
  const good = { messages: [{ role: 'user', content: 'another' }] }
  expect(await ask('a-token-only-to-read', good)).toEqual([403, 'this token is not good for "start"'])
  expect(await ask('a-token-only-to-start', good)).toEqual([403, 'this token is not good for "steer"'])
  for (const [request, says] of [
    [{ messages: [] }, 'request.messages is empty'],
    [{ messages: [{ role: 'user', content: 5 }] }, 'request.messages[0].content must be a text'],
    [
      { ...good, role: 'judge' },
      '"request.role" can\'t be edited; of the request these can: messages, settings',
    ],
    ['ask this', 'edit.request must be an object, not "ask this"'],
  ])
    expect(await ask(TOKEN, request)).toEqual([400, expect.stringContaining(says as string)])
  expect(await service.engine.count({ forkOf: run })).toBe(0)
})

it('takes bodies of JSON, not too large, not too slow, not too deep', async () => {
  const limits = { maxBodyBytes: 10_000, bodyTimeoutMs: 300 }
  const { port, fetch, service } = await serveHere({ app: { limits } })
  const ask = async (body: string, type = 'application/json') => {
    const response = await fetch('/api/runs', { method: 'POST', headers: { 'content-type': type }, body })
    return [response.status, ((await response.json()) as { detail: string }).detail]
  }
  expect(await ask(JSON.stringify({ goal: 'x'.repeat(10_000) }))).toEqual([
    413,
    'the body is larger than 9.8 KiB',
  ])
  expect(await ask('goal=a', 'application/x-www-form-urlencoded')).toMatchObject([415, {}])
  expect(await ask('{"goal":"a"}', 'text/plain')).toMatchObject([415, {}])
  expect(await ask('{"goal":')).toMatchObject([400, expect.stringContaining('not JSON')])
  expect(await ask('[]')).toMatchObject([400, {}])
  expect(await ask(`{"goal":"a","options":${'['.repeat(4_000)}${']'.repeat(4_000)}}`)).toMatchObject([
    400,
    expect.stringContaining('nested deeper'),
  ])
  const host = `127.0.0.1:${port}`
  const head = (more: Record<string, string>) =>
    requestHead('POST /api/runs', { host, ...BEARER, 'content-type': 'application/json', ...more })
  const endless = await raw(port, head({ 'transfer-encoding': 'chunked' }), {
    rest: Array.from({ length: 20 }, () => `400\r\n${'x'.repeat(0x400)}\r\n`),
  })
  expect(endless.status).toBe(413)
  const slow = await raw(port, head({ 'content-length': '1000' }), {
    rest: Array.from({ length: 200 }, () => ' '),
    pauseMs: 50,
  })
  expect([slow.status, slow.text]).toEqual([408, expect.stringContaining('did not arrive within 0.3 s')])
  const untrue = await raw(port, head({ 'content-length': '99999999999' }))
  expect(untrue.status).toBe(413)
  expect(await service.engine.count()).toBe(0)
})

it('heads of requests are not too large and not too slow', async () => {
  const { port, fetch } = await serveHere({ listen: { headersTimeoutMs: 200, maxHeaderBytes: 8_192 } })
  const host = `127.0.0.1:${port}`
  expect((await raw(port, requestHead('GET /api/runs', { host, 'x-a': 'a'.repeat(20_000) }))).status).toBe(
    431,
  )
  expect((await raw(port, requestHead(`GET /${'a'.repeat(20_000)}`, { host }))).status).toBe(431)
  const slow = await raw(port, 'GET / HTTP/1.1\r\n', {
    rest: Array.from({ length: 400 }, (_, i) => `x-${i}: a\r\n`),
    pauseMs: 50,
  })
  expect(slow.status).toBe(408)
  expect((await fetch('/api/models')).status).toBe(200)
})

it.each([
  '/api/runs/..%2f..%2f..%2fetc%2fpasswd',
  '/api/runs/%252e%252e%252fetc%252fpasswd',
  '/api/runs/../../../../etc/passwd',
  '/api/../../../etc/passwd',
  '/api/runs/%2e%2e/%2e%2e/etc/passwd/export',
  '/api/runs/x%00.db/export',
  '/api/runs/..%5c..%5cwindows/state',
  '/api/runs//etc/passwd/export',
  '/api/runs/file:%2f%2f%2fetc%2fpasswd/events',
  '/api/runs/%ff%fe/export',
  '/api/runs/%/export',
  '/.thinkon/runs.db',
  '/runs.db.token',
  '/..;/etc/passwd',
])('no path leads to a file: %s', async (path) => {
  const { port } = await serveHere()
  const host = `127.0.0.1:${port}`
  const { status, text } = await raw(port, requestHead(`GET ${path}`, { host, ...BEARER }))
  expect(status).toBeGreaterThanOrEqual(400)
  expect(status).toBeLessThan(500)
  expect(text).not.toContain('root:')
})

it('no request names a model, a file or a limit that the operator has not allowed', async () => {
  const store = storeFile()
  const workspace = dirname(store)
  symlinkSync('/etc', join(workspace, 'link'))
  const { post, service } = await serveHere({ store, service: { workspace } })
  const refused: [object, number, string][] = [
    ...[
      'module:./evil.ts',
      'gguf:/etc/passwd',
      'http://127.0.0.1:1/v1#x',
      'openai:gpt-5',
      'fast,module:x',
    ].map((model): [object, number, string] => [{ model }, 400, 'NO_MODEL']),
    ...['/etc', '../..', 'link/x', '.thinkon', '.git/hooks', 'a\0b'].map(
      (log_dir): [object, number, string] => [{ strategy: 'tot', options: { log_dir } }, 403, 'DENIED'],
    ),
    [{ strategy: 'auto', options: { deep: [{ log_dir: '/etc' }] } }, 403, 'DENIED'],
    [{ strategy: 'module:./evil.ts' }, 400, 'NO_SUCH_STRATEGY'],
    [{ strategy: '__proto__' }, 400, 'NO_SUCH_STRATEGY'],
    [{ strategy: 'constructor' }, 400, 'NO_SUCH_STRATEGY'],
    [{ budget: { costUsd: 11 } }, 403, 'DENIED'],
    [{ budget: { calls: 1e9 } }, 403, 'DENIED'],
    [{ id: '../x' }, 400, 'BAD_INPUT'],
    [{ workspace: '/etc' }, 400, 'BAD_INPUT'],
    [{ store: '/tmp/x' }, 400, 'BAD_INPUT'],
    [{ approval: { allow: ['shell(*)'] } }, 400, 'BAD_INPUT'],
    [{ routes: {} }, 400, 'BAD_INPUT'],
    [{ config: 'thinkon.config.ts' }, 400, 'BAD_INPUT'],
  ]
  for (const [request, status, code] of refused) {
    const response = await post('/api/runs', { goal: 'a', ...request })
    const problem = (await response.json()) as { code: string; detail: string }
    expect([request, response.status, problem.code]).toEqual([request, status, code])
    expect(problem.detail).not.toBe('')
  }
  expect(await service.engine.count()).toBe(0)
})

it('each address has its methods, and says which', async () => {
  const { fetch, port } = await serveHere()
  const put = await fetch('/api/runs', { method: 'PUT' })
  expect([put.status, put.headers.get('allow')]).toEqual([405, 'POST, GET'])
  expect((await fetch('/api/runs/x', { method: 'PATCH' })).status).toBe(405)
  expect((await fetch('/api/runs/x/cancel')).status).toBe(405)
  expect((await fetch('/api/runs', { method: 'OPTIONS' })).status).toBe(405)
  const host = `127.0.0.1:${port}`
  for (const method of ['TRACE', 'CONNECT', 'PROPFIND', 'get', 'X'.repeat(100)]) {
    const { status } = await raw(port, requestHead(`${method} /api/runs`, { host, ...BEARER }))
    expect([method, status === 0 || (status >= 400 && status < 500)]).toEqual([method, true])
  }
})

it('limits starts and streams, and what nobody reads any more is let go', async () => {
  const { script, asked, open } = gate()
  const limits = { startsPerMinute: 2, maxStreams: 2 }
  const { fetch, post, port, service } = await serveHere({ script, app: { limits } })
  const { run } = (await (await post('/api/runs', { goal: 'a' })).json()) as { run: string }
  await post('/api/runs', { goal: 'b' })
  const third = await post('/api/runs', { goal: 'c' })
  expect([third.status, third.headers.get('retry-after'), await third.json()]).toMatchObject([
    429,
    '5',
    { code: 'LIMIT', retryable: true },
  ])
  await asked
  const path = `/api/runs/${run}/events`
  const headers = { accept: 'text/event-stream' }
  // Heads of streams, and connections that are gone before they are answered.
  for (let i = 0; i < 5; i++) expect((await fetch(path, { method: 'HEAD', headers })).status).toBe(200)
  const host = `127.0.0.1:${port}`
  for (let i = 0; i < 20; i++) {
    const gone = raw(port, requestHead(`GET ${path}`, { host, ...BEARER, ...headers }), { patienceMs: 1 })
    await gone.catch(() => {})
  }
  const readers = [new AbortController(), new AbortController()]
  const openStream = (signal: AbortSignal) => fetch(path, { headers, signal })
  for (const { signal } of readers)
    await expect.poll(async () => (await openStream(signal)).status, { interval: 20 }).toBe(200)
  expect((await fetch(path, { headers })).status).toBe(429)
  readers[0]?.abort()
  await expect
    .poll(async () => (await openStream(AbortSignal.timeout(50))).status, { interval: 20 })
    .toBe(200)
  open()
  expect(await (await service.attach(run)).outcome).toMatchObject({ status: 'completed' })
})

it('makes its token once, for its owner alone, and keeps it', () => {
  vi.stubEnv('THINKON_STATE', join(dirname(storeFile()), 'state'))
  onTestFinished(() => void vi.unstubAllEnvs())
  const store = storeFile()
  const folder = storeState('/work', store)
  const { token, file } = tokenIn(folder)
  expect(token).toMatch(/^[\w-]{43}$/)
  expect(tokenIn(folder)).toEqual({ token, file })
  expect(tokenIn(storeState('/work', `${store}2`)).token).not.toBe(token)
  expect(tokenIn(storeState('/other', store)).token).not.toBe(token)
  expect(statSync(file).mode & 0o777).toBe(0o600)
  expect(readFileSync(file, 'utf8')).toBe(`${token}\n`)
  writeFileSync(file, 'short')
  expect(() => tokenIn(folder)).toThrow('has no token in it')
})
