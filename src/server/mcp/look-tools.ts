/** `list`, `show` and `strategies`. */

import type { CallToolResult } from '@modelcontextprotocol/server'
import type { Engine } from '../../engine/api.ts'
import {
  defined,
  emptyState,
  foldEvent,
  isPath,
  printedResult,
  type RunState,
  STANDINGS,
  type Standing,
  ThinkonError,
} from '../../protocol/index.ts'
import { createDetails } from '../../views/details.ts'
import { FORMATS } from '../../views/format-names.ts'
import { formatRun } from '../../views/formats.ts'
import { plainText } from '../../views/line.ts'
import { progressLines } from '../../views/progress.ts'
import { summaryLine } from '../../views/summary.ts'
import { wholeCall } from '../../views/whole-call.ts'
import { langOf } from '../../views/words.ts'
import { describeStrategy } from '../describe-strategy.ts'
import { RUN_ID } from '../start-request.ts'
import type { Door } from './door.ts'
import { askedQuestion, RUN_REPORT, reportOf, rowReport } from './run-report.ts'
import { type McpTool, textResult } from './tool.ts'

const LOOKS = { readOnlyHint: true, destructiveHint: false, openWorldHint: false } as const
const TREE = { width: 120, maxLines: 200 } as const
const LIST_LIMIT = 20

export const LOOK_TOOLS: readonly McpTool[] = [
  {
    name: 'list',
    title: 'List runs',
    description: 'Lists the runs, newest first, with their handles: finds one whose handle is not at hand.',
    does: 'look',
    annotations: LOOKS,
    inputSchema: {
      type: 'object',
      properties: {
        status: { type: 'string', enum: [...STANDINGS], description: 'Only runs with this status.' },
        search: {
          type: 'string',
          maxLength: 1_000,
          description: 'Only runs with this text in their goal or id.',
        },
        limit: {
          type: 'integer',
          minimum: 1,
          maximum: 500,
          description: `At most so many; ${LIST_LIMIT}, unless given.`,
        },
      },
      additionalProperties: false,
    },
    outputSchema: {
      type: 'object',
      properties: { runs: { type: 'array', items: { type: 'object' } }, count: { type: 'integer' } },
      required: ['runs', 'count'],
    },
    async call({ service: { engine } }, { status, search, limit = LIST_LIMIT }) {
      const query = {
        ...(status !== undefined && { status: status as Standing }),
        ...(search !== undefined && { search: search as string }),
      }
      const runs = (await engine.list({ ...query, limit: limit as number })).map(rowReport)
      const count = await engine.count(query)
      const lines = runs.map(({ run, status: how, strategy, goal }) => `${run}  ${how}  ${strategy}  ${goal}`)
      const more = count > runs.length ? [`… and ${count - runs.length} more`] : []
      return textResult([...lines, ...more].join('\n') || 'there are no runs yet', { runs, count })
    },
  },
  {
    name: 'questions',
    title: 'List open questions',
    description: 'Lists the questions that runs ask a person, oldest first; "answer" takes their answers.',
    does: 'look',
    annotations: LOOKS,
    inputSchema: {
      type: 'object',
      properties: {
        run: { ...RUN_ID, description: 'Only of this run.' },
        limit: {
          type: 'integer',
          minimum: 1,
          maximum: 500,
          description: `At most so many; ${LIST_LIMIT}, unless given.`,
        },
        question: {
          type: 'integer',
          minimum: 1,
          description: 'With `run`: only this question; if it asks for permission, with all of the call.',
        },
      },
      additionalProperties: false,
    },
    outputSchema: {
      type: 'object',
      properties: {
        questions: { type: 'array', items: { type: 'object' } },
        count: { type: 'integer' },
      },
      required: ['questions', 'count'],
    },
    async call({ service: { engine } }, { run, question, limit = LIST_LIMIT }) {
      if (question !== undefined) return oneQuestion(engine, run as string | undefined, question as number)
      const query = defined({ run: run as string | undefined })
      const open = await engine.questions({ ...query, limit: limit as number })
      const count = await engine.countQuestions(query)
      const questions = open.map((one) => ({ run: one.run, ...askedQuestion(one, 'en') }))
      const lines = questions.map(({ run: of, id, text }) => `run ${of}, question ${id}: ${text}`)
      const more = count > open.length ? [`… and ${count - open.length} more`] : []
      return textResult([...lines, ...more].join('\n') || 'there are no open questions', { questions, count })
    },
  },
  {
    name: 'strategies',
    title: 'List strategies',
    description:
      'Lists the ways of reasoning; with a strategy, also the JSON Schema of its options, as "run" takes them.',
    does: 'look',
    annotations: LOOKS,
    inputSchema: {
      type: 'object',
      properties: { strategy: { type: 'string', maxLength: 200, description: 'The name of one.' } },
      additionalProperties: false,
    },
    async call({ service: { strategies } }, { strategy: name }) {
      if (name === undefined) {
        const lines = [...strategies.values()].map((one) => `${one.name}: ${one.summary ?? ''}`)
        return textResult(lines.join('\n'))
      }
      const strategy = strategies.get(name as string)
      if (strategy === undefined)
        throw badInput(`there is no strategy "${name}"; there are: ${[...strategies.keys()].join(', ')}`)
      return textResult(JSON.stringify(await describeStrategy(strategy), null, 2))
    },
  },
  {
    name: 'show',
    title: 'Show a run',
    description:
      'Draws the tree of a run with its result and open questions: [ ] not started, [-] running, [?] asks a person, [x] completed, ' +
      '[~] partial, [/] skipped, [!] failed or cancelled. With a format: the run, or one block of it, as other programs read it.',
    does: 'look',
    annotations: LOOKS,
    inputSchema: {
      type: 'object',
      properties: {
        run: { ...RUN_ID, description: 'The handle of the run.' },
        format: {
          type: 'string',
          maxLength: 40,
          description: `${FORMATS.join(', ')}, or a format of the strategy; the tree as text, unless given.`,
        },
        path: {
          type: 'string',
          maxLength: 1_000,
          description: 'With a format: only this block, such as 1-2.',
        },
      },
      required: ['run'],
      additionalProperties: false,
    },
    outputSchema: RUN_REPORT,
    async call(door, { run, format, path }) {
      const { engine } = door.service
      const id = (await engine.row(run as string)).id
      if (format === undefined) {
        if (path !== undefined) throw badInput('path needs a format')
        const { text, state } = await treeOf(door, id)
        return textResult(text, { ...reportOf(state) })
      }
      if (path !== undefined && !isPath(path as string)) throw notAPath(path as string)
      const { text } = formatRun(await engine.events(id), await door.views(), {
        format: format as string,
        path: path as string | undefined,
        lang: ({ goal }) => langOf(goal),
      })
      return textResult(text.trimEnd(), { ...reportOf(await engine.outline(id)) })
    },
  },
]

