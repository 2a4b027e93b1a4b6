/** A tool asks whether it may: what it would do, whole, with the lines that would come and go in files. */
import { useMemo } from 'react'
import type { Event, Question } from 'thinkon/protocol'
import { createKnownFiles, fileChanges } from 'thinkon/views'
import { DiffView } from '../../parts/diff-view.tsx'
import { LongText } from '../../parts/long-text.tsx'
import { useWords } from '../../preferences.ts'
import { HANDS_WORDS } from './words.ts'

interface Props {
  question: Question
  events: readonly Event[]
}

export function Permission({ question, events }: Props) {
  const words = useWords(HANDS_WORDS)
  const { tool = '', input } = question.permission ?? {}
  // What the run knows of files changes with its events; this question is about what it knew when it asked.
  const changes = useMemo(() => {
    const known = createKnownFiles()
    for (const event of events) known.follow(event)
    return fileChanges(tool, input, known.textOf)
  }, [events, tool, input])
  const [head = '', ...rest] = question.text.split('\n')
  if (changes.length === 0)
    return (
      <>
        <LongText text={question.text} />
        <details className="question-whole">
          <summary>{words.whole}</summary>
          <LongText text={JSON.stringify(input, null, 2) ?? ''} />
        </details>
      </>
    )
  // The lines that begin with two spaces show the call, shortened: the change is shown instead.
  const notes = rest.filter((line) => !line.startsWith('  '))
  return (
    <>
      <p className="text question-head">{head}</p>
      <DiffView changes={changes} />
      <p className="text dim">{notes.join('\n')}</p>
    </>
  )
}
