// A run whose goal is Chinese is Chinese in all that Thinkon itself says of it. The models of these runs speak Chinese too, so that any
// English sentence is ours.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it, vi } from 'vitest'
import { runCommandLine } from '../../src/cli/command-line.ts'
import { frameLines } from '../../src/cli/frame.ts'
import { createEngine } from '../../src/engine.ts'
import { emptyState, foldEvent } from '../../src/protocol/index.ts'
import { STRATEGIES, viewsOf } from '../../src/strategies/registry.ts'
import { createDetails } from '../../src/views/details.ts'
import { plainText } from '../../src/views/line.ts'

const folder = mkdtempSync(join(tmpdir(), 'thinkon-zh-'))
const model = `module:${join(import.meta.dirname, 'chinese-model.ts')}`
const store = join(folder, 'runs.db')
const engine = createEngine({ store })
const SUM = '计算 (3+4)*2 和 12-5'

afterAll(async () => {
  await engine.close()
  rmSync(folder, { recursive: true, force: true })
})

describe.each([...STRATEGIES.keys()])('a run of %s', (strategy) => {
  it.each([
    ['succeeds', SUM, ['--model', 'embedded:abacus']],
    ['reaches the limit of calls', SUM, ['--model', 'embedded:abacus', '--max-calls', '2']],
    ['reaches the limit of depth', SUM, ['--model', 'embedded:abacus', '--max-depth', '0']],
    ['reaches the limit of time', '很慢的事情', ['--model', model, '--max-time', '50ms']],
    ['gets replies that it can not use', '乱说的事情', ['--model', model, '--max-calls', '9']],
    ['loses its model', '断线的事情', ['--model', model]],
    ['loses its model and fails', '断线的事情', ['--model', model, '--on-outage', 'fail']],
  ])('is Chinese when it %s', async (_, goal, flags) => {
    const said = await thinkon('run', goal, '--strategy', strategy, ...flags)
    expect(englishIn(said)).toEqual([])
    await expectChineseViews({ others: strategy === 'dual' })
  })
})

it.each(['失败的事', '问人的事', '写文件的事', '读文件的事', '没有的工具的事', '重复的事'])(
  'a run is Chinese when nobody is there: %s',
  async (goal) => {
    expect(englishIn(await minimal(goal))).toEqual([])
    await expectChineseViews()
    expect(englishIn(await minimal(goal, '--quiet'))).toEqual([])
  },
)

it('asks in Chinese, and takes 是 and 否 from another terminal', async () => {
  const run = minimal('写文件的事', '--ask')
  const id = await asking()
  const shown = await thinkon('show', id)
  expect(shown).toMatch(new RegExp(`等待回答：thinkon answer ${id} \\d+ '是\\|否\\|总是'`))
  const refused = await thinkon('answer', id, '也许')
  expect(refused).toContain('没有“也许”这个选项；请输入编号、选项或选项的开头：1 是、2 否、3 总是')
  expect(await thinkon('answer', id, '否')).toContain('已回答“否”；查看：thinkon show')
  const said = await run
  expect(said).toContain('回答: 否')
  expect(said).toContain('用户不同意')
  expect(englishIn(shown + said + refused)).toEqual([])
  await expectChineseViews()
})

it('is steered in Chinese', async () => {
  const run = minimal('分两步的事', '--ask')
  const id = await asking()
  const said = [
    await thinkon('show', id),
    await thinkon('message', id, '1-1', '快一点'),
    await thinkon('redo', id, '1'),
    await thinkon('show', `${id}x`, '--lang', 'zh'),
    await thinkon('skip', id, '1-9'),
    await thinkon('skip', id, '1-2'),
    await thinkon('skip', id, '1-1'),
    await run,
    await thinkon('skip', id, '1-1'),
    await thinkon('answer', id, '是'),
    await thinkon('answer', id, '1', '是'),
    await thinkon('cancel', id),
    await thinkon('resume', id, '--max-calls', '2000'),
  ]
  expect(said.join('\n')).toContain('[已跳过：被用户跳过]')
  expect(said.join('\n')).toContain('[失败：做不到] 现有的')
  expect(englishIn(said.join('\n'))).toEqual([])
  await expectChineseViews()
})

it('is redone, forked and cancelled in Chinese', async () => {
  const run = minimal('分两步的事', '--ask')
  const id = await asking()
  const said = [
    await thinkon('redo', id, '1-1', '-m', '再来'),
    await run,
    await thinkon('redo', id, '1-2', '--resume', '--model', model, '--yes'),
    await thinkon('fork', id, '--at', '4'),
    await thinkon('list', '--limit', '2'),
    await thinkon('show', 'last'),
    await thinkon('answer', 'last', '回答了'),
    await thinkon('events', 'last', '--from', '4000'),
    await thinkon('cancel', 'last'),
    await thinkon('show', 'last'),
  ]
  expect(said[0]).toContain('已要求重做 1-1：它被停止，由 1 改为调用 1-1#2')
  expect(said.at(-1)).toContain('已取消: 被用户取消')
  expect(englishIn(said.join('\n'))).toEqual([])
  await expectChineseViews()
})

it('is resumed in Chinese, with another model', async () => {
  await minimal('断线的事')
  const strict = await thinkon('resume', 'last', '--model', 'embedded:abacus', '--strict')
  const said = await thinkon('resume', 'last', '--model', 'embedded:abacus')
  expect(said).toMatch(/有变化：块 1 的模型.*换成 embedded:abacus/)
  expect(englishIn(strict + said)).toEqual([])
  await expectChineseViews()
})

