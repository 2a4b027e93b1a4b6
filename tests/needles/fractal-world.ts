/** A tree of goals that fractal's Think and Eval work through, with long texts everywhere. */

import type { UserTool } from '../../src/index.ts'
import type { ModelRequest } from '../../src/protocol/index.ts'
import { reply } from '../../src/testing/index.ts'
import { long, type Script } from './needles.ts'

/** A block of the tree. Its name stands in its goal, its plan, the files it reads and its result. */
export interface Node {
  readonly name: string
  /** Files that its Think reads, all in one turn or one after the other. */
  readonly files?: readonly string[]
  readonly atOnce?: boolean
  readonly children?: readonly Node[]
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

export function planOf({ name, chars }: Node): string {
  return long(`plan of ${name}`, chars)
}

export function resultOf({ name, chars }: Node): string {
  return long(`result of ${name}`, chars)
}

export function fileText(path: string): string {
  return long(`file ${path}`)
}

interface Input {
  readonly goal: string
  readonly done: readonly string[]
  readonly seen?: readonly { readonly name: string }[]
}

export function scriptOf(root: Node): Script {
  const nodes = new Map(all(root).map((node) => [goalOf(node), node]))
  return ({ kind, input }: ModelRequest) => {
    const { goal, done, seen = [] } = input as Input
    const node = nodes.get(goal)
    if (node === undefined) return new Error(`not foreseen: ${goal.slice(0, 80)}`)
    return kind === 'fractal/think' ? think(node, seen.length) : evaluate(node, done.length)
  }
}

function think(node: Node, seen: number): unknown {
  const { files = [], atOnce = false, children = [] } = node
  const next = files.slice(seen, atOnce ? files.length : seen + 1)
  if (next.length > 0) {
    const toolCalls = next.map((path) => ({ id: `read ${path}`, name: 'read_file', input: { path } }))
    return reply('', { toolCalls })
  }
  if (children.length > 0) return { type: 'TODO', description: planOf(node) }
  return { type: 'RETURN', description: resultOf(node) }
}

function evaluate(node: Node, done: number): unknown {
  const child = node.children?.[done]
  if (child !== undefined) return { type: 'CALL', description: goalOf(child) }
  return { type: 'RETURN', description: resultOf(node) }
}

export function all(node: Node): Node[] {
  return [node, ...(node.children ?? []).flatMap(all)]
}
