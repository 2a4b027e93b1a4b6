import { spawn } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync, StatementSync } from 'node:sqlite'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { openDatabase } from './database.ts'
import { type Candidate, DEFAULT_SCORE } from './entity.ts'
import { type Memory, type MemoryOptions, openMemory, type SearchOptions } from './memory.ts'

const DAY_MS = 86_400_000
let folder = ''
let file = ''
let nowMs = Date.UTC(2026, 0, 1)
const open: Memory[] = []

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'thinkon-memory-'))
  file = join(folder, '.thinkon', 'memory.db')
  nowMs = Date.UTC(2026, 0, 1)
})
afterEach(() => {
  for (const memory of open.splice(0)) memory.close()
  rmSync(folder, { recursive: true, force: true })
})

function memoryOf(options: MemoryOptions = {}): Memory {
  const memory = openMemory(file, { nowMs: () => nowMs, ...options })
  open.push(memory)
  return memory
}

let n = 0
const save = (memory: Memory, ...items: (string | Candidate)[]) =>
  memory.save(
    items.map((item) => (typeof item === 'string' ? { text: item } : item)),
    { run: 'r', path: '1-2', n: ++n },
  )

const texts = async (memory: Memory, query: string, options?: SearchOptions) =>
  (await memory.search(query, options)).items.map(({ entity }) => entity.text)

