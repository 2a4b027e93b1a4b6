/** What a plan may call (executors of the run, and strategies by name), and an `executor_call` as the call of a tool. */
import { READ_RESULT } from '../../kernel/brief/shown-result.ts'
import { type ExecutorNote, type KnownTool, meantText, shorten, ThinkonError } from '../../protocol/index.ts'
import { checkSchema } from '../../schema/check-schema.ts'
import { ownExecutors, READ_TOOLS } from './own-executors.ts'
import { pathProblems } from './path-problems.ts'
import type { ExecutorCall, PlannerContext } from './schema.ts'

/** The generic executor: its command is whatever follows `shell:`. */
export const SHELL_ID = 'shell'

/** Checks expected observations by code; exists where a workspace has an executors.yaml. */
export const OBSERVE_TOOL = 'executor__observe'

/** An executor as a prompt shows it. */
export interface ExecutorDescription extends ExecutorNote {
  /** JSON Schema of its inputs. */
  readonly inputs: KnownTool['schema']
}

/**
 * `shell: <command>`, `<id>` with `inputs`, or `<id>: <text>`: the text is the one required input that `inputs` lacks, or the first
 * optional one if it lacks none. Throws BAD_INPUT with what is wrong, for the model.
 */
export function resolveCall(
  call: ExecutorCall,
  tools: readonly KnownTool[],
): { tool: string; input: Readonly<Record<string, unknown>> } {
  const ids = tools.map(idOf)
  const { id, text } = readCommand(call.command)
  const tool = tools.find((one) => idOf(one) === id)
  if (tool === undefined) throw badCall(unknownExecutor(id, ids), call, ids)

  const { properties, required, closed } = inputsOf(tool)
  const names = Object.keys(properties)
  const input = withoutNulls(call.inputs, required)
  if (text !== '') {
    const isOpen = (name: string) => input[name] === undefined
    const [only = names.find(isOpen), ...others] = required.filter(isOpen)
    if (only === undefined || others.length > 0) throw badCall(textNotTaken(id, names, text), call, ids)
    input[only] = typed(text, properties[only])
  }

  const missing = required
    .filter((name) => input[name] === undefined)
    .map((name) => `"${name}" is missing${id === SHELL_ID ? ': write "shell: <command>"' : ''}`)
  const unknown = (closed ? Object.keys(input) : [])
    .filter((name) => !Object.hasOwn(properties, name))
    .map((name) => `unknown "${name}"${meantText(name, names)}`)
  const problems = [...missing, ...unknown, ...valueProblems(tool, input), ...pathProblems(tool, input)]
  if (problems.length > 0) throw badCall(`inputs of executor "${id}": ${problems.join('; ')}`, call, ids)
  return { tool: tool.name, input }
}

/** What is wrong with the values of inputs that are there; what is missing or unknown is said with a hint, by name. */
function valueProblems({ schema }: KnownTool, input: Readonly<Record<string, unknown>>): string[] {
  const known = Object.keys(schema.properties ?? {})
  return checkSchema(input, schema).flatMap(({ path, message }) => {
    const [name] = path
    return known.includes(String(name)) && input[String(name)] !== undefined
      ? [`"${path.join('.')}" ${message}`]
      : []
  })
}

function isShell(tool: KnownTool): boolean {
  return idOf(tool) === SHELL_ID && inputsOf(tool).required.join() === 'command'
}

/** Models write null for what is not there. */
function withoutNulls(inputs: ExecutorCall['inputs'], required: readonly string[]): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(inputs).filter(([name, value]) => value !== null || required.includes(name)),
  )
}

/** For prompts: the executors that a plan may call, in the order of the tools. */
export function executorsOf(tools: readonly KnownTool[]): ExecutorDescription[] {
  return tools.map((tool) => {
    const { id, description, guarantees, limits, side_effects } = tool.executor ?? plainNote(tool)
    // The command of the shell stands after its id.
    const inputs = isShell(tool) ? { type: 'object', properties: {} } : tool.schema
    return { id, description, inputs, guarantees, limits, side_effects }
  })
}

/**
 * Those in executors.yaml, then the tools that read; every tool where the options say so, or where the run has no executors; then the
 * planner's own. An executor replaces a tool of the same name.
 */
