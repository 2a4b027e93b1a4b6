import { useState } from 'react'
import { useSource } from '../data/source.ts'
import { Button } from '../parts/button.tsx'
import { useCommands } from '../parts/commands.ts'
import { useWords } from '../preferences.ts'
import { savePages } from './desk-work.ts'
import { RUNS_WORDS } from './words.ts'

/** Of one run: saves it as one HTML file, to be shown to somebody who has no service. */
export function SavePageButton({ run }: { run: string }) {
  const words = useWords(RUNS_WORDS)
  const { desk } = useSource()
  const [problems, setProblems] = useState<readonly string[]>([])
  const save = async () => {
    if (desk !== null) setProblems((await savePages(desk, [run])).problems)
  }
  useCommands(desk ? [{ id: 'save-page', name: words.savePage, run: () => void save() }] : [])
  return (
    desk && (
      <>
        <Button look="quiet" icon="page" aria-label={words.savePage} onClick={() => void save()} />
        {problems.length > 0 && (
          <span className="field-problem" role="alert">
            {problems.join(' ')}
          </span>
        )}
      </>
    )
  )
}
