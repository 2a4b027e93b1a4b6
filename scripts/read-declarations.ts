// Reads declaration files as the compiler writes them: each statement begins at the start of a line, comments stand on lines of their own.

import { existsSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'

export interface Declaration {
  readonly file: string
  readonly name: string
  /** All of its overloads. */
  text: string
}

interface Reference {
  readonly file: string
  readonly name: string
}

interface Module {
  readonly declared: Map<string, Declaration>
  /** By the name in this file. */
  readonly imported: Map<string, Reference>
  /** By the name outside. Without a file: declared or imported here. */
  readonly exported: Map<string, Reference>
}

export class Declarations {
  private readonly modules = new Map<string, Module>()

  exportsOf(file: string): Map<string, Declaration> {
    const found = new Map<string, Declaration>()
    for (const name of this.module(file).exported.keys()) {
      const declaration = this.find(file, name)
      if (declaration === null) throw new Error(`${file} exports ${name}, which is declared nowhere`)
      found.set(name, declaration)
    }
    return found
  }

  /** What these are made of, and what that is made of, and so on, without these. */
  reached(from: readonly Declaration[]): Declaration[] {
    const all = new Set(from)
    for (const { file, text } of all) {
      for (const [name] of text.matchAll(/\b[A-Za-z_$][\w$]*\b/g)) this.add(this.find(file, name), all)
      for (const [, to = '', name = ''] of text.matchAll(/import\(["'](\.[^"']+)["']\)\.(\w+)/g))
        this.add(this.find(fileOf(file, to), name), all)
    }
    return [...all].slice(from.length)
  }

  private add(declaration: Declaration | null, to: Set<Declaration>): void {
    if (declaration !== null) to.add(declaration)
  }

  /** What a name stands for in a file, or outside of it. */
  private find(file: string, name: string): Declaration | null {
    const { declared, imported, exported } = this.module(file)
    const own = declared.get(name)
    if (own !== undefined) return own
    const reference = imported.get(name) ?? exported.get(name)
    if (reference === undefined || (reference.file === file && reference.name === name)) return null
    return this.find(reference.file, reference.name)
  }

  private module(file: string): Module {
    const known = this.modules.get(file)
    if (known !== undefined) return known
    const module: Module = { declared: new Map(), imported: new Map(), exported: new Map() }
    this.modules.set(file, module)
    if (existsSync(file))
      for (const statement of statementsOf(readFileSync(file, 'utf8'))) read(statement, file, module)
    return module
  }
}

function statementsOf(text: string): string[] {
  const bare = text.replace(/^[ \t]*\/\*\*?(?:[^*]|\*(?!\/))*\*\/[ \t]*\n/gm, '').replace(/^\/\/.*\n?/gm, '')
  return bare
    .split(/^(?=(?:export|import|declare|interface|type|abstract)\b)/m)
    .map((statement) => statement.trim())
    .filter((statement) => statement !== '')
}

const NAMES = /^(import|export)(?: type)?\s*\{([^}]*)\}(?:\s*from\s*["']([^"']+)["'])?/
const DECLARED =
  /^(export )?(?:declare )?(?:abstract )?(?:interface|type|class|function|const|let|enum|namespace)\s+([\w$]+)/

function read(statement: string, file: string, module: Module): void {
  const names = NAMES.exec(statement)
  if (names !== null) {
    readNames(names, file, module)
    return
  }
  const declared = DECLARED.exec(statement)
  if (declared === null) {
    // What is added to another file's interface has a name of its own here.
    if (/^(?:import|declare module)\b/.test(statement)) return
    throw new Error(`${file}: can't read ${statement.slice(0, 200)}`)
  }
  const [, isExported, name = ''] = declared
  const text = statement
    .replace(/^export /, '')
    .replace(/^declare /, '')
    .replace(/^ {4,}/gm, halved)
  const before = module.declared.get(name)
  if (before === undefined) module.declared.set(name, { file, name, text })
  else before.text += `\n${text}`
  if (isExported) module.exported.set(name, { file, name })
}

const halved = (spaces: string) => ' '.repeat(spaces.length / 2)

function readNames([, kind, list = '', from]: RegExpExecArray, file: string, module: Module): void {
  if (from !== undefined && !from.startsWith('.')) return
  for (const entry of list.split(',')) {
    const [name = '', as = name] = entry
      .trim()
      .replace(/^type /, '')
      .split(' as ')
    if (name === '') continue
    const target = { file: from === undefined ? file : fileOf(file, from), name }
    if (kind === 'import') module.imported.set(as, target)
    else module.exported.set(as, target)
  }
}

function fileOf(from: string, specifier: string): string {
  return join(dirname(from), specifier.replace(/\.[jt]s$/, '.d.ts'))
}
