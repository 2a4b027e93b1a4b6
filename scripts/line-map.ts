// A source map that knows lines and no columns: traces and breakpoints are right to the line, and the map's own part, besides the
// sources, is an eighth of what the compiler writes.

const DIGITS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/'
/** The last of its digits has this bit unset; the lowest bit of the number is its sign. */
const GOES_ON = 32

/** Keeps the first mapping of every line, and those that lead to another line of the source than the one before. */
export function lineMappings(mappings: string): string {
  // Numbers are written as differences: to the start of the generated line, and for the rest to the mapping before, whatever its line.
  const read = { source: 0, line: 0, column: 0 }
  const written = { ...read }
  return mappings
    .split(';')
    .map((line) => {
      const kept: string[] = []
      let [at, writtenAt] = [0, 0]
      for (const mapping of line.split(',')) {
        const [columnHere, source, sourceLine, column] = numbers(mapping)
        at += columnHere ?? 0
        if (source === undefined || sourceLine === undefined || column === undefined) continue
        read.source += source
        read.line += sourceLine
        read.column += column
        if (kept.length > 0 && read.line === written.line && read.source === written.source) continue
        kept.push(
          [
            at - writtenAt,
            read.source - written.source,
            read.line - written.line,
            read.column - written.column,
          ]
            .map(digits)
            .join(''),
        )
        writtenAt = at
        Object.assign(written, read)
      }
      return kept.join(',')
    })
    .join(';')
}

function numbers(mapping: string): number[] {
  const found: number[] = []
  let [value, shift] = [0, 0]
  for (const character of mapping) {
    const digit = DIGITS.indexOf(character)
    value |= (digit & (GOES_ON - 1)) << shift
    shift += 5
    if (digit & GOES_ON) continue
    found.push(value & 1 ? -(value >> 1) : value >> 1)
    value = shift = 0
  }
  return found
}

function digits(number: number): string {
  let rest = number < 0 ? (-number << 1) | 1 : number << 1
  let text = ''
  do {
    const digit = rest & (GOES_ON - 1)
    rest >>= 5
    text += DIGITS[rest > 0 ? digit | GOES_ON : digit]
  } while (rest > 0)
  return text
}