/** The tree of a run as text, with what it has come to. */
export async function treeOf(door: Door, run: string): Promise<{ text: string; state: RunState }> {
  const { engine } = door.service
  const state = emptyState()
  const details = createDetails(await door.views())
  for (const event of await engine.events(run)) {
    foldEvent(state, event)
    details.follow(event)
  }
  const lang = langOf(state.goal)
  const nowMs = Date.parse(state.changedAt)
  const tree = plainText([
    summaryLine(state, lang),
    ...progressLines(state, { ...TREE, lang, nowMs, details }),
  ])
  const { reason, questions = [], next } = reportOf(await engine.outline(run))
  const parts = [
    `run ${run}\n${tree.trimEnd()}`,
    ...(state.outcome === null ? [] : [printedResult(state.outcome)]),
    ...(reason === undefined ? [] : [reason]),
    ...questions.map((asked) => `question ${asked.id} of block ${asked.path}: ${asked.text}`),
    ...(next === undefined ? [] : [`To go on, ${next}.`]),
  ]
  return { text: parts.filter((part) => part !== '').join('\n\n'), state }
}

export function notAPath(path: string): ThinkonError {
  return badInput(`"${path}" is not a path: 1 is the root, 1-2 its second child, 1-2#2 a second attempt`)
}

export function badInput(message: string, data?: Record<string, unknown>): ThinkonError {
  return new ThinkonError('BAD_INPUT', message, data === undefined ? {} : { data })
}

/** With the call that asks for permission, whole. */
async function oneQuestion(engine: Engine, run: string | undefined, id: number): Promise<CallToolResult> {
  if (run === undefined) throw new ThinkonError('BAD_INPUT', 'question: name its run, too')
  const found = (await engine.questions({ run })).find((one) => one.id === id)
  if (found === undefined) {
    const message = `question ${id} of run ${run} is not open`
    throw new ThinkonError('QUESTION_NOT_OPEN', message, { data: { run, question: id } })
  }
  const { permission } = found
  const asked = { run, ...askedQuestion(found, 'en'), ...defined({ permission }) }
  const text = permission === undefined ? asked.text : `${asked.text}\n${wholeCall(permission)}`
  return textResult(text, { questions: [asked], count: 1 })
}
