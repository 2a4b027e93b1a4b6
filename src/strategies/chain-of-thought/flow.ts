/**
 * A flow: nodes that read a shared store, do something, write what came of it, and say by an action where to go on. It knows
 * nothing of models, blocks or the engine.
 *
 * 1. What a call knows is passed along (prep → exec → post) and never kept on the node: one node can run in many flows at once.
 * 2. `exec` sees what `prep` gave it and not the store, so that the store changes only before and after the work.
 */

export interface Node<Shared, Prepared = unknown, Result = unknown> {
  prep(shared: Shared): Prepared | Promise<Prepared>
  exec(prepared: Prepared): Result | Promise<Result>
  /** The action that says which node is next. */
  post(shared: Shared, prepared: Prepared, result: Result): string | Promise<string>
}

export interface Graph<Shared> {
  readonly start: string
  readonly nodes: Readonly<Record<string, Place<Shared>>>
}

/** A node in a graph, and to which node each of its actions leads. */
export interface Place<Shared> {
  readonly node: Node<Shared>
  readonly on: Readonly<Record<string, string>>
}

export const CONTINUE = 'continue'
/** Stops the flow, unless a graph leads somewhere else with it. */
export const END = 'end'

/** Runs until an action ends it. A node alone goes on with itself at `continue`. */
export async function runFlow<Shared>(flow: Node<Shared> | Graph<Shared>, shared: Shared): Promise<void> {
  const { start, nodes } = 'nodes' in flow ? flow : looping(flow)
  let name = start
  for (;;) {
    const place = nodes[name]
    if (place === undefined) throw new Error(`the flow has no node "${name}"`)
    const { node, on } = place
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

function deadEnd(name: string, action: string, on: Place<never>['on']): Error {
  const known = [...Object.keys(on), END].join(', ')
  return new Error(`the action "${action}" of the node "${name}" leads nowhere; there are: ${known}`)
}
