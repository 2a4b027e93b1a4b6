// Refuses code that expands, parses or joins outside data without a DecodingBudget (src/protocol/decoding-budget.ts). It reads the syntax trees of
// src/ and studio/src/ and recognises:
//
//   inflate      inflaters of node:zlib, also as values, and DecompressionStream
//   yaml         parseDocument, parseAllDocuments, parse of the package yaml, and toJS
//   JSON.parse   of anything but the result of JSON.stringify
//   body         json(), text(), arrayBuffer(), bytes(), blob() and formData() that are awaited, returned by an async function, or followed by then
//                or catch
//   concat       Buffer.concat
//   join         join(), repeat(), replaceAll() and += on texts, in the modules of JOINING only: those that put stored or received parts together
//
// Such a call needs a budget in its unit (the function of the module or the method of the class): a DecodingBudget as an argument, or a use of
// one of its members. Calls on data of a bounded size are listed in bounded-decoding.ts, with the place of the bound.

import { globSync, readFileSync } from 'node:fs'
import { join, sep } from 'node:path'
import { parseAst } from 'vite'
import { BOUNDED_CALLS } from './bounded-decoding.ts'

type Kind = 'inflate' | 'yaml' | 'JSON.parse' | 'body' | 'concat' | 'join'

export interface Unbounded {
  readonly file: string
  readonly line: number
  readonly kind: Kind
}

const JOINING =
  /^src\/(?:store\/event-codec|kernel\/join-texts|tools\/(?:mcp\/result|glob|executors\/template|blueprints\/fill-blueprint|builtin\/(?:write-files|unified-diff))|client\/lines|views\/shared-run)\.ts$/
const INFLATER =
  /^(?:inflate|inflateRaw|gunzip|unzip|brotliDecompress|zstdDecompress)(?:Sync)?$|^create(?:Gunzip|Inflate|InflateRaw|Unzip|BrotliDecompress|ZstdDecompress)$/
const YAML = /^(?:parseDocument|parseAllDocuments|toJS)$/
const BODY = /^(?:json|text|arrayBuffer|bytes|blob|formData)$/
const BUDGET = /^budget$|Budget$/
const IS_TYPE = /^TS(?:Type|Interface)/
const FUNCTION = /^(?:FunctionDeclaration|FunctionExpression|ArrowFunctionExpression)$/

interface Node {
  readonly type: string
  readonly start: number
  readonly [name: string]: unknown
}

