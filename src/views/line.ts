/** What views are made of: lines of text segments with a tone, which a terminal, a picture and a web page can each colour. */
import { checkView } from './entrances.ts'

export type Tone = 'plain' | 'strong' | 'dim' | 'good' | 'bad' | 'warn' | 'active' | 'ask'

export interface Segment {
  readonly text: string
  readonly tone: Tone
}

export type Line = readonly Segment[]

export function segment(text: string, tone: Tone = 'plain'): Segment {
  return { text, tone }
}

/** The lines without their tones, for pipes, files and prompts. */
export function plainText(lines: readonly Line[]): string {
  checkView('plainText', [lines])
  return lines.map((line) => line.map(({ text }) => text).join('')).join('\n')
}
