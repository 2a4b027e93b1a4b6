/** How the entries of an audit are laid out: number and time in front, short texts beside the heading, others below it, wrapped. */
import { cleanText } from '../protocol/index.ts'
import { type Line, type Segment, segment, type Tone } from './line.ts'
import { textWidth, wrapIndented } from './text-width.ts'

/** An entry before it is laid out: its first line, and the texts below it. */
export interface Drawn {
  head: Segment[]
  /** On the first line if it is short, otherwise below it. */
  text?: string
  tone?: Tone
  below?: Below[]
}

export interface Below {
  label?: string
  text: string
  tone?: Tone
}

export interface AuditLayout {
  /** `stamp`: null where the entry continues the one above it. */
  entry(stamp: { seq: number; ts: string } | null, drawn: Drawn): Line[]
  /** How many cells are left beside those that are used; null if lines are never wrapped. */
  room(used: number): number | null
}

const SEQ_CELLS = 5
const MIN_CELLS = 30
/** Indents what is below an entry's first line. */
const BODY = ' '.repeat(SEQ_CELLS + 3)

/** `width` is in cells. */
export function auditLayout(indent: string, width: number | null): AuditLayout {
  const room = (used: number) => (width === null ? null : Math.max(MIN_CELLS, width - used))

  function entry(
    stamp: { seq: number; ts: string } | null,
    { head, text = '', tone, below = [] }: Drawn,
  ): Line[] {
    const number = stamp === null ? '' : `${String(stamp.seq).padStart(SEQ_CELLS)}  ${stamp.ts.slice(11, 23)}`
    const front: Segment[] = [
      segment(`${indent}│`, 'dim'),
      segment(`${number.padEnd(SEQ_CELLS + 14)}  `, 'dim'),
    ]
    const lines = wrapped(text, room(textWidth([...front, ...head].map((part) => part.text).join(''))))
    const inline = lines.length === 1 ? (lines[0] as string) : ''
    const rest: Below[] =
      inline === '' && text !== '' ? [{ text, ...(tone ? { tone } : {}) }, ...below] : below
    const first = [
      ...front,
      ...head.map((part) => segment(cleanText(part.text).replace(/[\n\t]/g, ' '), part.tone)),
    ]
    if (inline !== '') first.push(segment(inline, tone))
    else first.push(segment(first.pop()?.text.trimEnd() ?? '', head.at(-1)?.tone))
    const labels = Math.max(0, ...rest.map(({ label }) => (label === undefined ? 0 : textWidth(label) + 2)))
    return [first, ...rest.flatMap((part) => under(part, labels))]
  }

  /** The labels of an entry are padded to the widest. */
  function under({ label, text, tone }: Below, labels: number): Line[] {
    const front = `${indent}│${BODY}`
    const name = label === undefined ? '' : label + ' '.repeat(labels - textWidth(label))
    const lines = wrapped(text.trimEnd(), room(textWidth(front) + textWidth(name)))
    return lines.map((line, i) => {
      const margin = i === 0 ? name : ' '.repeat(textWidth(name))
      return [segment(front, 'dim'), ...(name === '' ? [] : [segment(margin, 'dim')]), segment(line, tone)]
    })
  }

  return { entry, room }
}

function wrapped(text: string, cells: number | null): string[] {
  return cleanText(text)
    .replaceAll('\t', '  ')
    .split('\n')
    .flatMap((line) => (cells === null ? [line] : wrapIndented(line, cells)))
}