export function executorTools({ tools, hiddenTools, options }: PlannerContext): readonly KnownTool[] {
  const executors = [...tools, ...hiddenTools].filter(({ executor }) => executor !== undefined)
  // An executors.yaml without entries takes the shell away; the observing tool shows that there is such a file.
  const ofWorkspace = executors.length > 0 || hiddenTools.some(({ name }) => name === OBSERVE_TOOL)
  const ids = executors.map(idOf)
  const others = tools.filter(
    ({ name, executor }) =>
      executor === undefined &&
      !ids.includes(name) &&
      name !== READ_RESULT &&
      (!ofWorkspace || options.tools || READ_TOOLS.includes(name)),
  )
  const known = [...executors, ...others.map((tool) => ({ ...tool, executor: plainNote(tool) }))]
  const taken = known.map(idOf)
  return [...known, ...ownExecutors(known).filter((tool) => !taken.includes(idOf(tool)))]
}

/** For prompts: the executors, then the strategies that may be named like one. */
export function executorEntries(context: PlannerContext): readonly ExecutorDescription[] {
  return [...executorsOf(executorTools(context)), ...context.options.strategies.map(strategyEntry)]
}

/** The strategy that a call names as its executor, with the question put to it, after the colon or in `inputs`; null for any other executor. */
export function strategyCall(
  { command, inputs }: ExecutorCall,
  strategies: readonly string[],
): { strategy: string; question: string | null } | null {
  const { id, text } = readCommand(command)
  if (!strategies.includes(id)) return null
  const given = Object.values(inputs).filter((value) => typeof value === 'string')
  const question = [text, ...given].filter((part) => part.trim() !== '').join('\n')
  return { strategy: id, question: question === '' ? null : question }
}

function strategyEntry(name: string): ExecutorDescription {
  return {
    id: name,
    description: `Solves a goal by thinking, with the strategy "${name}": write "${name}: <goal>", complete in itself. Its answer is text.`,
    inputs: { type: 'object', properties: {} },
    guarantees: ['the answer is in its result'],
    limits: ['runs no command, writes no file'],
    side_effects: ['none'],
  }
}

/** The id that a command begins with, empty where there is none, and the text after its colon. */
export function readCommand(command: string): { id: string; text: string } {
  const [, id = '', text = ''] = /^\s*([A-Za-z][\w.-]*)\s*(?::([\s\S]*))?$/.exec(command) ?? []
  return { id, text: text.trim() }
}

/** A call as results show it: the whole command, with its inputs. */
export function callText({ command, inputs }: ExecutorCall): string {
  return Object.keys(inputs).length === 0 ? `\`${command}\`` : `\`${command}\` ${JSON.stringify(inputs)}`
}

/** The message for a model whose command names an unknown executor. */
export function unknownExecutor(id: string, ids: readonly string[]): string {
  const generic = ids.includes(SHELL_ID) ? ` A shell command is written "${SHELL_ID}: <command>".` : ''
  const unknown = id === '' ? '' : ` There is no "${id}"${meantText(id, ids) || '.'}`
  return `the command must begin with the id of an executor (${ids.join(', ') || 'there is none'}).${generic}${unknown}`
}

function idOf({ name, executor }: KnownTool): string {
  return executor?.id ?? name
}

const EFFECTS = {
  read: 'none',
  write: 'files',
  network: 'network',
  execute: 'whatever it runs does',
} as const

/** The description of a tool that is not an executor. */
function plainNote({ name, description, access }: KnownTool): ExecutorNote {
  return { id: name, description, guarantees: [], limits: [], side_effects: [EFFECTS[access]] }
}

function inputsOf({ schema }: KnownTool) {
  return {
    properties: (schema.properties ?? {}) as Readonly<Record<string, InputSchema | undefined>>,
    required: (schema.required ?? []) as readonly string[],
    closed: schema.additionalProperties === false,
  }
}

interface InputSchema {
  readonly type?: unknown
  readonly items?: InputSchema
}

/** The text after an id is not JSON: a number, a boolean or a list of words is read as one where the schema demands it. */
function typed(text: string, schema: InputSchema | undefined): unknown {
  const type = schema?.type
  if (type === 'array') return text.split(/[\s,]+/).map((word) => typed(word, schema?.items))
  if ((type === 'number' || type === 'integer') && /^-?\d+(\.\d+)?$/.test(text)) return Number(text)
  if (type === 'boolean' && (text === 'true' || text === 'false')) return text === 'true'
  return text
}

function textNotTaken(id: string, names: readonly string[], text: string): string {
  return `executor "${id}" takes its inputs in "inputs" (${names.join(', ') || 'none'}), not after its id: "${shorten(text, 100)}"`
}

function badCall(message: string, { command }: ExecutorCall, available: readonly string[]): ThinkonError {
  return new ThinkonError('BAD_INPUT', message, { data: { command, available } })
}