it.each([
  [['run', '做事', '--strategy', 'fractl'], '没有策略 "fractl"；是否指 "fractal"？'],
  [['run', '做事', '--max-calls', '多'], '--max-calls 须为不小于 0 的整数，而非 "多"'],
  [['run', '做事', '--modle', 'x'], '没有选项 "--modle"；是否指 "--model"？'],
  [['run', '做事', '--model', 'opnai:x'], '开头的 "opnai:" 未知'],
  [['run', ' ', '--lang', 'zh'], '目标是空的：请说明要做什么'],
  [['show', '没有'], '存储中没有运行 "没有"'],
])('refuses in Chinese: %j', async (words, expected) => {
  const said = await thinkon(...words)
  expect(said).toContain(expected)
  expect(englishIn(said)).toEqual([])
})

it('sets up a folder in the language of the system', async () => {
  vi.stubEnv('LC_ALL', 'zh_CN.UTF-8')
  vi.stubEnv('THINKON_PROBE', 'off')
  const said = (await thinkon('init')) + (await thinkon('init'))
  expect(said).toContain('已写入：thinkon.config.json')
  expect(said).toContain('thinkon.config.json 已存在；--force 会覆盖它')
  expect(englishIn(said)).toEqual([])
  rmSync(join(folder, 'thinkon.config.json'))
})

it('an English run stays English where the system is Chinese', async () => {
  vi.stubEnv('LC_ALL', 'zh_CN.UTF-8')
  const said = await thinkon('run', 'compute 3+4', '--strategy', 'minimal', '--model', 'embedded:abacus')
  expect(said + (await thinkon('show', 'last')) + (await thinkon('list', '--limit', '1'))).not.toMatch(
    /\p{Script=Han}/u,
  )
})

function minimal(goal: string, ...flags: string[]): Promise<string> {
  return thinkon('run', goal, '--strategy', 'minimal', '--model', model, '--max-calls', '30', ...flags)
}

/** All that the command writes, in this process. */
async function thinkon(...words: string[]): Promise<string> {
  const text = heard()
  const places = words[0] === 'init' ? [] : ['--store', store]
  await runCommandLine([...words, '--workspace', folder, ...places])
  return text.end()
}

/** What this process writes, for each command that runs; several may at the same time, and then each hears all. */
const listeners = new Set<(chunk: string) => void>()

function heard(): { end(): string } {
  let text = ''
  const listener = (chunk: string) => {
    text += chunk
  }
  if (listeners.size === 0)
    for (const stream of [process.stdout, process.stderr])
      vi.spyOn(stream, 'write').mockImplementation(((chunk: string, done?: () => void) => {
        for (const take of listeners) take(String(chunk))
        if (typeof done === 'function') done()
        return true
      }) as typeof stream.write)
  listeners.add(listener)
  return {
    end() {
      listeners.delete(listener)
      if (listeners.size === 0) {
        vi.restoreAllMocks()
        for (const stream of [process.stdout, process.stderr]) stream.removeAllListeners('error')
      }
      return text
    },
  }
}

/** The run that has asked a question. */
function asking(): Promise<string> {
  return vi.waitUntil(async () => {
    const [newest] = await engine.list({ limit: 1 })
    if (newest === undefined || (newest.status !== 'running' && newest.status !== 'waiting')) return ''
    return (await engine.outline(newest.id)).openQuestions > 0 ? newest.id : ''
  }, 100_000)
}

/** `others`: also what a command says that looks at the run's records alone, whatever happened in it. */
async function expectChineseViews({ others = true } = {}): Promise<void> {
  const views = [
    await thinkon('show', 'last'),
    withoutData(await thinkon('events', 'last')),
    withoutPrompts(await thinkon('show', 'last', '--audit')),
    await frames(),
  ]
  if (others)
    views.push(
      await thinkon('show', 'last', '--format', 'md'),
      await thinkon('list', '--limit', '1'),
      await thinkon('replay', 'last'),
    )
  expect(englishIn(views.join('\n'))).toEqual([])
}

/** What the live view has shown after each event. */
async function frames(): Promise<string> {
  const [row] = await engine.list({ limit: 1 })
  const state = emptyState()
  const details = createDetails(await viewsOf(STRATEGIES))
  const options = { lang: 'zh', width: 150, maxLines: 50, nowMs: 0, sign: '*' } as const
  const lines = new Set<string>()
  for (const event of await engine.events(row?.id ?? '')) {
    foldEvent(state, event)
    details.follow(event)
    for (const line of frameLines({ state, details }, [], options)) lines.add(plainText([line]))
  }
  return [...lines].join('\n')
}

/** Lines in which three words of a Latin script follow on each other, outside a command to copy. */
function englishIn(text: string): string[] {
  return text
    .split('\n')
    .filter((line) => /[a-z][\w'’-]*(?: [a-z][\w'’-]*){2,}/i.test(line.replace(COMMAND, '')))
}

const COMMAND = /thinkon [a-z]+[^，；。）：]*/g

/** The data of notes, inputs and replies is as it is recorded. */
function withoutData(events: string): string {
  const isData = /^ *\d+ {2}\S+ {2}(?:note|tool-start|(?:model|tool)-end(?! .*#\d+ [A-Z_]+: ))/
  return events
    .split('\n')
    .filter((line) => !isData.test(line))
    .join('\n')
}

/** The entries of an audit and the failures below them; requests and replies are as they are recorded. */
function withoutPrompts(audit: string): string {
  const isOurs = /^ *│ +\d+ {2}\d\d:|^ *│ +[A-Z_]+: |^ *[^ │]/
  return audit
    .split('\n')
    .filter((line) => isOurs.test(line))
    .join('\n')
}
