/** The executors that the planner brings along: a text that needs no command, and several files in one look. */

import type { Item } from '../../kernel/brief/section.ts'
import { valueText } from '../../kernel/brief/value-text.ts'
import type { Op } from '../../kernel/durable.ts'
import { type KnownTool, type Result, ThinkonError } from '../../protocol/index.ts'
import type { PlannerContext } from './schema.ts'

/** No tool of a run has these names. */
export const TEXT_TOOL_NAME = 'planner/text'
const READ_FILES_NAME = 'planner/read-files'
const READ_FILE = 'read_file'
/** They change nothing: a plan may look without writing a command. `read_result` is offered by the brief, where it is needed. */
export const READ_TOOLS: readonly string[] = [READ_FILE, 'list_files', 'search_files']

const MAX_FILES = 20

const TEXT_TOOL = own(
  TEXT_TOOL_NAME,
  { text: { type: 'string', description: 'the whole text, ready to be handed over' } },
  {
    id: 'text',
    description:
      'Delivers a text: an answer, a page, a decision, a summary. The text stands in the call: "inputs":{"text":"…"}, whole and ready to be handed over.',
    guarantees: ['the text is the result, as it was written'],
    limits: ['knows only what the Planner is shown: look first at what is not there'],
    side_effects: ['none'],
  },
)

const READ_FILES_TOOL = own(
  READ_FILES_NAME,
  {
    paths: {
      type: 'array',
      items: { type: 'string', minLength: 1 },
      minItems: 1,
      maxItems: MAX_FILES,
      format: 'path',
      description: 'the files, from the workspace',
    },
  },
  {
    id: 'read_files',
    description: 'Reads several text files of the workspace at once: one look at all the material.',
    guarantees: ['gives every file, or says why one can not be read'],
    limits: [`at most ${MAX_FILES} files`, 'the first 2000 lines of a file; more with read_file'],
    side_effects: ['none'],
  },
)

/** Those that a run with these executors has in addition. */
export function ownExecutors(known: readonly KnownTool[]): readonly KnownTool[] {
  return known.some(({ name }) => name === READ_FILE) ? [READ_FILES_TOOL, TEXT_TOOL] : [TEXT_TOOL]
}

/** How a call ended, and what it gave, as it is recorded. */
export interface Called {
  readonly ended: Result
  readonly outputs: readonly Item[]
}

/** Calls the tool of an executor. A limit is not the executor's failure: it is thrown, and ends the block. */
export async function callTool(
  context: PlannerContext,
  tool: string,
  input: Readonly<Record<string, unknown>>,
): Promise<Called> {
  const paths = tool === READ_FILES_NAME ? pathsIn(input) : null
  const ops: Op[] =
    paths === null ? [begin(context, tool, input)] : paths.map((path) => context.tool(READ_FILE, { path }))
  const ends = await context.all(ops)
  for (const end of ends) if (!end.ok && end.error.code === 'LIMIT') throw ThinkonError.fromJSON(end.error)
  const outputs = ends.map((end, i) => ({
    about: paths === null ? 'What the call gave:' : `${paths[i]}:`,
    text: end.ok ? valueText(end.value) : end.error.message,
    data: 'executor',
    ref: `${context.path}/${ops[i]?.n}`,
  }))
  return { ended: paths === null ? (ends[0] as Result) : together(paths, ends), outputs }
}

/** An executor may be one that models are not offered as a tool: the generic shell is. */
function begin(context: PlannerContext, tool: string, input: unknown): Op {
  const isHidden = context.hiddenTools.some(({ name }) => name === tool)
  return isHidden ? context.ownTool(tool, input) : context.tool(tool, input)
}

function pathsIn({ paths }: Readonly<Record<string, unknown>>): readonly string[] {
  return [...new Set(paths as readonly string[])]
}

/** A look has failed if nothing at all could be seen. */
function together(paths: readonly string[], ends: readonly Result[]): Result {
  const failed = ends.find((end) => !end.ok)
  if (failed !== undefined && !ends.some(({ ok }) => ok)) return failed
  const texts = ends.map((end, i) => (end.ok ? valueText(end.value) : `${paths[i]}: ${end.error.message}`))
  return { ok: true, value: texts.join('\n\n') }
}

function own(
  name: string,
  properties: Readonly<Record<string, object>>,
  executor: NonNullable<KnownTool['executor']>,
): KnownTool {
  const required = Object.keys(properties)
  return {
    name,
    description: executor.description,
    access: 'read',
    schema: { type: 'object', properties, required, additionalProperties: false },
    executor,
  }
}
