/** What YAML leaves out or joins of texts without quotes, where a reader would not. */
import type { Document, isMap, isScalar, Node, Pair, Scalar, visit } from 'yaml'
import { otherMeaning } from './bare-words.ts'
import { isCorrection } from './corrections.ts'
import type { YamlWay } from './mend-yaml.ts'

/** The parser is loaded only when it is needed. */
export interface YamlTools {
  readonly isMap: typeof isMap
  readonly isScalar: typeof isScalar
  readonly visit: typeof visit
}

/** A text without quotes, and what else it may be. */
export interface PlainText {
  readonly scalar: Scalar
  readonly other: string | boolean | null
  /** The field it stands in; empty for an item of a list. */
  readonly key: string
}

const ADVICE = 'give JSON, with texts in quotes'

/** Why some of it would be lost; null when nothing is. */
export function lossIn(
  documents: readonly Document.Parsed[],
  { source, isUnclear }: YamlWay,
  known: ReadonlySet<string>,
  tools: YamlTools,
  numbers: 'as in JSON' | 'any numbers' = 'as in JSON',
): string | null {
  if (isUnclear) return `it is not clear whether # begins a comment; ${ADVICE}`
  if (documents.some(({ contents }) => tools.isScalar(contents) && contents.value !== null))
    return `there is text beside the YAML; ${ADVICE}`
  for (const document of documents) {
    const loss = nodeLoss(document, source, known, tools, numbers)
    if (loss !== null) return loss
  }
  return null
}

/** Comments right behind texts without quotes: `use C # not Java`. */
export function commentsIn(document: Document.Parsed, source: string, tools: YamlTools): PlainText[] {
  const found: PlainText[] = []
  tools.visit(document, {
    Scalar(place, scalar, path) {
      if (place === 'key' || !isPlainText(scalar) || found.length > MAX_FOUND) return
      const comment = COMMENT.exec(source.slice(scalar.range?.[1] ?? source.length))?.[0]
      if (comment === undefined) return
      const pair = path.at(-1) as Partial<Pair> | undefined
      const key = tools.isScalar(pair?.key) ? String(pair.key.value) : ''
      found.push({ scalar, other: `${scalar.source ?? ''}${comment}`, key })
    },
  })
  return found
}

/** Words without quotes that may be no text: `no`. */
export function wordsIn(document: Document.Parsed, tools: YamlTools): PlainText[] {
  const found: PlainText[] = []
  tools.visit(document, {
    Scalar(place, scalar) {
      const other = place === 'key' || !isPlainText(scalar) ? undefined : otherMeaning(scalar.value)
      if (other !== undefined && found.length <= MAX_FOUND) found.push({ scalar, other, key: '' })
    },
  })
  return found
}

const MAX_FOUND = 50
/** On the same line, or on the next and indented. */
const COMMENT = /^[ \t]+#.*|^[ \t]*\n[ \t]+#.*/
const NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/
const LIST_LINE = /\n[^\S\n]*(?:[-*•] |\d+[.)] |#|>)/

function isPlainText({ type, value }: Scalar): boolean {
  return type === 'PLAIN' && typeof value === 'string'
}

function nodeLoss(
  document: Document.Parsed,
  source: string,
  known: ReadonlySet<string>,
  tools: YamlTools,
  numbers: 'as in JSON' | 'any numbers',
): string | null {
  let loss: string | null = null
  tools.visit(document, {
    Node(_, node) {
      loss ??= markLoss(node)
      if (tools.isScalar(node)) loss ??= scalarLoss(node, source, numbers)
      else if (tools.isMap(node)) loss ??= keyLoss(node.items, source, known, tools)
    },
  })
  return loss
}

function markLoss(node: Node): string | null {
  const { anchor, tag } = node as Node & { anchor?: string }
  const mark = anchor !== undefined ? `&${anchor}` : tag
  return mark === undefined ? null : `${JSON.stringify(mark)} is no text in YAML; ${ADVICE}`
}

function scalarLoss(scalar: Scalar, source: string, numbers: string): string | null {
  const { type, value, range } = scalar
  if (type !== 'PLAIN') return null
  const written = scalar.source ?? ''
  if (
    numbers === 'as in JSON' &&
    typeof value === 'number' &&
    !NUMBER.test(written) &&
    !/^\.nan$/i.test(written)
  )
    return `${written} is no number in JSON`
  const text = range ? source.slice(range[0], range[1]) : ''
  if (typeof value === 'string' && LIST_LINE.test(text)) return `a list stands inside a text; ${ADVICE}`
  // The reply ends where the value should be.
  if (value === null && written === '' && range && source.slice(range[1]).trim() === '')
    return 'it is cut off'
  return null
}

/** A name that was not asked for and may be no name: the next line of the text before it, or something said after the value. */
function keyLoss(
  items: readonly Pair[],
  source: string,
  known: ReadonlySet<string>,
  tools: YamlTools,
): string | null {
  const nameOf = ({ key }: Pair) => (tools.isScalar(key) ? String(key.value) : '')
  if (!items.some((pair) => known.has(nameOf(pair)))) return null
  const at = items.findIndex((pair, i) => {
    const name = nameOf(pair)
    const before = items[i - 1]?.value
    if (known.has(name) || i === 0) return false
    const start = tools.isScalar(pair.key) ? (pair.key.range?.[0] ?? 0) : 0
    const isApart = /\n[^\S\n]*\n\s*$/.test(source.slice(Math.max(0, start - 100), start))
    return (
      isApart ||
      /^\p{Lu}|\s/u.test(name) ||
      (tools.isScalar(before) && isPlainText(before)) ||
      isCorrection(`${name}:`)
    )
  })
  if (at < 0) return null
  const name = JSON.stringify(nameOf(items[at] as Pair))
  return `it is not clear whether ${name} is a field or more text; ${ADVICE}`
}

/** The last text as it is when what follows the YAML is part of it; null when it can't be. */
export function tailIn(
  document: Document.Parsed,
  source: string,
  after: string,
  tools: YamlTools,
): PlainText | null {
  if (after.trim() === '') return null
  const found: Scalar[] = []
  tools.visit(document, {
    Scalar(key, scalar) {
      if (key !== 'key') found.push(scalar)
    },
  })
  const scalar = found.at(-1)
  if (scalar === undefined || typeof scalar.value !== 'string') return null
  if (source.slice(scalar.range?.[1] ?? 0).trim() !== '') return null
  const isBlock = scalar.type === 'BLOCK_FOLDED' || scalar.type === 'BLOCK_LITERAL'
  if (!isBlock && scalar.type !== 'PLAIN') return null
  const isApart = source.slice(source.trimEnd().length).includes('\n') || /^[^\S\n]*\n/.test(after)
  if (isApart && (isBlock || CLOSING_WORDS.test(after.trim()))) return null
  return { scalar, other: `${scalar.value} ${after.trim()}`, key: '' }
}

/** What is said after an answer, and can hardly be the last paragraph of one. */
const CLOSING_WORDS =
  /^(?:let me know|i hope|hope |please let|feel free|if you|that(?:'s| is) (?:all|it|my)|this is my|done[.!]?$|end[.!]?$|thanks|thank you|user:|<\/|<\||```|希望|如有|如果|以上|谢谢|完成)/i
