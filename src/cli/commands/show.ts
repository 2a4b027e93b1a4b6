import type { RunRow } from '../../kernel/store.ts'
import {
  emptyState,
  escapeJson,
  foldEvent,
  type Goal,
  goalParts,
  isPath,
  type RunState,
} from '../../protocol/index.ts'
import { viewsOf } from '../../strategies/registry.ts'
import { type AuditBlock, auditBlocks } from '../../views/audit.ts'
import { auditLines } from '../../views/audit-lines.ts'
import { createDetails, type Details } from '../../views/details.ts'
import { costs, costText, countText, durationText, tokensText } from '../../views/figures.ts'
import { formatRun } from '../../views/formats.ts'
import { type Line, type Segment, segment } from '../../views/line.ts'
import { progressLines, roleLines } from '../../views/progress.ts'
import { longQuestion, openQuestions } from '../../views/questions.ts'
import { resultInWords } from '../../views/reason-words.ts'
import { statusText } from '../../views/summary.ts'
import { cleanLine, fitText } from '../../views/text-width.ts'
import { type Lang, wordsOf } from '../../views/words.ts'
import { type CommandRun, textOption, type Values } from '../command.ts'
import { commandWords } from '../command-words.ts'
import { followEvents } from '../follow-events.ts'
import { badInput, langOption, wholeNumber } from '../options.ts'
import type { Output } from '../output.ts'
import { shownAnswer, waitingLine } from '../run-view.ts'
import { runWords } from '../run-words.ts'
import { findRun, langFor, type Session, withRun } from '../session.ts'
import { localTime } from './list.ts'

const MAX_LINES = 200

export const show: CommandRun = async ({ values, args, out }) => {
  const lines = textOption(values, 'lines')
  const maxLines = lines === undefined ? MAX_LINES : wholeNumber('--lines', lines, 1)
  langOption(values)
  checkAudit(values)
  const format = formatOption(values, out)
  if (format !== undefined)
    return withRun(values, args[0] as string, (session, { id }) => draw(session, id, format, values, out))
  if (values.audit === true)
    return withRun(values, args[0] as string, (session, run) => audit(session, run, values, out))
  return withRun(values, args[0] as string, async (session, { id }) => {
    if (values.watch === true && out.live) await watch(session, id, out, values)
    const { engine } = session
    const { owned } = await findRun(engine, id)
    if (out.json) {
      // `running` is internal to the fold.
      const { running: _, ...shown } = await engine.state(id)
      out.data({ ...shown, owned, blocks: [...shown.blocks.values()] })
      return 0
    }
    // The tree of a large run takes a while to read; how the run stands does not.
    const open = await engine.outline(id)
    const options = { owned, maxLines, width: out.width(), lang: langFor(values, session, open.goal) }
    out.printLines(headLines(open, options))
    await out.turn()
    const { state, details } = await foldRun(session, id)
    out.printLines(treeLines(state, session, details, options))
    return 0
  })
}

function checkAudit({ audit, format, path, full, watch, lines }: Values): void {
  if (audit === true) {
    if (watch === true) throw badInput('--audit and --watch exclude each other')
    if (lines !== undefined) throw badInput('--lines limits the tree; --audit takes --path and --full')
  } else if (full === true) {
    throw badInput('--full needs --audit')
  } else if (path !== undefined && format === undefined) {
    throw badInput('--path needs --audit or --format')
  }
  if (typeof path === 'string' && !isPath(path)) {
    throw badInput(`--path must be a block's path such as 1-2, not "${path}"`)
  }
}

function formatOption(values: Values, out: Output): string | undefined {
  const format = textOption(values, 'format')
  if (format === undefined) return undefined
  for (const other of ['audit', 'watch', 'lines']) {
    if (values[other] !== undefined) throw badInput(`--format and --${other} exclude each other`)
  }
  if (out.json && format !== 'json') throw badInput(`--json and --format ${format} exclude each other`)
  return format
}

/** The run, or one of its blocks, in a format that other programs draw or read. */
async function draw(
  session: Session,
  id: string,
  format: string,
  values: Values,
  out: Output,
): Promise<number> {
  const { engine, strategies } = session
  const path = textOption(values, 'path')
  const lang = langFor(values, session, (await engine.outline(id)).goal)
  const shown = formatRun(await engine.events(id), await viewsOf(strategies), {
    format,
    path,
    lang: () => lang,
  })
  const text = shown.text.trimEnd()
  if (out.json) out.data(JSON.parse(text))
  else out.print(format === 'json' ? escapeJson(text) : text)
  if (path === undefined && shown.others.length > 0)
    out.remark(commandWords(lang).otherBlocks(shown.path, shown.others))
  return 0
}

async function foldRun(
  { engine, strategies }: Session,
  id: string,
): Promise<{ state: RunState; details: Details }> {
  const state = emptyState()
  const details = createDetails(await viewsOf(strategies))
  for (const event of await engine.events(id)) {
    foldEvent(state, event)
    details.follow(event)
  }
  return { state, details }
}

/** The audit of a run, block by block: requests, replies and what was kept of them. */
async function audit(session: Session, { id, owned }: RunRow, values: Values, out: Output): Promise<number> {
  const { engine } = session
  const state = await engine.outline(id)
  const blocks = atPath(auditBlocks(await engine.events(id)), textOption(values, 'path'), id)
  if (out.json) {
    for (const block of blocks) out.data(block)
    return 0
  }
  const lang = langFor(values, session, state.goal)
  const options = { lang, width: out.live ? out.width() - 1 : null, full: values.full === true }
  out.printLines([
    [segment(`${state.run} `, 'strong'), statusOf(state, owned, lang)],
    [segment(`${factsOf(state, lang)} · ${spentText(state, lang)}`, 'dim')],
  ])
  for (const block of blocks) out.printLines([[], ...auditLines(block, options)])
  return 0
}

