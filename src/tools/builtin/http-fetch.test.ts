import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { ApprovalRules } from '../../protocol/index.ts'
import { toolIo } from '../../testing/tool-io.ts'
import { createApproval } from '../approval/approval.ts'
import { allowedHosts, isPrivate } from './hosts.ts'
import { type HttpFetchOptions, httpFetchTool } from './http-fetch.ts'
import { builtinTools } from './index.ts'

type Handler = (request: IncomingMessage, response: ServerResponse) => void
const routes: Record<string, Handler> = {
  '/text': (_, response) => response.setHeader('content-type', 'text/plain').end('hello'),
  '/json': (_, response) => response.setHeader('content-type', 'application/json').end('{"a":1}'),
  '/gbk': (_, response) =>
    response.setHeader('content-type', 'text/html; charset=gbk').end(Buffer.from([0xc4, 0xe3, 0xba, 0xc3])),
  '/gzip': (_, response) =>
    response
      .writeHead(200, { 'content-type': 'text/plain', 'content-encoding': 'gzip' })
      .end(gzipSync('z'.repeat(5_000_000))),
  '/image': (_, response) => response.setHeader('content-type', 'image/png').end('x'),
  '/missing': (_, response) => response.writeHead(404, { 'content-type': 'text/plain' }).end('no'),
  '/endless': (_, response) => {
    response.setHeader('content-type', 'text/plain')
    const timer = setInterval(() => response.write('x'.repeat(100_000)), 1)
    response.on('close', () => clearInterval(timer))
  },
  '/slow': () => {},
  '/drip': (_, response) => {
    response.setHeader('content-type', 'text/plain')
    const timer = setInterval(() => response.write('.'), 50)
    response.on('close', () => clearInterval(timer))
  },
  '/loop': (_, response) => response.writeHead(302, { location: '/loop' }).end(),
  '/to-text': (_, response) => response.writeHead(302, { location: '/text' }).end(),
  '/to-evil': (_, response) => response.writeHead(302, { location: 'http://evil.example/' }).end(),
  '/to-metadata': (_, response) =>
    response.writeHead(302, { location: 'http://169.254.169.254/latest' }).end(),
  '/to-file': (_, response) => response.writeHead(302, { location: 'file:///etc/passwd' }).end(),
  '/to-password': (request, response) =>
    response.writeHead(302, { location: `http://me:pw@${request.headers.host}/text` }).end(),
  '/cookies': (_, response) =>
    response
      .writeHead(200, {
        'content-type': 'text/plain',
        server: 'old/1.2',
        'set-cookie': ['id=s3cret; HttpOnly', 'b=2'],
      })
      .end('hi'),
  '/headers': (request, response) =>
    response.setHeader('content-type', 'application/json').end(JSON.stringify(request.headers)),
}

let server: Server
let port: number

beforeAll(async () => {
  server = createServer((request, response) => {
    const handler = routes[request.url ?? '']
    if (handler) handler(request, response)
    else response.writeHead(500).end()
  }).listen(0, '127.0.0.1')
  await new Promise((resolve) => server.once('listening', resolve))
  port = (server.address() as { port: number }).port
})
afterAll(() => {
  server.closeAllConnections()
  server.close()
})