describe('a memory', () => {
  it('makes no file before something is saved, and says that there is nothing', async () => {
    expect(await memoryOf().search('anything')).toEqual({ items: [], reason: 'nothing has been saved yet' })
    expect(readdirSync(folder)).toEqual([])
  })

  it('gives what was saved to a later process of the same workspace, whole', async () => {
    const first = memoryOf()
    expect(await save(first, { text: 'The tests run with vitest', kind: 'lesson', tags: ['tests'] })).toEqual(
      {
        saved: 1,
        merged: 0,
        dropped: 0,
      },
    )
    first.close()
    const { items } = await memoryOf().search('how do I run a test?')
    expect(items).toEqual([
      {
        rank: expect.any(Number),
        entity: {
          id: expect.stringMatching(/^[0-9a-f]{16}$/),
          text: 'The tests run with vitest',
          kind: 'lesson',
          tags: ['tests'],
          source: { run: 'r', path: '1-2' },
          score: { relevance: 0.5, importance: 0.5 },
          createdMs: nowMs,
          usedMs: nowMs,
          uses: 0,
        },
      },
    ])
  })

  it.each([
    ['泄漏', '内存泄漏出现在缓存模块'],
    ['缓存', '内存泄漏出现在缓存模块'],
    ['块', '内存泄漏出现在缓存模块'],
    ['请修复缓存的问题', '内存泄漏出现在缓存模块'],
    ['file', 'readFile returns UTF-8 text'],
    ['readfile', 'readFile returns UTF-8 text'],
    ['returning', 'readFile returns UTF-8 text'],
    ['utf', 'readFile returns UTF-8 text'],
    ['café', 'the cafe module holds the menu'],
    ['メモリ', 'メモリの使用量が多い'],
    ['deploy', 'a thing known by its tag'],
  ])('finds by words, in any script: %s', async (query, text) => {
    const memory = memoryOf()
    await save(
      memory,
      '内存泄漏出现在缓存模块',
      'readFile returns UTF-8 text',
      'the cafe module holds the menu',
      'メモリの使用量が多い',
      { text: 'a thing known by its tag', tags: ['deploy'] },
    )
    expect(await texts(memory, query)).toEqual([text])
  })

  it.each(['the of and', '', '"', 'AND OR NOT', 'a* (b) ^c -d:e {f}', '的'])(
    'is not disturbed by a query that is no words: %j',
    async (query) => {
      const memory = memoryOf()
      await save(memory, 'the state of the art and more')
      expect(await memory.search(query)).toEqual({ items: [] })
    },
  )

  it('puts first what matters more, of two that fit alike', async () => {
    const memory = memoryOf()
    await save(
      memory,
      { text: 'cache folder one lies in tmp', score: { relevance: 0.2, importance: 0.2 } },
      { text: 'cache folder two lies in var', score: { relevance: 0.9, importance: 0.9 } },
    )
    expect((await texts(memory, 'cache'))[0]).toContain('two')
  })

  it('puts first what is newer, or was used lately, of two that fit alike', async () => {
    const memory = memoryOf()
    await save(memory, 'cache folder one lies in tmp')
    nowMs += 90 * DAY_MS
    await save(memory, 'cache folder two lies in var')
    expect((await texts(memory, 'cache'))[0]).toContain('two')
    nowMs += 90 * DAY_MS
    await memory.search('tmp', { marksUse: true })
    const [first] = (await memory.search('cache')).items
    expect(first?.entity).toMatchObject({ text: 'cache folder one lies in tmp', uses: 1, usedMs: nowMs })
  })

  it('merges what says the same, also within one save, and counts it as a use', async () => {
    const memory = memoryOf()
    const counts = await save(
      memory,
      'The build needs node 24',
      'the build needs Node 24.',
      'no',
      'key sk-abcdefghijklmnopqrst',
    )
    expect(counts).toEqual({ saved: 1, merged: 1, dropped: 2 })
    nowMs += DAY_MS
    await save(memory, 'The build needs node 24 and npm')
    const { items } = await memory.search('build')
    expect(items.map(({ entity }) => entity)).toMatchObject([
      { text: 'The build needs node 24 and npm', uses: 2, usedMs: nowMs, createdMs: nowMs - DAY_MS },
    ])
    expect(await texts(memory, 'npm')).toHaveLength(1)
  })

  it('does a save of the same operation once, also from another process', async () => {
    const key = { run: 'r', path: '1', n: 7 }
    const items = [{ text: 'The build needs node 24' }, { text: 'x' }]
    const counts = await memoryOf().save(items, key)
    expect(counts).toEqual({ saved: 1, merged: 0, dropped: 1 })
    const again = memoryOf()
    expect(await again.save(items, key)).toEqual(counts)
    expect((await again.search('build')).items[0]?.entity.uses).toBe(0)
  })

  it('gives no more items and characters than asked for', async () => {
    const memory = memoryOf()
    const long = Array.from({ length: 12 }, (_, i) => `cache note number ${i} ${'abcdefgh'.repeat(40)}${i}`)
    await save(memory, ...long)
    expect(await texts(memory, 'cache')).toHaveLength(8)
    expect(await texts(memory, 'cache', { limit: 3 })).toHaveLength(3)
    const cut = await texts(memory, 'cache', { maxChars: 500 })
    expect([cut.length, cut.join('').length, cut[1]?.endsWith('…')]).toEqual([2, 500, true])
  })

  it('forgets the least worth keeping beyond its size, in the index too', async () => {
    const memory = memoryOf({ maxEntities: 40 })
    for (let i = 0; i < 41; i++) {
      const score = { relevance: 0.2 + i / 100, importance: 0.2 + i / 100 }
      await save(memory, { text: `cache note word${i}x number ${i}`, score })
    }
    expect(await texts(memory, 'word0x')).toEqual([])
    expect(await texts(memory, 'word40x')).toHaveLength(1)
    const database = new DatabaseSync(file)
    const count = (table: string) => database.prepare(`SELECT count(*) AS count FROM ${table}`).get()
    expect([count('entities'), count('words')]).toEqual([{ count: 38 }, { count: 38 }])
    database.close()
  })

  it('finds among 5,000 entities by the index: it reads the best 200, not all', async () => {
    mkdirSync(join(folder, '.thinkon'))
    const database = openDatabase(file, true, 1_000)
    const rest = { kind: 'fact', tags: [], source: { run: 'r', path: '1' }, score: DEFAULT_SCORE, uses: 0 }
    const times = { createdMs: nowMs, usedMs: nowMs }
    database.transaction(() => {
      for (let i = 0; i < 5_000; i++) {
        const text = `note ${i} on the ${WORDS[i % 10]} of the ${WORDS[(i >> 4) % 10]} 模块${i}`
        database.insert({ id: `e${i}`, text, ...rest, ...times })
      }
    })
    database.close()
    const memory = memoryOf()
    const rowsRead = vi.spyOn(StatementSync.prototype, 'get')
    expect((await memory.search('what about the cache of the parser? 模块7')).items).toHaveLength(8)
    expect(rowsRead.mock.calls.length).toBeLessThan(250)
    rowsRead.mockRestore()
  })
})

