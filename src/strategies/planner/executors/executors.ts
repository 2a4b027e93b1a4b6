/** What a plan may call: executors of the run, and strategies by name. */
import type { KnownTool } from '../../../protocol/index.ts'
import { type ExecutorDescription, executorsOf, plainNote, readCommand } from '../executor-call.ts'
import type { ExecutorCall, PlannerContext } from '../schema.ts'

/** Checks expected observations by code; exists where a workspace has an executors.yaml. */
export const OBSERVE_TOOL = 'executor__observe'
/** Reads more of a long result that was cut. */
const READ_TOOL = 'read_result'

/** Those in executors.yaml; every tool where the options say so, or where the workspace has no executors.yaml. */
export function executorTools({ tools, hiddenTools, options }: PlannerContext): readonly KnownTool[] {
  const executors = [...tools, ...hiddenTools].filter(({ executor }) => executor !== undefined)
  // An executors.yaml without entries means no executors; the observing tool shows that there is such a file.
  const ofWorkspace = executors.length > 0 || hiddenTools.some(({ name }) => name === OBSERVE_TOOL)
  if (!ofWorkspace) return tools
  const others = tools.filter(({ name, executor }) => !executor && (options.tools || name === READ_TOOL))
  return [...executors, ...others.map((tool) => ({ ...tool, executor: plainNote(tool) }))]
}

/** For prompts: the executors, then the strategies that may be named like one. */
export function executorEntries(context: PlannerContext): readonly ExecutorDescription[] {
  return [...executorsOf(executorTools(context)), ...context.options.strategies.map(strategyEntry)]
}

/** The strategy that a call names as its executor, with the goal after the colon; null for any other executor. */
export function strategyCall(
  { command }: ExecutorCall,
  strategies: readonly string[],
): { strategy: string; goal: string | null } | null {
  const { id, text } = readCommand(command)
  return strategies.includes(id) ? { strategy: id, goal: text === '' ? null : text } : null
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
