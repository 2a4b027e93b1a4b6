import { useState } from 'react'
import type { RunDesk } from '../data/source.ts'
import { Button } from '../parts/button.tsx'
import { Dialog } from '../parts/dialog.tsx'
import { Notice } from '../parts/notice.tsx'
import { useWords } from '../preferences.ts'
import { deleteRuns } from './desk-work.ts'
import { RUNS_WORDS } from './words.ts'

interface Props {
  desk: RunDesk
  runs: readonly string[]
  onDeleted(runs: readonly string[]): void
  onClose(): void
}

/** Asks first: what is deleted can't be brought back. */
export function DeleteDialog({ desk, runs, onDeleted, onClose }: Props) {
  const words = useWords(RUNS_WORDS)
  const [problems, setProblems] = useState<readonly string[]>([])
  const [isDeleting, setDeleting] = useState(false)
  const remove = async () => {
    setDeleting(true)
    const done = await deleteRuns(desk, runs, words.atWork)
    onDeleted(done.runs)
    setProblems(done.problems)
    setDeleting(false)
    if (done.problems.length === 0) onClose()
  }
  return (
    <Dialog title={words.deleteTitle(runs.length)} onClose={onClose}>
      <p>{words.deleteText}</p>
      <ul className="delete-list mono dim">
        {runs.map((run) => (
          <li key={run} className="one-line">
            {run}
          </li>
        ))}
      </ul>
      {problems.map((problem) => (
        <Notice key={problem} tone="bad">
          <span className="text">{problem}</span>
        </Notice>
      ))}
      <footer className="start-foot">
        <Button onClick={onClose}>{words.keep}</Button>
        <Button look="danger" icon="trash" isOff={isDeleting} onClick={remove}>
          {words.delete}
        </Button>
      </footer>
    </Dialog>
  )
}
