/** What the functions of `thinkon/views` may be given, as tables: callers in JavaScript have no types. */
import {
  type Arguments,
  anyText,
  type Check,
  checkArguments,
  fields,
  flag,
  func,
  list,
  must,
  oneOf,
  text,
} from '../protocol/check-arguments.ts'
import { events, isEvent } from '../protocol/check-event.ts'
import { isObject } from '../protocol/json.ts'

/** Throws BAD_INPUT. */
export function checkView(name: keyof typeof ENTRANCES, given: readonly unknown[]): void {
  checkArguments(name, ENTRANCES[name], given)
}

const number = must('a number', (value) => typeof value === 'number')
const views = must('views by the names of strategies, such as SHIPPED_VIEWS', (value) => value instanceof Map)
const event = must('an event of a run', isEvent)
const state = must(
  'the state of a run, as engine.state and foldEvents return it',
  (value) => isObject(value) && value.blocks instanceof Map,
)
const details = must(
  'what createDetails returns',
  (value) => isObject(value) && typeof value.follow === 'function',
)
const lang = oneOf(['en', 'zh'])

const progress = {
  lang,
  width: number,
  maxLines: number,
  nowMs: number,
  incoming: func(),
  retrying: func(),
  details,
  maxDetailLines: number,
}
const audit = {
  lang,
  width: must('a number, or null for no wrapping', (value) => value === null || typeof value === 'number'),
  full: flag,
}
const format = { format: text, path: text, lang: func() }
const reasoning: Check = must(
  'true, false or "steps"',
  (value) => typeof value === 'boolean' || value === 'steps',
)
const uiMessage = { messageId: text, reasoning, tree: flag, onError: func() }

const ofViews: Arguments = {
  checks: { views },
  needs: { views: 'SHIPPED_VIEWS, or others by the names of strategies' },
}
const EVENTS = 'the events of a run'
const STATE = 'the state of a run, as engine.state and foldEvents return it'
const LANG = '"en" or "zh"'
const DRAFT = 'tasks, as planDraft returns them'

function draft(): Check {
  return must(DRAFT, isDraft)
}

function isDraft(value: unknown): boolean {
  return (
    Array.isArray(value) &&
    value.every(
      (task) =>
        isObject(task) &&
        [task.id, task.name, task.goal].every((one) => typeof one === 'string') &&
        Array.isArray(task.dependsOn) &&
        isDraft(task.subtasks),
    )
  )
}

const BLOCK = 'a block of the state of a run'

function isBlock(value: unknown): boolean {
  return (
    isObject(value) &&
    typeof value.path === 'string' &&
    typeof value.strategy === 'string' &&
    Array.isArray(value.questions) &&
    isObject(value.usage)
  )
}

const NODE = 'what schemaNode returns'
const schema = must('a JSON Schema', isObject)

const FIGURE: Arguments = { checks: { value: number }, needs: { value: 'a number' } }

const ENTRANCES = {
  labResultsIn: { checks: { text: anyText }, needs: { text: 'the text of a file of thinkon lab' } },
  createAnswerText: ofViews,
  createDetails: ofViews,
  createStreams: ofViews,
  createThoughts: ofViews,
  createUIMessageChunks: {
    checks: { views, run: text, options: fields(uiMessage) },
    needs: { ...ofViews.needs, run: "the run's id" },
  },
  auditBlocks: { checks: { events }, needs: { events: EVENTS } },
  auditLines: {
    checks: {
      block: must(
        'a block, as auditBlocks returns it',
        (value) => isObject(value) && typeof value.path === 'string',
      ),
      options: fields(audit, {
        needs: { lang: LANG, width: 'in cells; null for no wrapping', full: 'true: nothing is shortened' },
      }),
    },
    needs: { block: 'a block, as auditBlocks returns it', options: 'lang, width and full' },
  },
  eventLine: {
    checks: { event, width: number, lang },
    needs: { event: 'an event of a run', width: 'in cells' },
  },
  newsLine: {
    checks: { state, event, lang, details },
    needs: { state: STATE, event: 'an event of a run', lang: LANG },
  },
  blockRow: {
    checks: {
      block: must(BLOCK, isBlock),
      state,
      options: fields(
        { lang, details, incoming: anyText, retrying: anyText, nowMs: number },
        { needs: { lang: LANG } },
      ),
    },
    needs: { block: BLOCK, state: STATE, options: 'lang, and details' },
  },
  elapsedMs: {
    checks: { block: must(BLOCK, isBlock), nowMs: number },
    needs: { block: BLOCK, nowMs: 'now' },
  },
  bytesText: FIGURE,
  costText: FIGURE,
  countText: FIGURE,
  durationText: FIGURE,
  tokensOf: {
    checks: { usage: must('the usage of a run or a block', isObject) },
    needs: { usage: 'the usage of a run or a block' },
  },
  fileChanges: {
    checks: { tool: text, input: must('any value', () => true), known: func() },
    needs: { tool: "the tool's name" },
  },
  draftProblems: { checks: { draft: draft(), lang }, needs: { draft: DRAFT, lang: LANG } },
  planEdits: { checks: { before: draft(), after: draft() }, needs: { before: DRAFT, after: DRAFT } },
  schemaNode: {
    checks: { given: schema, root: schema },
    needs: { given: 'a JSON Schema', root: 'the whole schema, to which references refer' },
  },
  readLeaf: {
    checks: { node: must(NODE, (value) => isObject(value) && typeof value.kind === 'string'), text: anyText },
    needs: { node: NODE, text: 'what was typed' },
  },
  shownChoice: {
    checks: { choice: text, lang },
    needs: { choice: "one of a question's choices", lang: LANG },
  },
  formatRun: {
    checks: {
      events,
      views,
      options: fields(format, {
        needs: { format: 'such as "mermaid"', lang: 'a function that returns "en" or "zh"' },
      }),
    },
    needs: { events: EVENTS, ...ofViews.needs, options: 'format and lang' },
  },
  runTimeline: {
    checks: { events, state, nowMs: number },
    needs: { events: EVENTS, state: STATE, nowMs: 'the time in milliseconds' },
  },
  joinBars: {
    checks: {
      bars: list(
        must('a bar', (value) => isObject(value) && typeof value.from === 'number'),
        'bars',
      ),
      leastMs: number,
    },
    needs: { bars: 'the bars of a row', leastMs: 'in milliseconds' },
  },
  blockForm: {
    checks: {
      events,
      views,
      options: fields({ path: text, lang }, { needs: { path: 'such as "1-2"', lang: LANG } }),
    },
    needs: { events: EVENTS, ...ofViews.needs, options: 'path and lang' },
  },
  plainText: {
    checks: {
      lines: list(
        list(
          must('a segment', (value) => isObject(value) && typeof value.text === 'string'),
          'segments',
        ),
        'lines',
      ),
    },
    needs: { lines: 'a list of lines' },
  },
  progressLines: {
    checks: {
      state,
      options: fields(progress, {
        needs: {
          lang: LANG,
          width: 'in cells',
          maxLines: 'the most lines there may be',
          nowMs: 'the time in milliseconds',
        },
      }),
    },
    needs: { state: STATE, options: 'lang, width, maxLines and nowMs' },
  },
} satisfies Record<string, Arguments>
