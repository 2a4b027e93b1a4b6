/** What can be done to a block, where it makes sense: one that is open can be told something, one that has ended can be done again. */
import { useState } from 'react'
import type { BlockState, RunState } from 'thinkon/protocol'
import type { Hands } from '../../data/run-hands.ts'
import { Button } from '../../parts/button.tsx'
import { useCommands } from '../../parts/commands.ts'
import { useWords } from '../../preferences.ts'
import { type Act, ActDialog } from './act-dialog.tsx'
import { HANDS_WORDS } from './words.ts'

interface Props {
  run: string
  state: RunState
  block: BlockState
  hands: Hands
}

const ACTS = [
  { act: 'message', icon: 'message', key: 'm' },
  { act: 'skip', icon: 'skip', key: 's' },
  { act: 'redo', icon: 'redo', key: 'r' },
] as const

export function BlockActions({ run, state, block, hands }: Props) {
  const words = useWords(HANDS_WORDS)
  const [asked, setAsked] = useState<Act | null>(null)
  const isOpen = block.outcome === null && state.outcome === null
  const possible = ACTS.filter(({ act }) => (act === 'redo' ? true : isOpen))
  const what = words.block(block.path)
  useCommands(
    possible.map(({ act, key }) => ({
      id: `block-${act}`,
      name: `${words[act]}: ${what}`,
      key,
      run: () => setAsked(act),
    })),
  )
  return (
    <>
      {possible.map(({ act, icon, key }) => (
        <Button
          key={act}
          look="quiet"
          icon={icon}
          aria-label={words[act]}
          aria-keyshortcuts={key}
          onClick={() => setAsked(act)}
        />
      ))}
      {asked !== null && (
        <ActDialog
          act={asked}
          run={run}
          path={block.path}
          what={what}
          hands={hands}
          onClose={() => setAsked(null)}
        />
      )}
    </>
  )
}