const WORDS = 'cache parser server index queue worker timer socket router logger'.split(' ')

/** Texts on one topic are alike. */
const TOPICS = [/cat|kitten|feline/i, /car|vehicle|automobile/i, /tree|forest|oak/i]
const embed = async (given: readonly string[]) =>
  given.map((text) => TOPICS.map((topic) => (topic.test(text) ? 1 : 0)))

describe('with an embedding', () => {
  it('finds by meaning what has none of the words, and blends both', async () => {
    const memory = memoryOf({ embed })
    await save(
      memory,
      'The kitten sleeps on the desk',
      'An automobile stands outside',
      'The desk is made of oak',
    )
    expect(await texts(memory, 'feline')).toEqual(['The kitten sleeps on the desk'])
    expect(await texts(memory, 'vehicle')).toEqual(['An automobile stands outside'])
    expect(await texts(memory, 'desk, forest')).toEqual([
      'The desk is made of oak',
      'The kitten sleeps on the desk',
    ])
  })

  it('goes by words alone when it fails, or takes longer than is waited', async () => {
    await save(memoryOf({ embed }), 'The kitten sleeps on the desk')
    const broken = memoryOf({ embed: () => Promise.reject(new Error('no quota')) })
    expect(await texts(broken, 'desk feline')).toHaveLength(1)
    expect(await texts(broken, 'feline')).toEqual([])
    expect(await save(broken, 'A car is parked under the roof')).toMatchObject({ saved: 1 })
    const slow = memoryOf({ embed: () => new Promise(() => {}) })
    expect(await texts(slow, 'desk feline', { timeoutMs: 20 })).toHaveLength(1)
  })

  it('has what came too late for one search ready for the next of the same query', async () => {
    await save(memoryOf({ embed }), 'The kitten sleeps on the desk')
    let asked = 0
    const slow = memoryOf({
      embed: async (given) => {
        asked++
        await new Promise((resolve) => setTimeout(resolve, 60))
        return embed(given)
      },
    })
    expect(await slow.search('feline', { timeoutMs: 10 })).toEqual({
      items: [],
      wordsOnly: 'the embedding took too long',
    })
    expect(await texts(slow, 'feline')).toEqual(['The kitten sleeps on the desk'])
    expect(asked).toBe(1)
  })

  it('says why words alone decided, without what a stranger’s error says, and asks again next time', async () => {
    await save(memoryOf({ embed }), 'The kitten sleeps on the desk')
    let down = true
    const memory = memoryOf({
      embed: async (given) => {
        if (down) throw new Error('refused: Bearer my-secret')
        return embed(given)
      },
    })
    expect(await memory.search('feline')).toEqual({ items: [], wordsOnly: 'the embedding failed' })
    down = false
    expect(await texts(memory, 'feline')).toHaveLength(1)
  })

  it('is not waited for once the call is aborted or the memory closed', async () => {
    const signals: (AbortSignal | undefined)[] = []
    const hanging = memoryOf({
      embed: (_, signal) => {
        signals.push(signal)
        return new Promise(() => {})
      },
    })
    const abort = new AbortController()
    const key = { run: 'r', path: '1', n: 1 }
    const saving = hanging.save([{ text: 'The kitten sleeps on the desk' }], key, abort.signal)
    const saved = hanging.save([{ text: 'An automobile stands outside' }], { ...key, n: 2 })
    abort.abort()
    expect(await saving).toMatchObject({ saved: 1 })
    expect(signals[0]?.aborted).toBe(true)
    expect(signals[1]?.aborted).toBe(false)
    const searching = hanging.search('desk', { signal: AbortSignal.timeout(20) })
    expect(await searching).toMatchObject({ items: [{}], wordsOnly: 'the search was stopped' })
    hanging.close()
    expect(await saved).toMatchObject({ saved: 1 })
    expect(signals.map((signal) => signal?.aborted)).toEqual([true, true, true])
  })

  it('embeds later what was saved without, and again what was changed', async () => {
    await save(memoryOf(), 'The kitten sleeps on the desk')
    const memory = memoryOf({ embed })
    await save(memory, 'something else to be saved')
    expect(await texts(memory, 'feline')).toHaveLength(1)
    await save(memory, 'The kitten sleeps on the desk near an oak')
    expect(await texts(memory, 'forest')).toEqual(['The kitten sleeps on the desk near an oak'])
  })

  it('does not compare vectors of another embedding', async () => {
    await save(memoryOf({ embed, embedName: 'a' }), 'The kitten sleeps on the desk')
    expect(await texts(memoryOf({ embed, embedName: 'b' }), 'feline')).toEqual([])
    const longer = async (given: readonly string[]) => given.map(() => [1, 1, 1, 1])
    expect(await texts(memoryOf({ embed: longer, embedName: 'a' }), 'feline')).toEqual([])
  })
})

