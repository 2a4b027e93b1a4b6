import type { Engine } from '../../engine.ts'
import type { RunQuery, RunRow } from '../../kernel/run-query.ts'
import { cleanText, goalTitle } from '../../protocol/index.ts'
import { MARKS, shortReason } from '../../views/block-row.ts'
import { type Line, segment } from '../../views/line.ts'
import { fitText, textWidth } from '../../views/text-width.ts'
import { type Lang, langOf, wordsOf } from '../../views/words.ts'
import { type CommandRun, textOption, type Values } from '../command.ts'
import { type CommandWords, commandWords } from '../command-words.ts'
import { langOption, statusOption, wholeNumber } from '../options.ts'
import type { Output } from '../output.ts'
import { withSession } from '../session.ts'
import { hasStore, readSetting } from '../setting.ts'

/** Of what is told about a run that waits for its model; `show` tells all. */
const REASON_WIDTH = 60

/** On a terminal, unless --limit is given. */
const SHOWN = 50

export const list: CommandRun = async ({ values, out }) => {
  const setting = await readSetting(values)
  const { store, loaded } = setting
  const lang = langOption(values) ?? loaded.config.lang
  const query = queryOf(values, out)
  if (!hasStore(setting)) {
    out.remark(commandWords(lang ?? 'en').noStore(store))
    return 0
  }
  return withSession(values, async ({ engine }) => {
    const { rows, more } = await chosenRuns(engine, query)
    const words = commandWords(lang ?? langOfAll(rows))
    if (rows.length === 0) out.remark(noRuns(query, store, words))
    await printRuns(engine, rows, lang, out)
    if (more > 0 && !out.json) out.remark(words.moreRuns(more))
    return 0
  })
}

/** Chinese if nothing else is listed. */
function langOfAll(rows: readonly RunRow[]): Lang {
  return rows.length > 0 && rows.every(({ goal }) => langOf(goal) === 'zh') ? 'zh' : 'en'
}

/** One line for each run, in the given language or in that of its goal. */
export async function printRuns(
  engine: Engine,
  rows: readonly RunRow[],
  given: Lang | undefined,
  out: Output,
): Promise<void> {
  const lines: Line[] = []
  const idWidth = rows.reduce((width, { id }) => Math.max(width, id.length), 0)
  for (const row of rows) {
    const lang = given ?? langOf(row.goal)
    const reason = row.waitsFor === 'model' ? await outageOf(engine, row, out.json ? 'en' : lang) : undefined
    if (out.json) out.data({ ...row, ...(reason !== undefined && { reason }) })
    else lines.push(lineOf(row, reason, idWidth, out.width(), lang))
  }
  out.printLines(lines)
}

function queryOf(values: Values, out: Output): RunQuery {
  const given = textOption(values, 'limit')
  const limit = given === undefined ? (out.live ? SHOWN : 0) : wholeNumber('--limit', given)
  const status = statusOption(values)
  const search = textOption(values, 'search')
  return {
    ...(limit > 0 && { limit }),
    ...(status !== undefined && { status }),
    ...(search !== undefined && { search }),
  }
}

/** The runs, and how many others there are. */
async function chosenRuns(engine: Engine, query: RunQuery): Promise<{ rows: RunRow[]; more: number }> {
  const { limit, ...all } = query
  const rows = await engine.list(query)
  const isCut = limit !== undefined && rows.length === limit
  return { rows, more: isCut ? (await engine.count(all)) - rows.length : 0 }
}

function noRuns({ status, search }: RunQuery, store: string, words: CommandWords): string {
  return status === undefined && search === undefined ? words.noRuns(store) : words.noSuchRuns(store)
}

/** Why the run waits for its model: its last event says so. */
async function outageOf(engine: Engine, { id, seq }: RunRow, lang: Lang): Promise<string> {
  const [last] = await engine.events(id, seq)
  return last?.type === 'run-wait'
    ? [...new Set(last.steps.map((step) => shortReason(step, lang)))].join(' · ')
    : ''
}

function lineOf(row: RunRow, reason: string | undefined, idWidth: number, width: number, lang: Lang): Line {
  const { status } = row
  const { mark, tone } = MARKS[status]
  const word = wordsOf(lang).status[status]
  const fork = row.forkOf === null ? '' : `  (${wordsOf(lang).forkOf} ${row.forkOf})`
  const why = reason === undefined ? '' : `  (${fitText(reason, REASON_WIDTH)})`
  const head = [
    segment(mark, tone),
    segment(` ${row.id.padEnd(idWidth)}  `, 'strong'),
    segment(word + ' '.repeat(Math.max(1, 11 - textWidth(word))), tone),
    segment(`${localTime(row.createdAt)}  ${row.strategy.padEnd(8)}  `, 'dim'),
  ]
  const used = head.reduce((sum, { text }) => sum + textWidth(text), 0)
  const goal = fitText(
    cleanText(goalTitle(row.goal, 400)),
    Math.max(20, width - used - fork.length - textWidth(why) - 1),
  )
  return [...head, segment(goal), segment(fork, 'dim'), segment(why, 'warn')]
}

export function localTime(iso: string): string {
  const date = new Date(iso)
  const two = (n: number) => String(n).padStart(2, '0')
  const day = `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`
  return `${day} ${two(date.getHours())}:${two(date.getMinutes())}`
}