function atPath(blocks: AuditBlock[], path: string | undefined, run: string): AuditBlock[] {
  if (path === undefined) return blocks
  const found = blocks.filter((block) => block.path === path)
  if (found.length > 0) return found
  throw badInput(`run ${run} has no block ${path}; thinkon show ${run} draws its blocks`, { path })
}

interface ShowOptions {
  owned: boolean
  maxLines: number
  width: number
  lang: 'en' | 'zh'
}

function headLines(state: RunState, { owned, width, lang }: ShowOptions): Line[] {
  return [
    [segment(`${state.run} `, 'strong'), statusOf(state, owned, lang)],
    [segment(fitText(cleanLine(factsOf(state, lang)), width - 1), 'dim')],
    [segment(spentText(state, lang), 'dim')],
    ...roleLines(state.roles, lang),
    ...goalLines(state.goal),
    [],
  ]
}

/** A run that nobody works on is stopped, unless it waits for its model. */
function statusOf(state: RunState, owned: boolean, lang: Lang): Segment {
  const stopped = state.outcome === null && !owned && state.outages.length === 0
  return stopped ? segment(wordsOf(lang).status.stopped, 'warn') : statusText(state, lang)
}

function treeLines(state: RunState, session: Session, details: Details, options: ShowOptions): Line[] {
  const { owned, maxLines, width, lang } = options
  const stopped = state.outcome === null && !owned
  // What happened after the last event of a stopped run is unknown.
  const nowMs = stopped ? Date.parse(state.changedAt) : Date.now()
  const answer = state.outcome === null ? '' : shownAnswer(state.outcome, lang)
  const { details: about = '' } = state.outcome ?? {}
  return [
    ...progressLines(state, { lang, width: width - 1, maxLines, nowMs, details }),
    ...textLines(answer),
    ...textLines(resultInWords(about, lang), 'dim'),
    ...hintsOf(state, session, stopped, lang).map((text) => [segment(text, 'ask')]),
  ]
}

/** After an empty line; nothing for an empty text. */
function textLines(text: string, tone?: Segment['tone']): Line[] {
  if (text === '') return []
  return [[], ...text.split('\n').map((line) => [segment(line, tone)])]
}

/** A goal in four parts is shown in full: the tree only has room for its intent. */
function goalLines(goal: Goal): Line[] {
  if (typeof goal === 'string') return []
  const lines = goalParts(goal).map(
    ([label, text]): Line => [segment(`${label}: `, 'dim'), segment(cleanLine(text))],
  )
  return [[], ...lines]
}

function factsOf(state: RunState, lang: 'en' | 'zh'): string {
  const parts = [state.strategy, state.config.model ?? '?', localTime(state.startedAt)]
  if (state.resumes > 0) parts.push(`${wordsOf(lang).resumed} ×${state.resumes}`)
  if (state.fork !== null) parts.push(`${wordsOf(lang).forkOf} ${state.fork.from} @${state.fork.at}`)
  return parts.join(' · ')
}

function spentText({ usage, roles, held, activeMs, limits }: RunState, lang: 'en' | 'zh'): string {
  const words = wordsOf(lang)
  const tools = roles.tool?.calls ?? 0
  const calls = `${words.calls(usage.calls)}${tools === 0 ? '' : ` (${words.ofTools(tools)})`}`
  const tokens = tokensText(usage, words)
  const spent = held.tokens > 0 ? `${tokens} + ${words.held(countText(held.tokens))}` : tokens
  const of = (spent: string, limit: string | undefined) =>
    limit === undefined ? spent : `${spent} / ${limit}`
  return [
    of(calls, limits ? countText(limits.calls) : undefined),
    of(spent, limits ? countText(limits.tokens) : undefined),
    of(words.active(durationText(activeMs)), limits ? durationText(limits.timeMs) : undefined),
    costs(usage) ? of(costText(usage.costUsd), limits ? costText(limits.costUsd) : undefined) : '',
  ]
    .filter((text) => text !== '')
    .join(' · ')
}

function hintsOf(state: RunState, session: Session, stopped: boolean, lang: Lang): string[] {
  const hints = [...openQuestions(state)]
    .slice(0, 5)
    .flatMap((question) => [...longQuestion(question, lang), waitingLine(session, question, lang)])
  if (stopped) hints.push(runWords(lang).resumeWith(session.hint(`resume ${state.run}`)))
  return hints.length === 0 ? [] : ['', ...hints]
}

/** Draws a run of any process until it ends or Ctrl-C is pressed. Questions can be answered here too. */
async function watch(session: Session, id: string, out: Output, values: Values): Promise<void> {
  const { engine } = session
  const { openScreen } = await import('../live-view.ts')
  let stopped = false
  const stop = () => {
    stopped = true
  }
  process.on('SIGINT', stop)
  const first = await engine.outline(id)
  if (first.outcome !== null) return
  const { state, details } = await foldRun(session, id)
  const screen = openScreen(
    { out, lang: langFor(values, session, first.goal), yes: false },
    {
      state,
      details,
      stop,
      answer: ({ id: question }, value) => void engine.answer(id, value, { question }).catch(() => {}),
    },
  )
  try {
    for await (const event of followEvents(engine, id, state.seq + 1, () => stopped)) {
      foldEvent(state, event)
      details.follow(event)
    }
  } finally {
    process.off('SIGINT', stop)
    screen.close()
  }
}