describe('a file that can’t be used', () => {
  it('when damaged gives nothing with a reason, is left as it is, and is used again once it is gone', async () => {
    mkdirSync(join(folder, '.thinkon'))
    writeFileSync(file, 'this is no database, it is only a text that is long enough'.repeat(100))
    const memory = memoryOf()
    expect(await memory.search('x')).toEqual({
      items: [],
      reason: expect.stringContaining('delete it to start over'),
    })
    expect(await save(memory, 'The build needs node 24')).toMatchObject({
      saved: 0,
      reason: expect.stringContaining('damaged'),
    })
    rmSync(file)
    expect(await save(memory, 'The build needs node 24')).toMatchObject({ saved: 1 })
    expect(await texts(memory, 'build')).toHaveLength(1)
  })

  it('when damaged inside gives nothing with a reason', async () => {
    const first = memoryOf()
    for (let i = 0; i < 50; i++) await save(first, `cache note number ${i} ${'abc '.repeat(50)}${i}`)
    first.close()
    const bytes = readFileSync(file)
    writeFileSync(file, bytes.fill('x', 2 * 4096))
    const { items, reason } = await memoryOf().search('cache')
    expect(items).toEqual([])
    expect(reason).toContain('damaged')
  })

  it('when it is another’s database is not written', async () => {
    mkdirSync(join(folder, '.thinkon'))
    const other = new DatabaseSync(file)
    other.exec('CREATE TABLE mine (a)')
    other.close()
    expect(await save(memoryOf(), 'The build needs node 24')).toMatchObject({
      reason: expect.stringContaining('not a Thinkon memory'),
    })
  })

  it('when it acts by itself is not read', async () => {
    await save(memoryOf(), 'The build needs node 24')
    for (const memory of open.splice(0)) memory.close()
    const other = new DatabaseSync(file)
    other.exec(`ALTER TABLE entities RENAME TO old; CREATE VIEW entities AS
      WITH RECURSIVE one AS (SELECT 1 AS n UNION ALL SELECT n FROM one) SELECT old.* FROM old, one`)
    other.close()
    expect(await memoryOf().search('build')).toEqual({
      items: [],
      reason: expect.stringContaining('triggers or views'),
    })
  })

  it('when held by another gives nothing with a reason', async () => {
    await save(memoryOf(), 'The build needs node 24')
    for (const memory of open.splice(0)) memory.close()
    const holder = new DatabaseSync(file)
    holder.exec('PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE; DELETE FROM vectors; COMMIT')
    const memory = memoryOf()
    expect(await memory.search('build', { timeoutMs: 50 })).toEqual({
      items: [],
      reason: expect.stringContaining('held by another process'),
    })
    holder.close()
    expect(await texts(memory, 'build')).toHaveLength(1)
  })

  it('when it can’t be made is a reason, not a failure', async () => {
    writeFileSync(join(folder, '.thinkon'), 'a file where the folder should be')
    expect(await save(memoryOf(), 'The build needs node 24')).toMatchObject({
      saved: 0,
      reason: expect.any(String),
    })
  })

  it('when deleted under way is made anew', async () => {
    const memory = memoryOf()
    await save(memory, 'The build needs node 24')
    for (const end of ['', '-wal', '-shm']) rmSync(file + end, { force: true })
    expect(await memory.search('build')).toMatchObject({ items: [], reason: 'nothing has been saved yet' })
    await save(memory, 'The tests run with vitest')
    expect([await texts(memory, 'build'), await texts(memory, 'tests')]).toEqual([
      [],
      ['The tests run with vitest'],
    ])
  })
})

