/** A run that stands still, why, and how it goes on. */
import type { RunState } from 'thinkon/protocol'
import type { Hands } from '../../data/run-hands.ts'
import { Button } from '../../parts/button.tsx'
import { useCommands } from '../../parts/commands.ts'
import { Notice } from '../../parts/notice.tsx'
import { useWords } from '../../preferences.ts'
import { useSend } from './use-send.ts'
import { HANDS_WORDS } from './words.ts'

interface Props {
  run: string
  state: RunState
  hands: Hands
}

export function ResumeNotice({ run, state: { outages }, hands }: Props) {
  const words = useWords(HANDS_WORDS)
  const { isBusy, problem, send } = useSend()
  const resume = () => void send(() => hands.resume(run))
  useCommands([{ id: 'run-resume', name: words.resume, key: 'R', run: resume }])
  const [outage] = outages
  return (
    <Notice tone="warn">
      <span className="text">
        {outage === undefined ? words.stopped : words.outage(outage.model, outage.message)}
      </span>
      <Button icon="play" isOff={isBusy} onClick={resume} aria-keyshortcuts="Shift+R">
        {words.resume}
      </Button>
      {problem !== null && <span role="alert">{problem}</span>}
    </Notice>
  )
}
