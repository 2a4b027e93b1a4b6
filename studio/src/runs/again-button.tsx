import { useSource } from '../data/source.ts'
import { Button } from '../parts/button.tsx'
import { useCommands } from '../parts/commands.ts'
import { useWords } from '../preferences.ts'
import { goTo } from '../routing.ts'
import { RUNS_WORDS } from './words.ts'

/** Of one run: opens the window for a new one, filled in as this one was started. */
export function AgainButton({ run }: { run: string }) {
  const words = useWords(RUNS_WORDS)
  const { desk } = useSource()
  const again = () => goTo(['runs'], { again: run })
  useCommands(desk ? [{ id: 'again', name: words.again, run: again }] : [])
  return desk && <Button look="quiet" icon="redo" aria-label={words.again} onClick={again} />
}
