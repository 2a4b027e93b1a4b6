/** What can be done with the runs that are chosen in the list. */
import { Button } from '../parts/button.tsx'
import { useWords } from '../preferences.ts'
import { goTo } from '../routing.ts'
import type { RowActions } from './run-table.tsx'
import { RUNS_WORDS } from './words.ts'

interface Props {
  runs: readonly string[]
  actions: RowActions | null
  onClear(): void
}

export function ChosenBar({ runs, actions, onClear }: Props) {
  const words = useWords(RUNS_WORDS)
  const [first = ''] = runs
  return (
    <section className="chosen-bar" aria-label={words.chosen(runs.length)}>
      <span className="numbers">{words.chosen(runs.length)}</span>
      <Button look="main" icon="compare" onClick={() => goTo(['compare'], { runs: runs.join(',') })}>
        {words.compare}
      </Button>
      {runs.length === 2 && (
        <Button icon="sides" onClick={() => goTo(['compare', ...runs])}>
          {words.sideBySide}
        </Button>
      )}
      {actions && (
        <>
          {runs.length === 1 && (
            <Button icon="redo" onClick={() => actions.again(first)}>
              {words.again}
            </Button>
          )}
          <Button icon="download" onClick={() => actions.export(runs)}>
            {words.export}
          </Button>
          <Button icon="page" onClick={() => actions.savePages(runs)}>
            {words.savePage}
          </Button>
          <Button look="danger" icon="trash" onClick={() => actions.delete(runs)}>
            {words.delete}
          </Button>
        </>
      )}
      <Button look="quiet" icon="close" aria-label={words.clear} onClick={onClear} />
    </section>
  )
}
