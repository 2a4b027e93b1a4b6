/** What becomes of files, line by line. The marks say it without colours, too. */

import { useState } from 'react'
import type { DiffLine, FileChange } from 'thinkon/views'
import { useWords } from '../preferences.ts'
import { Button } from './button.tsx'
import { useFolded } from './long-text.tsx'

const WORDS = {
  en: {
    same: (n: string) => `${n} unchanged lines`,
    blind: 'The whole file is written. What it held before, if it was there, is not known here.',
    lines: (n: number) => (n === 1 ? '1 line' : `${n} lines`),
    more: (n: number) => `Show ${n} more lines`,
    counts: (added: number, removed: number) => `${added} added, ${removed} removed`,
  },
  zh: {
    same: (n: string) => `${n} 行未变`,
    blind: '写入整个文件；此处不知道它之前的内容（如果存在）。',
    lines: (n: number) => `${n} 行`,
    more: (n: number) => `再显示 ${n} 行`,
    counts: (added: number, removed: number) => `新增 ${added} 行，删除 ${removed} 行`,
  },
}

const MARKS = { same: ' ', added: '+', removed: '−', skipped: '⋯' } as const
const SHOWN_LINES = 200

interface Props {
  changes: readonly FileChange[]
  /** No line and no name is folded. */
  isWhole?: boolean
}

export function DiffView({ changes, isWhole = false }: Props) {
  return (
    <div className="diffs">
      {changes.map((change, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the changes of a call never change.
        <FileDiff key={at} change={change} isWhole={isWhole} />
      ))}
    </div>
  )
}

function FileDiff({ change: { path, lines, isBlind }, isWhole }: { change: FileChange; isWhole: boolean }) {
  const words = useWords(WORDS)
  const [most, setMost] = useState(SHOWN_LINES)
  const count = (kind: DiffLine['kind']) => lines.filter((line) => line.kind === kind).length
  const [added, removed] = [count('added'), count('removed')]
  return (
    <figure className="diff">
      <figcaption className="diff-head">
        <span className={isWhole ? 'mono text' : 'mono text one-line'}>{path}</span>
        {isBlind ? (
          <span className="dim numbers">{words.lines(lines.length)}</span>
        ) : (
          <span className="numbers" title={words.counts(added, removed)}>
            <span className="tone-good">+{added}</span> <span className="tone-bad">−{removed}</span>
          </span>
        )}
      </figcaption>
      {isBlind && <p className="diff-note">{words.blind}</p>}
      <section className="diff-lines mono" tabIndex={0} aria-label={path}>
        {lines.slice(0, isWhole ? lines.length : most).map((line, at) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: as above.
          <Line key={at} line={isBlind ? { ...line, kind: 'same' } : line} isWhole={isWhole} />
        ))}
      </section>
      {!isWhole && lines.length > most && (
        <Button look="quiet" onClick={() => setMost(lines.length)}>
          {words.more(lines.length - most)}
        </Button>
      )}
    </figure>
  )
}

function Line({ line: { kind, text }, isWhole }: { line: DiffLine; isWhole: boolean }) {
  const words = useWords(WORDS)
  const { shown, more } = useFolded(text, isWhole ? text.length : undefined)
  return (
    <div className={`diff-line diff-${kind}`}>
      <span className="diff-mark">{MARKS[kind]}</span>
      <span className="text">{kind === 'skipped' && text !== '' ? words.same(text) : shown}</span>
      {more}
    </div>
  )
}