it('two processes save into it at once, from its first moment on, and nothing is lost', async () => {
  const program = `
    import { openMemory } from ${JSON.stringify(join(import.meta.dirname, 'memory.ts'))}
    const [file, who] = process.argv.slice(1)
    const memory = openMemory(file)
    for (let n = 0; n < 40; n++) {
      const items = [{ text: who + ' learnt fact number ' + n + ' about ' + who + n }, { text: 'everybody knows that water is wet' }]
      const { saved, merged, reason } = await memory.save(items, { run: who, path: '1', n })
      if (saved + merged !== 2) throw new Error(reason)
    }`
  mkdirSync(join(folder, '.thinkon'))
  const run = (who: string) =>
    new Promise<string>((resolve) => {
      const child = spawn(process.execPath, [
        '--no-warnings',
        '--input-type=module',
        '-e',
        program,
        file,
        who,
      ])
      let said = ''
      child.stderr.on('data', (chunk) => (said += chunk))
      child.on('exit', (code) => resolve(`${code} ${said}`))
    })
  expect(await Promise.all([run('ann'), run('bob')])).toEqual(['0 ', '0 '])
  expect(existsSync(file)).toBe(true)
  const memory = memoryOf()
  for (const who of ['ann0', 'ann39', 'bob0', 'bob39']) expect(await texts(memory, who)).toHaveLength(1)
  const { items } = await memory.search('water')
  expect(items.map(({ entity }) => entity.uses)).toEqual([79])
})

it('a process that is killed while it saves leaves whole saves, and a memory that can be used', async () => {
  const program = `
    import { openMemory } from ${JSON.stringify(join(import.meta.dirname, 'memory.ts'))}
    const memory = openMemory(process.argv[1])
    for (let n = 0; ; n++) {
      await memory.save([{ text: 'left' + n + ' half of a pair' }, { text: 'right' + n + ' part of the other' }], { run: 'r', path: '1', n })
      if (n === 20) console.log('begun')
    }`
  const child = spawn(process.execPath, ['--no-warnings', '--input-type=module', '-e', program, file])
  await new Promise((resolve) => child.stdout.once('data', resolve))
  child.kill('SIGKILL')
  await new Promise((resolve) => child.once('exit', resolve))
  const database = new DatabaseSync(file)
  const count = (query: string) =>
    (database.prepare(`SELECT count(*) AS count FROM ${query}`).get() as { count: number }).count
  const saves = count('saves')
  expect(saves).toBeGreaterThan(20)
  expect([
    count("entities WHERE text LIKE 'left%'"),
    count("entities WHERE text LIKE 'right%'"),
    count('words'),
  ]).toEqual([saves, saves, 2 * saves])
  database.close()
  expect(await texts(memoryOf(), 'left3')).toEqual(['left3 half of a pair'])
})
