/** A tool asks whether it may: what it would do, whole, with the lines that would come and go in files. */
import { useEffect, useMemo, useState } from 'react'
import type { PendingQuestion } from 'thinkon/protocol'
import { createKnownFiles, type FileChange, fileChanges } from 'thinkon/views'
import type { Hands } from '../../data/run-hands.ts'
import type { RunLog } from '../../data/run-log.ts'
import { DiffView } from '../../parts/diff-view.tsx'
import { LongText } from '../../parts/long-text.tsx'
import { useWords } from '../../preferences.ts'
import { eventsUntil } from './waiting.ts'
import { HANDS_WORDS } from './words.ts'

interface Props {
  log: RunLog
  question: PendingQuestion
  /** Null where it can only be looked at. */
  hands: Hands | null
}

export function Permission({ log, question, hands }: Props) {
  const words = useWords(HANDS_WORDS)
  const { input } = question.permission ?? {}
  const changes = useChanges({ log, question, hands })
  const [head = '', ...rest] = question.text.split('\n')
  // What is allowed for good is not folded.
  const isWhole = question.choices?.includes('always') === true
  const all = (
    <details className="question-whole">
      <summary>{words.whole}</summary>
      <LongText text={JSON.stringify(input, null, 2) ?? ''} />
    </details>
  )
  if (changes.length === 0)
    return (
      <>
        <LongText text={question.text} isWhole={isWhole} />
        {all}
      </>
    )
  // The lines that begin with two spaces show the call, shortened: the change is shown instead.
  const notes = rest.filter((line) => !line.startsWith('  '))
  return (
    <>
      <p className="text question-head">{head}</p>
      <DiffView changes={changes} isWhole={isWhole} />
      <p className="text dim">{notes.join('\n')}</p>
      {!isWhole && all}
    </>
  )
}

/** Against what the files hold now, as soon as that is known; before that, and in the past, against what the run knew of them. */
function useChanges({ log: { run, events }, question, hands }: Props): readonly FileChange[] {
  const { id, permission: { tool = '', input } = {} } = question
  const [real, setReal] = useState<readonly FileChange[] | null>(null)
  // biome-ignore lint/correctness/useExhaustiveDependencies: the id says which question it is.
  const told = useMemo(() => {
    const known = createKnownFiles()
    for (const event of eventsUntil(events, question)) known.follow(event)
    return fileChanges(tool, input, known.textOf)
  }, [events, id])
  const hasFiles = told.length > 0
  useEffect(() => {
    setReal(null)
    if (hands === null || !hasFiles) return
    let isGone = false
    // A service that can't say is no reason not to decide: what the run knew is shown.
    hands.changes(run, id).then(
      (changes) => void (isGone || setReal(changes)),
      () => {},
    )
    return () => {
      isGone = true
    }
  }, [hands, hasFiles, run, id])
  return real ?? told
}