/** The calls without a budget, as they are in the files. */
export function unboundedCalls(root: string): Unbounded[] {
  const files = globSync(['src/**/*.ts', 'studio/src/**/*.{ts,tsx}'], { cwd: root })
    .map((file) => file.replaceAll(sep, '/'))
    .filter((file) => !/\.test\.tsx?$|\.d\.ts$|\/assembly\//.test(file))
  return files.sort().flatMap((file) => callsIn(file, readFileSync(join(root, file), 'utf8')))
}

function callsIn(file: string, text: string): Unbounded[] {
  const found: Unbounded[] = []
  const mayHaveBudgets = /\bDecodingBudget\b|\w+Budget\b.*\bfrom\b/.test(text)
  const visit = (node: Node, parents: readonly Node[]): void => {
    const kind = kindOf(node, parents, file)
    const isBounded = mayHaveBudgets && usesBudget(unitOf(node, parents))
    if (kind !== undefined && !isBounded)
      found.push({ file, line: text.slice(0, node.start).split('\n').length, kind })
    for (const child of childrenOf(node)) visit(child, [...parents, node])
  }
  visit(parseAst(text, { lang: file.endsWith('x') ? 'tsx' : 'ts' }) as unknown as Node, [])
  return found
}

function kindOf(node: Node, parents: readonly Node[], file: string): Kind | undefined {
  if (parents.some(({ type }) => type === 'ImportDeclaration' || IS_TYPE.test(type))) return undefined
  if (node.type === 'Identifier') return isInflater(node, parents.at(-1)) ? 'inflate' : undefined
  const mayJoin = JOINING.test(file)
  if (node.type === 'AssignmentExpression')
    return mayJoin && node.operator === '+=' && isText(node, parents) ? 'join' : undefined
  if (node.type !== 'CallExpression') return undefined
  return kindOfParser(node) ?? kindOfMethod(node, parents, mayJoin)
}

function isInflater(node: Node, parent: Node | undefined): boolean {
  return nameOf(node) === 'DecompressionStream' || (INFLATER.test(nameOf(node)) && !isKey(node, parent))
}

function kindOfParser(call: Node): Kind | undefined {
  const { object, name } = calleeOf(call)
  if (YAML.test(name) || (name === 'parse' && /^ya?ml$/i.test(object))) return 'yaml'
  const [argument] = call.arguments as Node[]
  if (object === 'JSON' && name === 'parse' && !isStringified(argument)) return 'JSON.parse'
  return object === 'Buffer' && name === 'concat' ? 'concat' : undefined
}

function kindOfMethod(call: Node, parents: readonly Node[], mayJoin: boolean): Kind | undefined {
  const { name } = calleeOf(call)
  if ((call.callee as Node).type !== 'MemberExpression') return undefined
  const hasArguments = (call.arguments as Node[]).length > 0
  if (BODY.test(name) && !hasArguments && isPromise(call, parents)) return 'body'
  const isJoin = /^(?:join|repeat)$/.test(name) || (name === 'replaceAll' && !isShortText(call))
  return mayJoin && isJoin ? 'join' : undefined
}

function calleeOf({ callee }: Node): { object: string; name: string } {
  const { object, property } = callee as { object?: Node; property?: Node }
  return { object: nameOf(object ?? {}), name: nameOf(property ?? (callee as Node)) }
}

/** The outermost function around it, or the method of a class; the module for the rest. */
function unitOf(node: Node, parents: readonly Node[]): Node {
  const inClass = parents.findLastIndex(({ type }) => type === 'ClassBody')
  const unit = parents.slice(inClass + 1).find(({ type }) => FUNCTION.test(type))
  return unit ?? node
}

function usesBudget(node: Node): boolean {
  if (node.type === 'CallExpression' || node.type === 'NewExpression') {
    if ((node.arguments as Node[]).some(isBudget)) return true
    const object = (node.callee as Node).object as Node | undefined
    if (object !== undefined && isBudget(object)) return true
  }
  if (node.type === 'MemberExpression' && isBudget(node.object as Node)) return true
  return childrenOf(node).some(usesBudget)
}

/** `budget`, `this.budget`, `place.budget`, `new DecodingBudget(…)`, `replyBudget()`. */
function isBudget(node: Node): boolean {
  if (node.type === 'NewExpression' || node.type === 'CallExpression') return isBudget(node.callee as Node)
  if (node.type === 'MemberExpression') return isBudget(node.property as Node)
  return node.type === 'Identifier' && BUDGET.test(nameOf(node))
}

/** `+=` on a variable that begins as a text, or with a text. */
function isText({ left, right }: Node, parents: readonly Node[]): boolean {
  const value = right as Node
  if (value.type === 'TemplateLiteral') return true
  const name = nameOf(left as Node)
  const begins = (node: Node): boolean =>
    (node.type === 'VariableDeclarator' &&
      nameOf(node.id as Node) === name &&
      typeof (node.init as { value?: unknown } | null)?.value === 'string') ||
    childrenOf(node).some(begins)
  return begins(unitOf(value, parents))
}

/** Both texts are written out, and the second is not much longer. */
function isShortText(node: Node): boolean {
  const [from, to] = (node.arguments as { value?: unknown }[]).map(({ value }) => value)
  return typeof from === 'string' && typeof to === 'string' && to.length <= 8
}

function isStringified(argument: Node | undefined): boolean {
  if (argument?.type === 'LogicalExpression') return isStringified(argument.left as Node)
  const callee = argument?.callee as Node | undefined
  return nameOf((callee?.object as Node) ?? {}) === 'JSON' && nameOf(callee?.property as Node) === 'stringify'
}

function isPromise(node: Node, parents: readonly Node[]): boolean {
  const parent = parents.at(-1)
  if (parent?.type === 'AwaitExpression') return true
  if (parent?.type === 'MemberExpression') return /^(?:then|catch)$/.test(nameOf(parent.property as Node))
  const isResult = parent?.type === 'ReturnStatement' || (parent !== undefined && parent.body === node)
  return isResult && parents.findLast(({ type }) => FUNCTION.test(type))?.async === true
}

function isKey(node: Node, parent: Node | undefined): boolean {
  if (parent?.type === 'Property') return parent.key === node && parent.value !== node
  return FUNCTION.test(parent?.type ?? '') && parent?.id === node
}

function nameOf(node: Node | object): string {
  return 'name' in node ? String(node.name) : ''
}

function childrenOf(node: Node): Node[] {
  return Object.values(node)
    .flat()
    .filter((part): part is Node => typeof part === 'object' && part !== null && 'type' in part)
}

if (import.meta.main) {
  const calls = unboundedCalls(join(import.meta.dirname, '..'))
  const key = ({ file, kind }: Unbounded) => `${file} ${kind}`
  const listed = new Set(
    Object.entries(BOUNDED_CALLS).flatMap(([file, kinds]) =>
      Object.keys(kinds).map((kind) => `${file} ${kind}`),
    ),
  )
  const wrong = calls.filter((call) => !listed.has(key(call)))
  const needed = new Set(calls.map(key))
  const unneeded = [...listed].filter((one) => !needed.has(one))
  for (const { file, line, kind } of wrong)
    console.log(`${file}:${line}: ${kind} without a DecodingBudget: take one as an argument`)
  for (const one of unneeded)
    console.log(`${one}: needs no exception in scripts/bounded-decoding.ts any more`)
  if (wrong.length + unneeded.length > 0) process.exitCode = 1
  else
    console.log(`all calls that expand outside data have a budget, ${calls.length} of them a bound elsewhere`)
}