describe('http_fetch', () => {
  it('is not there unless a host is allowed', async () => {
    const names = (http?: HttpFetchOptions) =>
      builtinTools({ ...(http ? { http } : {}) }).map((tool) => tool.name)
    expect(names()).not.toContain('http_fetch')
    expect(names({ allow: [] })).not.toContain('http_fetch')
    expect(names({ allow: ['example.com'] })).toContain('http_fetch')
    await expect(get('/text', { allow: [] })).rejects.toThrow('none is allowed in the configuration')
  })

  it('gets text, in the encoding it has, and says the status', async () => {
    expect(await get('/text')).toEqual({
      url: `http://127.0.0.1:${port}/text`,
      status: 200,
      contentType: 'text/plain',
      text: 'hello',
    })
    expect(await get('/gbk')).toMatchObject({ text: '你好' })
    expect(await get('/missing')).toMatchObject({ status: 404, text: 'no' })
    expect(await get('/to-text')).toMatchObject({
      status: 200,
      url: `http://127.0.0.1:${port}/text`,
      text: 'hello',
    })
    expect(await fetchUrl(`http://127.0.0.1:${port}/text`, {}, 'HEAD')).toMatchObject({ status: 200 })
  })

  it('says the headers when asked, without the values of cookies', async () => {
    const tool = httpFetchTool({ allow: ['127.0.0.1'] })
    const url = `http://127.0.0.1:${port}/cookies`
    const io = toolIo()
    const headers = { server: 'old/1.2', 'set-cookie': ['id=…; HttpOnly', 'b=…'] }
    for (const method of ['GET', 'HEAD'])
      expect(await tool.run({ url, method, headers: true }, io)).toMatchObject({ url, status: 200, headers })
    expect(await tool.run({ url }, io)).not.toHaveProperty('headers')
  })

  it.skipIf(spawnSync('openssl', ['version']).status !== 0)('says of https what the certificate says', () => {
    const folder = mkdtempSync(join(tmpdir(), 'thinkon-tls-'))
    const [key, certificate] = [join(folder, 'key.pem'), join(folder, 'cert.pem')]
    const of = ['-subj', '/CN=localhost/O=Test', '-addext', 'subjectAltName=DNS:localhost', '-days', '2']
    spawnSync('openssl', [
      'req',
      '-x509',
      '-newkey',
      'rsa:2048',
      '-nodes',
      '-keyout',
      key,
      '-out',
      certificate,
      ...of,
    ])
    const program = `
      import { readFileSync } from 'node:fs'
      import { createServer } from 'node:https'
      import { httpFetchTool } from ${JSON.stringify(join(import.meta.dirname, 'http-fetch.ts'))}
      const [key, cert] = process.argv.slice(1).map((file) => readFileSync(file))
      const server = createServer({ key, cert }, (_, response) => response.end('hi')).listen(0, '127.0.0.1', async () => {
        const url = 'https://localhost:' + server.address().port + '/'
        const io = { signal: new AbortController().signal }
        console.log(JSON.stringify(await httpFetchTool({ allow: ['localhost'] }).run({ url, headers: true }, io)))
        process.exit()
      })`
    const { stdout } = spawnSync(process.execPath, ['--input-type=module', '-e', program, key, certificate], {
      env: { ...process.env, NODE_EXTRA_CA_CERTS: certificate },
      encoding: 'utf8',
    })
    rmSync(folder, { recursive: true })
    expect(JSON.parse(stdout)).toMatchObject({
      status: 200,
      text: 'hi',
      tls: {
        protocol: 'TLSv1.3',
        subject: 'localhost',
        names: 'DNS:localhost',
        issuer: 'Test',
        until: expect.any(String),
      },
    })
  })

  it('cuts what is too large, also when it was packed small', async () => {
    expect(await get('/endless', { maxBytes: 1_000 })).toMatchObject({
      text: 'x'.repeat(1_000),
      cut: expect.anything(),
    })
    expect(await get('/gzip', { maxBytes: 1_000 })).toMatchObject({
      text: 'z'.repeat(1_000),
      cut: expect.anything(),
    })
  })

  it('refuses what is not text', async () => {
    await expect(get('/image')).rejects.toThrow('not text (image/png)')
  })

  it.each(['/slow', '/drip'])('gives up on %s', async (path) => {
    await expect(get(path, { timeoutMs: 300 })).rejects.toThrow('did not answer within 300 ms')
  })

  it('is aborted at once', async () => {
    const stop = new AbortController()
    setTimeout(() => stop.abort(), 100)
    await expect(get('/slow', {}, stop.signal)).rejects.toMatchObject({ code: 'CANCELLED' })
  })

  it.each([
    ['/to-evil', 'evil.example may not be reached'],
    ['/to-metadata', '169.254.169.254 may not be reached'],
    ['/to-file', 'not http or https'],
    ['/to-password', 'name or password'],
    ['/loop', 'more than 5 times'],
  ])('does not follow %s', async (path, why) => {
    await expect(get(path)).rejects.toThrow(why)
  })

  it.each([
    ['file:///etc/passwd', 'not http or https'],
    ['http://user:pw@127.0.0.1/', 'name or password'],
    ['http://user@127.0.0.1/', 'name or password'],
    ['nonsense', 'not an address'],
    ['http://example.com.evil.example/', 'may not be reached'],
    ['http://127.0.0.1.evil.example/', 'may not be reached'],
    ['http://evil.example/?example.com', 'may not be reached'],
    ['http://evil.example#example.com', 'may not be reached'],
    ['http://localhost/', 'may not be reached'],
  ])('refuses %s', async (url, why) => {
    await expect(fetchUrl(url, { allow: ['example.com', `127.0.0.1:${port}`] })).rejects.toThrow(why)
  })

  it.each([
    '127.0.0.1',
    '2130706433',
    '0x7f.1',
    '127.1',
    '0177.0.0.1',
    '[::ffff:127.0.0.1]',
    '[::1]',
    '0',
    '10.0.0.1',
  ])('refuses the private address %s though every public host is allowed', async (host) => {
    await expect(fetchUrl(`http://${host}:${port}/text`, { allow: ['*'] })).rejects.toThrow(
      /not public|may not be/,
    )
  })

  it('refuses a name that leads to a private address, unless that is listed', async () => {
    await expect(fetchUrl(`http://localhost:${port}/text`, { allow: ['*'] })).rejects.toThrow('not public')
    expect(await fetchUrl(`http://localhost:${port}/text`, { allow: ['localhost'] })).toMatchObject({
      text: 'hello',
    })
    expect(
      await fetchUrl(`http://localhost:${port}/text`, { allow: ['*', '127.0.0.0/8', '::1'] }),
    ).toMatchObject({
      text: 'hello',
    })
  })

  it('sends nothing that tells of the user', async () => {
    const { text } = (await get('/headers')) as { text: string }
    expect(Object.keys(JSON.parse(text)).sort()).toEqual([
      'accept',
      'accept-encoding',
      'connection',
      'host',
      'user-agent',
    ])
  })

  it('says which host it would reach', () => {
    const tool = httpFetchTool({ allow: ['*'] })
    expect(tool.deeds({ url: 'https://Example.COM./x' })).toEqual([{ does: 'network', host: 'example.com' }])
    expect(tool.deeds({ url: 'x' })).toEqual([])
  })
})

