/** What can be done to a run as a whole: told something, cancelled, resumed. */
import { useEffect, useState } from 'react'
import { ROOT_PATH, type RunState } from 'thinkon/protocol'
import type { Hands } from '../../data/run-hands.ts'
import type { Connection } from '../../data/run-log.ts'
import { Button } from '../../parts/button.tsx'
import { useCommands } from '../../parts/commands.ts'
import { useWords } from '../../preferences.ts'
import { type Act, ActDialog } from './act-dialog.tsx'
import { HANDS_WORDS } from './words.ts'

interface Props {
  run: string
  state: RunState
  hands: Hands
}

export function RunActions({ run, state, hands }: Props) {
  const words = useWords(HANDS_WORDS)
  const [asked, setAsked] = useState<Act | null>(null)
  const isOpen = state.outcome === null
  useCommands(
    isOpen
      ? [
          {
            id: 'run-message',
            name: `${words.message}: ${words.theRun}`,
            key: 'M',
            run: () => setAsked('message'),
          },
          {
            id: 'run-cancel',
            name: `${words.cancel}: ${words.theRun}`,
            key: 'X',
            run: () => setAsked('cancel'),
          },
        ]
      : [],
  )
  if (!isOpen) return null
  return (
    <span className="run-actions">
      <Button icon="message" onClick={() => setAsked('message')} aria-keyshortcuts="Shift+M">
        {words.message}
      </Button>
      <Button look="danger" icon="stop" onClick={() => setAsked('cancel')} aria-keyshortcuts="Shift+X">
        {words.cancel}
      </Button>
      {asked !== null && (
        <ActDialog
          act={asked}
          run={run}
          path={ROOT_PATH}
          what={words.theRun}
          hands={hands}
          onClose={() => setAsked(null)}
        />
      )}
    </span>
  )
}

/** A run that stands still is looked at so often. */
const LOOK_MS = 5_000

/** Whether nobody works on a run that has not ended. */
export function useHasStopped(
  hands: Hands | null,
  run: string,
  { seq, outcome }: RunState,
  connection: Connection,
): boolean {
  const [stoppedAt, setStoppedAt] = useState<number | null>(null)
  const isOpen = hands !== null && outcome === null && connection === 'live'
  useEffect(() => {
    if (!isOpen) return
    const look = () =>
      hands.hasStopped(run).then(
        (hasStopped) => setStoppedAt(hasStopped ? seq : null),
        () => setStoppedAt(null),
      )
    // Events come from somebody who works on it.
    const soon = setTimeout(look, 400)
    const often = setInterval(look, LOOK_MS)
    return () => {
      clearTimeout(soon)
      clearInterval(often)
    }
  }, [hands, run, seq, isOpen])
  return isOpen && stoppedAt === seq
}
