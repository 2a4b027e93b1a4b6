// What is wrong is said in one message, with the right exit code and without a stack.
import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { bin, jsonLines, makePlace } from './cli-process.ts'

const place = makePlace()
const { cli } = place
afterAll(() => place.remove())
beforeAll(async () => {
  await cli(['run', 'there is a run'])
  writeFileSync(
    join(place.folder, 'corrupt.db'),
    'this is not a database, and long enough to be read as one'.repeat(20),
  )
  writeFileSync(join(place.folder, 'broken.ts'), 'export default 1')
  mkdirSync(join(place.folder, 'a-folder'))
  await cli(['run', 'newer', '--store', 'newer.db'])
  const newer = new DatabaseSync(join(place.folder, 'newer.db'))
  newer.exec('PRAGMA user_version = 999')
  newer.close()
  const other = new DatabaseSync(join(place.folder, 'other.db'))
  other.exec('CREATE TABLE t (x)')
  other.close()
})

it.each<[what: string, args: string[], said: RegExp]>([
  ['an unknown command', ['rnu', 'x'], /no command "rnu"; did you mean "run"\?/],
  ['a goal without a command', ['make me a cake'], /thinkon run "make me a cake"/],
  ['an unknown option', ['run', 'x', '--modle', 'y'], /no option "--modle"; did you mean "--model"\?/],
  [
    'an output that is not there',
    ['run', 'x', '--output', 'no.json'],
    /--output must be .*"no.json": there is no such file/,
  ],
  ['an output that is no JSON', ['run', 'x', '--output', '{"type"'], /--output is not JSON/],
  [
    'an output that is no schema',
    ['run', 'x', '--output', '{"tpye":"object"}'],
    /^thinkon: output must be .*; tpye: none/,
  ],
  ['an option without its value', ['run', 'x', '--max-calls'], /--max-calls needs a value/],
  [
    'a negative limit',
    ['run', 'x', '--max-depth', '-1'],
    /--max-depth needs a value; write --max-depth=-… for one that begins with a dash/,
  ],
  [
    'a negative limit with =',
    ['run', 'x', '--max-depth=-1'],
    /--max-depth must be a whole number of 0 or more, not "-1"/,
  ],
  ['a limit that is no number', ['run', 'x', '--max-tokens', 'many'], /--max-tokens must be a whole number/],
  ['a time that is none', ['run', 'x', '--max-time', 'soon'], /--max-time must be a time such as 90s/],
  ['a cost that is none', ['run', 'x', '--max-cost', '$5'], /--max-cost must be an amount/],
  ['an unknown language', ['run', 'x', '--lang', 'fr'], /--lang must be en or zh/],
  [
    'an option of the strategy that is out of range',
    ['run', 'x', '--option', 'maxRepeats=0'],
    /maxRepeats must be a whole number from 1/,
  ],
  [
    'a strategy that is not there, in an option',
    ['cot', '2+3', '--option', 'strategies=["plannr"]'],
    /name an unknown strategy "plannr": did you mean "planner"\?/,
  ],
  ['an option that the strategy has not', ['run', 'x', '--option', 'colour=red'], /no option "colour"/],
  ['an option without =', ['run', 'x', '--option', 'maxRepeats'], /--option must be key=value/],
  ['no goal', ['run'], /thinkon run needs "<goal>"/],
  ['two goals', ['run', 'one', 'two'], /"two" is one too many/],
  ['an empty goal', ['run', '  '], /the goal is empty/],
  ['an unknown strategy', ['run', 'x', '--strategy', 'magic'], /no strategy "magic"; there are: .*minimal/],
  [
    'a mistyped strategy',
    ['run', 'x', '--strategy', 'fracal'],
    /no strategy "fracal": did you mean "fractal"\?/,
  ],
  [
    'a mistyped model',
    ['run', 'x', '--model', 'opnai:gpt-5'],
    /begins with "opnai:", .*did you mean "openai:"\?/,
  ],
  ['a model without a provider', ['run', 'x', '--model', 'gpt-5'], /did you mean "openai:gpt-5"\?/],
  ['a mistyped status', ['list', '--status', 'complted'], /did you mean "completed"\?/],
  ['an unknown model', ['run', 'x', '--model', 'nobody:knows'], /can't use the model "nobody:knows"/],
  [
    'a model file that is not there',
    ['run', 'x', '--model', 'module:./none.ts'],
    /can't load module:.*none\.ts/,
  ],
  ['a module that is no model', ['run', 'x', '--model', 'module:./broken.ts'], /is not a model/],
  ['a store that is a folder', ['run', 'x', '--store', 'a-folder'], /a-folder is a folder: give a file/],
  ['a workspace that is none', ['list', '--workspace', 'nowhere'], /nowhere is not a folder/],
  ['a corrupt store', ['list', '--store', 'corrupt.db'], /corrupt\.db is not a Thinkon store/],
  ['running in a corrupt store', ['run', 'x', '--store', 'corrupt.db'], /corrupt\.db is not a Thinkon store/],
  ["another program's database", ['list', '--store', 'other.db'], /other\.db is not a Thinkon store/],
  ['a store of a newer version', ['list', '--store', 'newer.db'], /newer Thinkon \(store version 999/],
  ['an unknown run', ['show', 'nope'], /there is no run "nope" in this store; thinkon list/],
  ['a run where there is no store', ['resume', 'last', '--store', 'none.db'], /no store .*none\.db yet/],
  ['a path that is none', ['skip', 'last', '1--2'], /"1--2" is not a path/],
  [
    'a path that does not exist',
    ['message', 'last', '1-7', '-m', 'x'],
    /no block 1-7; near it: 1 "there is a run"/,
  ],
  [
    'steering a run that has ended',
    ['skip', 'last', '1'],
    /has ended \(completed\) and can't be steered; .*thinkon redo/,
  ],
  ['cancelling a run that has ended', ['cancel', 'last'], /has ended already \(completed\)/],
  ['a fork without a place', ['fork', 'last'], /needs --at <seq>/],
  ['a fork past the end', ['fork', 'last', '--at', '999'], /has events 1 to 8?/],
  ['an edit that is no JSON', ['fork', 'last', '--at', '3', '--with', '{'], /--with is not JSON/],
  [
    'an edit that is no object',
    ['fork', 'last', '--at', '3', '--with', '[]'],
    /--with must be a JSON object/,
  ],
  [
    'an edit in a file that is not there',
    ['fork', 'last', '--at', '3', '--with', 'no.json'],
    /--with must be the JSON of an edit, or a file with it; "no.json": there is no such file/,
  ],
  [
    'an edited prompt where none is',
    ['fork', 'last', '--at', '1', '--with', '{"request":{"messages":[]}}'],
    /event 1 is a run-start, which has no request: edit that of a model-start/,
  ],
  [
    'an edit of what can not be edited',
    ['fork', 'last', '--at', '3', '--with', '{"seq":1}'],
    /"seq" can't be edited/,
  ],
  ['events past the end', ['events', 'last', '--from', '999'], /--from 999 is past them/],
  ['a message without a text', ['message', 'last', '1'], /needs a text/],
])('%s', async (_, args, said) => {
  const { code, stdout, stderr } = await cli(args)
  expect(stderr).toMatch(said)
  expect(stderr).toMatch(/^thinkon: .*\n$/)
  expect([code, stdout]).toEqual([2, ''])
})

it('a goal of 5 MB', async () => {
  const { code, stderr } = await cli(['run', '-'], 'x'.repeat(5 * 1024 * 1024))
  expect(stderr).toMatch(/^thinkon: the goal is 5120 KiB long, at most 256 KiB: put the text into a file/)
  expect(code).toBe(2)
})

it('tells errors to programs, too', async () => {
  const { code, stdout, stderr } = await cli(['show', 'nope', '--json'])
  expect(jsonLines(stdout)).toEqual([
    { type: 'error', code: 'UNKNOWN_RUN', message: stderr.slice(9).trim(), data: { run: 'nope' } },
  ])
  expect(code).toBe(2)
})

it('a wrong call leaves no store behind', async () => {
  const empty = makePlace()
  try {
    await empty.cli(['run', ' '])
    await empty.cli(['run', 'x', '--max-calls', 'y'])
    expect((await empty.cli(['list'])).stderr).toContain('no runs yet: there is no store')
  } finally {
    empty.remove()
  }
})

// Only Linux has a device that is always full.
it.runIf(existsSync('/dev/full'))('a disk that takes no output is an error', () => {
  const command = `"${process.execPath}" "${bin}" list > /dev/full`
  const { status, stderr } = spawnSync('sh', ['-c', command], {
    cwd: place.folder,
    env: place.env,
    encoding: 'utf8',
  })
  expect(stderr).toMatch(/^thinkon: the output can't be written: .*ENOSPC/)
  expect(status).toBe(1)
})

// A folder below a file, and one that the system refuses to make: Node's own recursive mkdir never ends there.
it.each(['corrupt.db/x/runs.db', '/proc/nope/runs.db'])(
  'a store whose folder can not be made: %s',
  async (store) => {
    const { code, stderr } = await cli(['run', 'x', '--store', store])
    expect(stderr).toMatch(/^thinkon: the folder of the store can't be created: .*\n$/)
    expect(code).toBe(1)
  },
)