describe('allowed hosts', () => {
  it.each([
    ['example.com', 'https://example.com/', true],
    ['example.com', 'https://EXAMPLE.com:8443/', true],
    ['example.com', 'https://www.example.com/', false],
    ['*.example.com', 'https://www.example.com/', true],
    ['*.example.com', 'https://a.b.example.com/', true],
    ['*.example.com', 'https://example.com/', false],
    ['*.example.com', 'https://badexample.com/', false],
    ['example.com:443', 'https://example.com/', true],
    ['example.com:443', 'http://example.com/', false],
    ['bücher.de', 'https://xn--bcher-kva.de/', true],
    ['10.0.0.0/8', 'http://10.1.2.3/', true],
    ['10.0.0.0/8', 'http://11.1.2.3/', false],
    ['[::1]:3000', 'http://[::1]:3000/', true],
    ['[::1]:3000', 'http://[::1]:3001/', false],
    ['::1', 'http://[::1]:3001/', true],
    ['127.0.0.1:80', 'http://127.0.0.1:81/', false],
    ['*', 'https://anything.example/', true],
    ['*', 'http://192.168.0.1/', false],
  ])('%s and %s: %s', (entry, url, isAllowed) => {
    expect(allowedHosts([entry]).allowsUrl(new URL(url))).toBe(isAllowed)
  })

  it.each(['http://example.com', 'a b', 'a/b', '10.0.0.0/40', 'x@y', '', 'a*.com'])(
    'refuses the entry %j',
    (entry) => {
      expect(() => allowedHosts([entry])).toThrow('is not a host')
    },
  )

  it('knows private addresses', () => {
    for (const address of [
      '127.0.0.1',
      '10.9.9.9',
      '172.31.0.1',
      '100.64.0.1',
      '::1',
      '::',
      'fd00::1',
      'fe80::1',
      '::ffff:10.0.0.1',
      '64:ff9b::a00:1',
      '2002:a00:1::',
      '::7f00:1',
      '255.255.255.255',
    ])
      expect(isPrivate(address), address).toBe(true)
    for (const address of ['8.8.8.8', '172.32.0.1', '2606:4700::1111', '::ffff:8.8.8.8'])
      expect(isPrivate(address), address).toBe(false)
  })
})

