/**
 * A flow: nodes that read a shared store, do their work, write its result to the store, and return an action that selects the
 * next node. It knows nothing of models, blocks or the engine.
 *
 * 1. State is passed along (prep → exec → post) and never kept on the node, so that one node can run in many flows at once.
 * 2. `exec` sees the result of `prep`, not the store: the store changes only before and after the work.
 */

import {
  type Arguments,
  anything,
  checkArguments,
  either,
  fields,
  func,
  record,
  text,
} from '../../protocol/check-arguments.ts'
import { ThinkonError } from '../../protocol/errors.ts'
import { isObject } from '../../protocol/json.ts'

export interface Node<Shared, Prepared = unknown, Result = unknown> {
  prep(shared: Shared): Prepared | Promise<Prepared>
  exec(prepared: Prepared): Result | Promise<Result>
  /** The action that says which node is next. */
  post(shared: Shared, prepared: Prepared, result: Result): string | Promise<string>
}

export interface Graph<Shared> {
  readonly start: string
  readonly nodes: Readonly<Record<string, GraphNode<Shared>>>
}

/** A node, and the node that each of its actions leads to. */
export interface GraphNode<Shared> {
  readonly node: Node<Shared>
  readonly on: Readonly<Record<string, string>>
}

export const CONTINUE = 'continue'
/** Stops the flow, unless the graph has a node for it. */
export const END = 'end'

const STEPS = 'a node has prep, exec and post'
const node = fields(
  { prep: func(), exec: func(), post: func() },
  { needs: { prep: STEPS, exec: STEPS, post: STEPS }, open: true },
)
const graphNode = fields(
  { node, on: record(text, 'actions and the nodes that they lead to') },
  { needs: { node: 'what is run', on: 'where its actions lead' } },
)

const RUN_FLOW: Arguments = {
  checks: {
    flow: either(
      'a node, or { start, nodes }',
      [
        (value) => isObject(value) && 'nodes' in value,
        fields(
          { start: text, nodes: record(graphNode, 'nodes by name') },
          { needs: { start: 'the first node' } },
        ),
      ],
      [isObject, node],
    ),
    shared: anything,
  },
  needs: { flow: 'a node, or { start, nodes }', shared: 'the store that its nodes share' },
}

/** Runs until an action ends it. A single node is run again on `continue`. */
export async function runFlow<Shared>(flow: Node<Shared> | Graph<Shared>, shared: Shared): Promise<void> {
  checkArguments('runFlow', RUN_FLOW, [flow, shared])
  const { start, nodes } = 'nodes' in flow ? flow : looping(flow)
  let name = start
  for (;;) {
    const current = nodes[name]
    if (current === undefined) throw new ThinkonError('BAD_INPUT', `the flow has no node "${name}"`)
    const { node, on } = current
    const prepared = await node.prep(shared)
    const result = await node.exec(prepared)
    const action = await node.post(shared, prepared, result)
    const next = on[action]
    if (next === undefined && action === END) return
    if (next === undefined) throw deadEnd(name, action, on)
    name = next
  }
}

function looping<Shared>(node: Node<Shared>): Graph<Shared> {
  return { start: 'node', nodes: { node: { node, on: { [CONTINUE]: 'node' } } } }
}

function deadEnd(name: string, action: string, on: GraphNode<never>['on']): ThinkonError {
  const known = [...Object.keys(on), END].join(', ')
  return new ThinkonError(
    'BAD_INPUT',
    `the action "${action}" of the node "${name}" leads nowhere; known actions: ${known}`,
  )
}
