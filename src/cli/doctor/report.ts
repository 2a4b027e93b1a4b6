/** The findings as lines: the areas in a column, their texts beside them, what to do below. */
import { type Line, segment, type Tone } from '../../views/line.ts'
import { cleanText, textWidth } from '../../views/text-width.ts'
import { AREAS, type Finding, type Level } from './finding.ts'
import type { DoctorWords } from './words.ts'

const TONES: Record<Level, Tone> = { good: 'good', note: 'dim', warn: 'warn', bad: 'bad' }
const MARKS: Record<Level, string> = { good: '✓', note: '·', warn: '!', bad: '✗' }
const ASCII_MARKS: Record<Level, string> = { good: '+', note: ' ', warn: '!', bad: 'x' }

export interface ReportOptions {
  readonly words: DoctorWords
  readonly width: number
  readonly unicode: boolean
}

export function reportLines(findings: readonly Finding[], { words, width, unicode }: ReportOptions): Line[] {
  const marks = unicode ? MARKS : ASCII_MARKS
  const names = Object.values(words.areas)
  const labelWidth = Math.max(...names.map(textWidth)) + 2
  const indent = 2 + labelWidth
  const lines: Line[] = []
  for (const area of AREAS) {
    findings
      .filter((finding) => finding.area === area)
      .forEach(({ level, text, name, todo }, at) => {
        const label = at === 0 ? words.areas[area] : ''
        const said = name === undefined ? text : `${name}: ${text}`
        const [first = '', ...rest] = wrapped(cleanText(said), Math.max(30, width - indent))
        lines.push([
          segment(`${marks[level]} `, TONES[level]),
          segment(padded(label, labelWidth), 'strong'),
          segment(first, level === 'warn' || level === 'bad' ? TONES[level] : 'plain'),
        ])
        for (const line of rest) lines.push([segment(`${' '.repeat(indent)}${line}`)])
        if (todo !== undefined)
          lines.push([
            segment(`${' '.repeat(indent)}${unicode ? '→' : '->'} `, 'dim'),
            segment(todo, 'active'),
          ])
      })
  }
  return [...lines, [segment('')], [verdict(findings, words)]]
}

function verdict(findings: readonly Finding[], words: DoctorWords) {
  const bad = findings.filter(({ level }) => level === 'bad').length
  if (bad > 0) return segment(words.broken(bad), 'bad')
  const warned = findings.filter(({ level }) => level === 'warn').length
  return warned === 0 ? segment(words.ready, 'good') : segment(words.warned(warned), 'warn')
}

function padded(text: string, cells: number): string {
  return text + ' '.repeat(Math.max(0, cells - textWidth(text)))
}

/** Broken at spaces; a word that is longer than a line stays whole, so that a path can be copied. */
function wrapped(text: string, cells: number): string[] {
  const lines: string[] = []
  for (const paragraph of text.split('\n')) {
    let line = ''
    for (const word of paragraph.split(' ')) {
      if (line !== '' && textWidth(line) + 1 + textWidth(word) > cells) {
        lines.push(line)
        line = word
      } else line = line === '' ? word : `${line} ${word}`
    }
    lines.push(line)
  }
  return lines
}
