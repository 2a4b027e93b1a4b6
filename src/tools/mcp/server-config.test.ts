import { describe, expect, it } from 'vitest'
import { redactor } from './redact.ts'
import { type McpServers, parseServerText, readServers } from './server-config.ts'
import { toolNamer } from './tool-names.ts'

describe('a --mcp text', () => {
  it.each([
    ['npx -y @modelcontextprotocol/server-everything stdio', 'everything', 'npx'],
    ['npx -y @scope/mcp-server-thing@1.2.3', 'thing', 'npx'],
    ['uvx mcp-server-git --repository .', 'git', 'uvx'],
    ['node ./servers/weather/dist/index.js', 'weather', 'node'],
    ['/usr/bin/my-mcp', 'my', '/usr/bin/my-mcp'],
    ['"/opt/my server/run" "a b"', 'run', '/opt/my server/run'],
  ])('%s is a command, named %s', (text, name, command) => {
    expect(parseServerText(text)).toMatchObject({ name, config: { command } })
  })

  it('keeps quoted words whole and expands nothing', () => {
    expect(parseServerText(`x "a \\"b\\" c" 'd $E' f\\ g ""`).config).toEqual({
      command: 'x',
      args: ['a "b" c', 'd $E', 'f g', ''],
    })
  })

  it('may be a URL', () => {
    expect(parseServerText('https://mcp.example.com/v1')).toEqual({
      name: 'mcp-example-com',
      config: { url: 'https://mcp.example.com/v1' },
    })
  })

  it('must be something', () => {
    expect(() => parseServerText('  ')).toThrow('needs a command or a URL')
    expect(() => parseServerText('x "y')).toThrow('not closed')
  })

  it('gives two of the same two names', () => {
    expect(readServers(['x', 'x']).map(({ name }) => name)).toEqual(['x', 'x-2'])
  })
})

describe('a configuration', () => {
  it.each([
    [{ a: {} }, 'either "command" (and args) or "url"'],
    [{ a: { command: 'x', url: 'http://y' } }, 'either "command" (and args) or "url"'],
    [{ a: { command: 'x', arg: [] } }, '"arg" is not a known field: did you mean "args"?'],
    [{ a: { command: 'x', headers: {} } }, '"headers" is not a known field'],
    [{ a: { command: 'x', args: 'y' } }, '"args" must be a list of strings'],
    [{ a: { command: 'x', env: { A: 1 } } }, '"env.A" must be a string'],
    [{ a: { url: 'ftp://x' } }, 'http:// or https://'],
    [{ a: { command: 'x', access: { t: 'all' } } }, '"access.t" must be one of "read"'],
    [{ a: { command: 'x', timeoutMs: 0 } }, 'above 0'],
    [{ a: { command: 'x', trust: 'yes' } }, '"trust" must be true or false'],
    [{ a: { command: 'x', protocol: '2' } }, '"protocol" must be'],
    [{ a: { command: 'x', args: ['y', 5] } }, '"args[1]" must be a string'],
    [{ '--': { command: 'x' } }, 'needs a letter'],
    [{ a: 5 }, 'must be an object or a string'],
  ])('%j is refused', (servers, said) => {
    expect(() => readServers(servers as unknown as McpServers)).toThrow(said)
  })

  it('is refused without the values in it, which may be secret', () => {
    const servers = { a: { url: 'ftp://u:s3cret@x', headers: { A: ['s3cret'] } }, b: { command: ['s3cret'] } }
    expect(() => readServers(servers as unknown as McpServers)).toThrow(/^(?![\s\S]*s3cret)/)
  })

  it('takes keys from the environment, and says which is missing', () => {
    const servers: McpServers = { a: { url: 'https://x/mcp', headers: { Authorization: `Bearer $\{KEY}` } } }
    expect(readServers(servers, { KEY: 'sk-1' })[0]?.config).toMatchObject({
      headers: { Authorization: 'Bearer sk-1' },
    })
    expect(() => readServers(servers, {})).toThrow('needs the environment variable KEY, which is not set')
  })

  it('takes texts, and what other clients write beside', () => {
    const servers = { a: 'npx x', b: { type: 'http', url: 'http://y/mcp' } } as unknown as McpServers
    expect(readServers(servers)[0]).toEqual({ name: 'a', config: { command: 'npx', args: ['x'] } })
  })
})

describe('secrets', () => {
  it('are hidden in errors and results, in every form', () => {
    const stdio = redactor({
      command: 'x',
      args: ['--api-key', 'k-arg-12345', '--token=k-flag-1234'],
      env: { MY_TOKEN: 'tok"en-123', REGION: 'eu-west-1' },
    })
    expect(stdio.error('k-arg-12345 k-flag-1234 tok"en-123 tok\\"en-123 eu-west-1')).toBe(
      '[redacted] [redacted] [redacted] [redacted] [redacted]',
    )
    expect(stdio.result('tok"en-123 in eu-west-1')).toBe('[redacted] in eu-west-1')
    const http = redactor({
      url: 'https://u:passw0rd@x/mcp?key=abc%2Fdef',
      headers: { 'X-Api': 'Bearer zzz-999' },
    })
    expect(http.error('passw0rd abc/def abc%2Fdef zzz-999 Bearer zzz-999')).not.toMatch(/passw0rd|def|zzz/)
  })
})

describe('tool names', () => {
  it('are unique, valid and the same for the same tool', () => {
    const nameOf = toolNamer()
    const given = ['a.b', 'a b', 'a_b', 'x'.repeat(100), `${'x'.repeat(100)}y`].map((tool) =>
      nameOf('s', tool),
    )
    expect(given[0]).toBe('s__a_b')
    expect(new Set(given).size).toBe(given.length)
    expect(given.every((name) => /^[A-Za-z0-9_-]{1,64}$/.test(name))).toBe(true)
    expect(nameOf('s', 'a b')).toBe(given[1])
    expect(toolNamer()('s', 'x'.repeat(100))).toBe(given[3])
  })
})
