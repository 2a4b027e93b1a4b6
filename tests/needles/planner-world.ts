/** A tree of goals that the Planner and Reflect work through, with long texts everywhere. */
import type { UserTool } from '../../src/index.ts'
import { type Goal, goalText, type ModelRequest } from '../../src/protocol/index.ts'
import { long, type Script } from './needles.ts'

/** A block of the tree. Its name stands in its goal, its plan, the files it reads and its report. */
export interface Node {
  readonly name: string
  /** A leaf reads this file; other blocks have children. */
  readonly file?: string
  readonly children?: readonly Node[]
  /** What Reflect says after each child but the last. */
  readonly reasons?: boolean
  readonly chars?: number
}

export const readFile: UserTool = {
  name: 'read_file',
  description: 'reads a file',
  access: 'read',
  run: async (input: unknown) => fileText((input as { path: string }).path),
}

export function goalOf({ name, chars }: Node): string {
  return `(${name})\n${long(`goal of ${name}`, chars)}`
}

/** Three items; the first has the needle of the plan. */
export function planOf({ name }: Node): string[] {
  return [long(`plan of ${name}`, 300), `look at ${name}`, `end ${name}`]
}

export function signalOf({ name }: Node): string {
  return long(`signal of ${name}`, 300)
}

export function reportOf({ name, chars }: Node): string {
  const text = long(`report of ${name}`, chars)
  return `### Completion\nCompleted: all of it\n\n### Deliverables\n${text}\n\n### Metrics\nmet\n\n### Constraints\nkept`
}

export function deliverableOf({ name, chars }: Node): string {
  return long(`report of ${name}`, chars)
}

export function reasonOf({ name }: Node): string {
  return long(`reason of ${name}`, 600)
}

export function fileText(path: string): string {
  return long(`file ${path}`)
}

interface Input {
  readonly think?: { readonly goal: Goal; readonly done: readonly string[] }
  readonly open?: readonly string[]
}

export function scriptOf(root: Node): Script {
  const nodes = new Map(all(root).map((node) => [goalOf(node), node]))
  return ({ kind, input }: ModelRequest) => {
    const { think, open = [] } = input as Input
    if (kind === 'planner/observe')
      return { verdicts: open.map((observation) => ({ observation, verdict: 'met', evidence: '' })) }
    const node = nodes.get(goalText(think?.goal ?? ''))
    if (node === undefined)
      return new Error(`not foreseen: ${kind} ${goalText(think?.goal ?? '').slice(0, 80)}`)
    const done = think?.done.length ?? 0
    if (kind === 'planner/plan') return planNext(node, done)
    return reflected(node, done)
  }
}

function planNext(node: Node, done: number): unknown {
  const child = node.children?.[done]
  if (child === undefined) return new Error(`${node.name} has no child ${done + 1}`)
  if (child.file === undefined)
    return {
      type: 'plan-next',
      plan_type: 'PLAN_STEPS',
      new_block: { goal: goalOf(child), plan: planOf(child), done: [] },
      success_signal: signalOf(child),
      update_plan: planOf(node),
    }
  return {
    type: 'plan-next',
    plan_type: 'EXECUTE',
    new_block: { goal: goalOf(child), plan: [], done: [] },
    executor_call: {
      command: 'read_file',
      inputs: { path: child.file },
      expected_observations: [long(`expected of ${child.name}`, 200)],
    },
    update_plan: planOf(node),
  }
}

function reflected(node: Node, done: number): unknown {
  if (done < (node.children?.length ?? 0)) return { type: 'go-on', reason: reasonOf(node) }
  return { type: 'plan-return', status: 'completed', result: reportOf(node) }
}

export function all(node: Node): Node[] {
  return [node, ...(node.children ?? []).flatMap(all)]
}
