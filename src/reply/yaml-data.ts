import type { Alias, Document, isAlias, isMap, isScalar, isSeq, Node } from 'yaml'
import type { DecodingBudget } from '../protocol/decoding-budget.ts'
import { MAX_DEPTH } from '../protocol/index.ts'

interface YamlTools {
  readonly isAlias: typeof isAlias
  readonly isMap: typeof isMap
  readonly isScalar: typeof isScalar
  readonly isSeq: typeof isSeq
}

/** A value takes at least this much memory, in bytes. */
const VALUE_BYTES = 64

/** The document holds something that JSON can't: `offset` is its position in the text. */
export class NoYamlData extends Error {
  readonly offset: number

  constructor(message: string, offset: number) {
    super(message)
    this.offset = offset
  }
}

/**
 * The data of a document, without shared parts: an alias is taken from the budget with the size of its anchor before it is copied. Linear,
 * which `toJS` of the library is not: it looks for the anchor of each alias among all anchors. Throws NoYamlData.
 */
export function yamlData(tools: YamlTools, document: Document, budget: DecodingBudget): unknown {
  const { isAlias, isMap, isScalar, isSeq } = tools
  const anchors = new Map<string, Read | null>()
  const { value } = read(document.contents as Node | null, 1)
  return JSON.parse(JSON.stringify(value) ?? 'null')

  function read(node: Node | null, depth: number): Read {
    if (isAlias(node)) return standingFor(node, depth)
    checkDepth(node, isSeq(node) || isMap(node) ? depth : 0)
    const before = budget.left
    budget.take(VALUE_BYTES)
    const anchor = (node as { anchor?: string } | null)?.anchor
    if (anchor !== undefined) anchors.set(anchor, null)
    const [value, levels] = dataOf(node, depth)
    const whole = { value, size: before - budget.left, levels }
    if (anchor !== undefined) anchors.set(anchor, whole)
    return whole
  }

  function dataOf(node: Node | null, depth: number): [value: unknown, levels: number] {
    if (isSeq(node)) {
      const items = node.items.map((item) => read(item as Node | null, depth + 1))
      return [items.map(({ value }) => value), deepest(items)]
    }
    if (isMap(node)) {
      const entries = node.items.map(({ key, value }): [string, Read] => [
        nameOf(read(key as Node | null, depth + 1).value, node),
        read((value ?? null) as Node | null, depth + 1),
      ])
      const data = Object.fromEntries(entries.map(([name, { value }]) => [name, value]))
      return [data, deepest(entries.map(([, item]) => item))]
    }
    const value = isScalar(node) ? node.value : null
    if (typeof value === 'string') budget.take(value.length)
    return [value, 0]
  }

  function standingFor(node: Alias, depth: number): Read {
    const whole = anchors.get(node.source)
    if (whole === undefined)
      throw new NoYamlData(`no anchor before the alias *${node.source} has its name`, offsetOf(node))
    if (whole === null)
      throw new NoYamlData(`the alias *${node.source} stands within its own anchor`, offsetOf(node))
    checkDepth(node, depth - 1 + whole.levels)
    budget.take(whole.size)
    return whole
  }
}

interface Read {
  readonly value: unknown
  readonly size: number
  /** How many levels of lists and mappings are below it. */
  readonly levels: number
}

function checkDepth(node: Node | null, levels: number): void {
  if (levels > MAX_DEPTH) throw new NoYamlData(`it is nested deeper than ${MAX_DEPTH} levels`, offsetOf(node))
}

function deepest(items: readonly Read[]): number {
  return 1 + items.reduce((most, { levels }) => Math.max(most, levels), 0)
}

function nameOf(value: unknown, map: Node): string {
  if (typeof value === 'object' && value !== null)
    throw new NoYamlData('a name must be a text', offsetOf(map))
  return String(value ?? '')
}

function offsetOf(node: Node | null): number {
  return node?.range?.[0] ?? 0
}
