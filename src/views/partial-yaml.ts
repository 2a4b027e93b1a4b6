/** The texts of a YAML mapping's own fields, line by line; of block texts (`key: |`) also the line that is being written. */
import type { FieldSink, FormReader } from './field-sink.ts'

/** The text that lines belong to; `indent` is known from its first line on, `pending` comes before the next. */
interface BlockText {
  indent: number | null
  readonly between: string
  pending: string
}

export function partialYaml(wanted: ReadonlySet<string>, sink: FieldSink): FormReader {
  let line = ''
  /** How much of the line was passed on. */
  let passedOn = 0
  let over = false
  let block: BlockText | null = null

  /** A line of a block, perhaps not whole yet. False if the block has ended before it. */
  function blockLine(isWhole: boolean): boolean {
    if (block === null) return false
    const indent = line.search(/\S/)
    if (indent > 0) blockText(block, indent, isWhole)
    else if (indent === 0) {
      block = null
      sink.end()
    } else if (isWhole) block.pending = `${'\n'.repeat(newlines(block.pending) + 1)}`
    return block !== null
  }

  function blockText(into: BlockText, indent: number, isWhole: boolean): void {
    into.indent ??= indent
    const text = line.slice(into.indent)
    if (passedOn === 0 && into.pending !== '') sink.text(into.pending)
    if (text.length > passedOn) sink.text(text.slice(passedOn))
    passedOn = text.length
    into.pending = isWhole ? into.between : ''
  }

  function endLine(): void {
    if (blockLine(true)) return
    if (line.startsWith('```') || line === '...') over = true
    const [, key = '', given = ''] = /^([A-Za-z_][\w-]*):(?:[ \t](.*))?$/.exec(line) ?? []
    if (!wanted.has(key)) return
    const value = given.trim()
    if (/^[|>][-+\d]*$/.test(value)) {
      block = { indent: null, between: value.startsWith('>') ? ' ' : '\n', pending: '' }
      sink.begin(key)
    } else if (value !== '') {
      sink.begin(key)
      sink.text(unquoted(value))
      sink.end()
    }
  }

  return (piece) => {
    const [first = '', ...rest] = piece.split('\n')
    line += first
    for (const next of rest) {
      if (over) return
      line = line.replace(/\r$/, '')
      endLine()
      line = next
      passedOn = 0
    }
    if (!over && line !== '' && block !== null) blockLine(false)
  }
}

function newlines(text: string): number {
  return text.split('\n').length - 1
}

function unquoted(value: string): string {
  if (/^'.*'$/.test(value)) return value.slice(1, -1).replaceAll("''", "'")
  if (!/^".*"$/.test(value)) return value
  try {
    return String(JSON.parse(value))
  } catch {
    return value.slice(1, -1)
  }
}