function get(path: string, options: Partial<HttpFetchOptions> = {}, signal?: AbortSignal): Promise<unknown> {
  return fetchUrl(`http://127.0.0.1:${port}${path}`, options, 'GET', signal)
}

async function fetchUrl(
  url: string,
  options: Partial<HttpFetchOptions>,
  method = 'GET',
  signal = new AbortController().signal,
): Promise<unknown> {
  const tool = httpFetchTool({ allow: [`127.0.0.1:${port}`], ...options })
  return tool.run({ url, method }, toolIo({ signal }))
}

describe('a redirect is asked about again', () => {
  const APPROVE = createApproval()
  /** Three servers, each under names of its own, that know what they were asked for. */
  const seen: string[] = []
  const servers: Server[] = []
  const ports = new Map<string, number>()

  beforeAll(async () => {
    for (const address of ['127.0.0.1', '127.0.0.2', '::1']) {
      const one = createServer((request, response) => {
        seen.push(`${request.headers.host} ${request.url}`)
        const to = new URL(request.url ?? '', 'http://x').searchParams.getAll('to')
        if (to.length === 0) response.setHeader('content-type', 'text/plain').end(`from ${address}`)
        else {
          const [next = '', ...rest] = to
          const query = rest.map((url) => `to=${encodeURIComponent(url)}`).join('&')
          response.writeHead(302, { location: query === '' ? next : `${next}?${query}` }).end()
        }
      }).listen(0, address)
      await new Promise((resolve) => one.once('listening', resolve))
      servers.push(one)
      ports.set(address, (one.address() as { port: number }).port)
    }
  })
  afterAll(() => {
    for (const one of servers) one.close()
  })

  const HOSTS = ['127.0.0.1', '127.0.0.2', 'localhost', '::1']
  const at = (name: string) =>
    `http://${name === '::1' ? '[::1]' : name}:${ports.get(name === 'localhost' ? '127.0.0.1' : name)}/`
  const via = (first: string, ...hops: string[]) =>
    `${at(first)}?${hops.map((hop) => `to=${encodeURIComponent(hop)}`).join('&')}`

  /** As the kernel calls it, under a policy. */
  async function fetched(url: string, rules: ApprovalRules, asks: 'person' | 'nobody' | 'yes' = 'person') {
    seen.length = 0
    const tool = httpFetchTool({ allow: HOSTS })
    const config = { thinkon: '0', approval: { workspace: '/w', asks, ...rules } }
    const permits = APPROVE.permits(config, { tool, input: { url } }, [])
    const result = (await tool.run({ url }, toolIo({ permits }))) as Record<string, unknown>
    return { result, seen: [...seen] }
  }

  it('and followed where the rules allow it', async () => {
    for (const to of ['127.0.0.2', '::1', 'localhost']) {
      const { result } = await fetched(via('127.0.0.1', at(to)), { allow: ['network'] })
      expect(result).toMatchObject({ url: at(to), status: 200 })
    }
    const both = { allow: ['network(127.0.0.1)', 'network(127.0.0.2)'] }
    expect((await fetched(via('127.0.0.1', at('127.0.0.2')), both)).result).toMatchObject({ status: 200 })
    // The same host as the call, which a person has allowed.
    expect((await fetched(via('127.0.0.1', at('127.0.0.1')), {})).result).toMatchObject({ status: 200 })
  })

  it('and refused where a rule denies it, whatever the call itself may do', async () => {
    for (const to of ['127.0.0.2', '::1', 'localhost']) {
      const rules = { allow: ['network'], deny: [`network(${to})`] }
      const url = via('127.0.0.1', at(to))
      await expect(fetched(url, rules)).rejects.toThrow(
        `${new URL(url).href} redirects to ${at(to)}: ${to} is not allowed here`,
      )
      expect(seen).toHaveLength(1)
      await expect(fetched(url, rules, 'yes')).rejects.toThrow('is not allowed here')
    }
    await expect(
      fetched(via('127.0.0.1', at('localhost')), { allow: ['network'], deny: ['http_fetch(local*)'] }),
    ).rejects.toThrow('localhost is not allowed here')
  })

  it('and not followed where a person would be asked: the result says where it leads', async () => {
    const { result, seen: reached } = await fetched(via('127.0.0.1', at('127.0.0.2')), {
      allow: ['network(127.0.0.1)'],
    })
    expect(result).toEqual({
      url: via('127.0.0.1', at('127.0.0.2')),
      status: 302,
      redirect: at('127.0.0.2'),
      note: "The redirect was not followed: its host needs a person's permission. Call http_fetch with that address to ask for it.",
    })
    expect(reached).toHaveLength(1)
    const asked = await fetched(via('127.0.0.1', at('localhost')), {
      allow: ['network'],
      ask: ['network(localhost)'],
    })
    expect(asked.result).toMatchObject({ redirect: at('localhost') })
    // A person has allowed the first host by answering; not the second.
    const answered = await fetched(via('127.0.0.1', at('::1')), {})
    expect(answered.result).toMatchObject({ redirect: at('::1') })
    await expect(
      fetched(via('127.0.0.1', at('::1')), { allow: ['network(127.0.0.1)'] }, 'nobody'),
    ).rejects.toThrow('::1 is not allowed here')
    expect((await fetched(via('127.0.0.1', at('::1')), {}, 'yes')).result).toMatchObject({ status: 200 })
  })

  it('at every hop, also back and forth', async () => {
    const url = via('127.0.0.1', at('127.0.0.2'), at('127.0.0.1'), at('::1'))
    const rules = { allow: ['network'], deny: ['network(::1)'] }
    await expect(fetched(url, rules)).rejects.toThrow('::1 is not allowed here')
    expect(seen.map((one) => one.split(':')[0])).toEqual(['127.0.0.1', '127.0.0.2', '127.0.0.1'])
    // A person has allowed the host of the call, also when it comes back to it.
    const asking = { allow: ['network'], ask: ['network(127.0.0.1)', 'network(::1)'] }
    expect((await fetched(url, asking)).result).toMatchObject({ redirect: at('::1') })
    expect(seen).toHaveLength(3)
  })

  it('under whichever name the address is written', async () => {
    const rules = { allow: ['network'], deny: ['network(127.0.0.2)', 'network(::1)', 'network(localhost)'] }
    const port2 = ports.get('127.0.0.2')
    const written = [
      `http://127.0.0.2.:${port2}/`,
      `http://127.2:${port2}/`,
      `http://0x7f000002:${port2}/`,
      `http://2130706434:${port2}/`,
      `http://0177.0.0.2:${port2}/`,
      `http://[0:0:0:0:0:0:0:1]:${ports.get('::1')}/`,
      `http://[::0001]:${ports.get('::1')}/`,
      `http://LOCALHOST:${ports.get('127.0.0.1')}/`,
      `http://localhost.:${ports.get('127.0.0.1')}/`,
      `//127.2:${port2}/`,
    ]
    for (const to of written)
      await expect(fetched(via('127.0.0.1', to), rules), to).rejects.toThrow('not allowed here')
    expect(seen).toHaveLength(1)
  })
})
