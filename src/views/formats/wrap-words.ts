import { fitText, textWidth, wrapText } from '../text-width.ts'

/** At most so many lines of so many cells, broken between words; Chinese and long words anywhere. */
export function wrapWords(text: string, cells: number, most: number): string[] {
  const lines: string[] = []
  let line = ''
  for (const word of text.trim().split(/\s+/)) {
    const longer = line === '' ? word : `${line} ${word}`
    if (textWidth(longer) <= cells) {
      line = longer
      continue
    }
    if (line !== '' && textWidth(word) <= cells) {
      lines.push(line)
      line = word
    } else {
      const pieces = wrapText(longer, cells)
      line = pieces.pop() ?? ''
      lines.push(...pieces)
    }
    if (lines.length > most) break
  }
  lines.push(line)
  if (lines.length <= most) return lines
  return [...lines.slice(0, most - 1), fitText(`${lines.slice(most - 1).join(' ')}…`, cells)]
}
