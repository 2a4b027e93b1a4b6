/** A value of a JSON Schema, field by field. */
import { isObject } from '../../protocol/index.ts'
import {
  type JsonSchema,
  readLeaf,
  type SchemaBranch,
  type SchemaField,
  schemaNode,
} from '../../views/schema-nodes.ts'
import { cleanLine } from '../../views/text-width.ts'
import type { Lang } from '../../views/words.ts'
import { PERSON_WORDS } from './words.ts'

/** Where a person is asked. */
export interface Asker {
  /** The line that was typed. Throws `Back` for a line that goes back, and `Left` when nobody answers here any more. */
  line(prompt: string): Promise<string>
  say(text: string): void
}

export class Back extends Error {}
export class Left extends Error {}

/** Undefined where it is left out. */
export function fillForm(schema: JsonSchema, name: string, asker: Asker, lang: Lang): Promise<unknown> {
  return new Form(schema, asker, lang).value(schema, name, true)
}

class Form {
  private readonly root: JsonSchema
  private readonly asker: Asker
  private readonly words: (typeof PERSON_WORDS)[Lang]

  constructor(root: JsonSchema, asker: Asker, lang: Lang) {
    this.root = root
    this.asker = asker
    this.words = PERSON_WORDS[lang]
  }

  async value(schema: JsonSchema, name: string, isRequired: boolean): Promise<unknown> {
    const node = schemaNode(schema, this.root)
    if (node.about !== '') this.asker.say(`  ${cleanLine(node.about)}`)
    switch (node.kind) {
      case 'fixed':
        return node.value
      case 'object':
        return this.fields(node.fields, name, isRequired)
      case 'list':
        return this.items(node, name, isRequired)
      case 'choice':
        return this.choice(`${name}:`, node.choices, node.choices.map(shown), isRequired)
      case 'boolean':
        return this.choice(`${name}:`, [true, false], ['true', 'false'], isRequired)
      case 'union':
        return this.branch(name, node.branches, isRequired)
      default:
        return this.leaf(schema, name, isRequired ? null : this.words.leaveOut)
    }
  }

  private async choice(
    question: string,
    values: readonly unknown[],
    names: readonly string[],
    isRequired: boolean,
  ): Promise<unknown> {
    const { words, asker } = this
    const at = await pick(asker, question, names, words, isRequired ? null : words.leaveOut)
    return at === null ? undefined : values[at]
  }

  private async branch(
    name: string,
    branches: readonly SchemaBranch[],
    isRequired: boolean,
  ): Promise<unknown> {
    const names = branches.map((branch) => branch.name)
    const chosen = await this.choice(`${name} ${this.words.which}`.trim(), branches, names, isRequired)
    return chosen === undefined ? undefined : this.value((chosen as SchemaBranch).schema, name, true)
  }

  private async fields(
    fields: readonly SchemaField[],
    name: string,
    isRequired: boolean,
  ): Promise<Record<string, unknown> | undefined> {
    if (!isRequired && !(await yes(this.asker, this.words.fillIn(name), this.words))) return undefined
    const value: Record<string, unknown> = {}
    for (const field of fields) {
      const place = name === '' ? field.name : `${name}.${field.name}`
      const own = await this.value(field.schema, place, field.isRequired)
      if (own !== undefined) Object.defineProperty(value, field.name, { value: own, ...OWN })
    }
    return value
  }

  private async items(
    { item, least, most }: { item: JsonSchema; least: number; most: number },
    name: string,
    isRequired: boolean,
  ): Promise<unknown[] | undefined> {
    const items: unknown[] = []
    const { kind } = schemaNode(item, this.root)
    const isLeaf = kind === 'text' || kind === 'number' || kind === 'json'
    while (items.length < most) {
      const place = `${name}[${items.length + 1}]`
      const isNeeded = items.length < least
      if (!isLeaf && !isNeeded && !(await yes(this.asker, this.words.another(name), this.words))) break
      const own = isLeaf
        ? await this.leaf(item, place, isNeeded ? null : this.words.ends)
        : await this.value(item, place, true)
      if (own === undefined) break
      items.push(own)
    }
    return items.length === 0 && !isRequired ? undefined : items
  }

  /** `empty`: what an empty line means; null where it is a value like any other. */
  private async leaf(schema: JsonSchema, name: string, empty: string | null): Promise<unknown> {
    const node = schemaNode(schema, this.root)
    const { words, asker } = this
    const kind =
      node.kind === 'number'
        ? node.isWhole
          ? words.kinds.whole
          : words.kinds.number
        : words.kinds[kindOf(node.kind)]
    for (;;) {
      const typed = await longLine(
        asker,
        `${name} (${[kind, ...(empty === null ? [] : [empty])].join(', ')})`,
      )
      if (typed === '' && empty !== null) return undefined
      const read = readLeaf(node, typed)
      if ('value' in read) return read.value
      asker.say(`  ${words.problems[read.problem]}`)
    }
  }
}

const OWN = { enumerable: true, writable: true, configurable: true } as const

function kindOf(kind: string): 'text' | 'json' {
  return kind === 'text' ? 'text' : 'json'
}

/** A line that ends with a backslash goes on in the next one. */
async function longLine(asker: Asker, prompt: string): Promise<string> {
  const lines: string[] = []
  for (;;) {
    const line = await asker.line(lines.length === 0 ? `${prompt} ›` : '  ›')
    if (!line.endsWith('\\')) return [...lines, line].join('\n')
    lines.push(line.slice(0, -1))
  }
}

type Words = (typeof PERSON_WORDS)[Lang]

/** The place of what was chosen by number or by name; null for an empty line, where that means something. */
export async function pick(
  asker: Asker,
  question: string,
  names: readonly string[],
  words: Words,
  empty: string | null,
): Promise<number | null> {
  for (const [i, name] of names.entries()) asker.say(`  ${i + 1} ${cleanLine(name, 100)}`)
  for (;;) {
    const typed = (await asker.line(`${question}${empty === null ? '' : ` (${empty})`} ›`)).trim()
    if (typed === '' && empty !== null) return null
    const at = /^\d+$/.test(typed) ? Number(typed) - 1 : names.indexOf(typed)
    if (names[at] !== undefined) return at
    asker.say(`  ${words.problems.noChoice}`)
  }
}

export async function yes(asker: Asker, question: string, words: Words): Promise<boolean> {
  for (;;) {
    const typed = (await asker.line(question)).trim()
    if (typed === '' || /^(?:n|no|否)$/i.test(typed)) return false
    if (/^(?:y|yes|是)$/i.test(typed)) return true
    asker.say(`  ${words.problems.noYesNo}`)
  }
}

function shown(value: unknown): string {
  return typeof value === 'string' ? value : isObject(value) ? JSON.stringify(value) : String(value)
}
