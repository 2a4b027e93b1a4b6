/** The findings as lines: areas in the first column, texts in the second, what to do below. */
import { cleanText } from '../../protocol/index.ts'
import { type Line, segment, type Tone } from '../../views/line.ts'
import { textWidth } from '../../views/text-width.ts'
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
  const margin = ' '.repeat(indent)
  const arrow = unicode ? '→' : '->'
  const findingLines = ({ level, text, name, todo }: Finding, label: string): Line[] => {
    const message = name === undefined ? text : `${name}: ${text}`
    const [first = '', ...rest] = wrapped(cleanText(message), Math.max(30, width - indent))
    const head = [
      segment(`${marks[level]} `, TONES[level]),
      segment(padded(label, labelWidth), 'strong'),
      segment(first, level === 'warn' || level === 'bad' ? TONES[level] : 'plain'),
    ]
    const advice = todo === undefined ? [] : [[segment(`${margin}${arrow} `, 'dim'), segment(todo, 'active')]]
    return [head, ...rest.map((line) => [segment(`${margin}${line}`)]), ...advice]
  }
  const lines = AREAS.flatMap((area) =>
    findings
      .filter((finding) => finding.area === area)
      .flatMap((finding, at) => findingLines(finding, at === 0 ? words.areas[area] : '')),
  )
  return [...lines, [segment('')], [conclusion(findings, words)]]
}

function conclusion(findings: readonly Finding[], words: DoctorWords) {
  const bad = findings.filter(({ level }) => level === 'bad').length
  if (bad > 0) return segment(words.broken(bad), 'bad')
  const warned = findings.filter(({ level }) => level === 'warn').length
  return warned === 0 ? segment(words.ready, 'good') : segment(words.warned(warned), 'warn')
}

function padded(text: string, cells: number): string {
  return text + ' '.repeat(Math.max(0, cells - textWidth(text)))
}

/** Breaks at spaces; a word longer than a line stays whole, so that a path can be copied. */
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
