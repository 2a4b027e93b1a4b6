/** A run that stands still, why, and how it goes on. */
import type { RunState } from 'thinkon/protocol'
import type { Hands } from '../../data/run-hands.ts'
import { Button } from '../../parts/button.tsx'
import { useCommands } from '../../parts/commands.ts'
import { Notice } from '../../parts/notice.tsx'
import { useWords } from '../../preferences.ts'
import { TrustNotice } from './trust-notice.tsx'
import { useSend } from './use-send.ts'
import { HANDS_WORDS } from './words.ts'

interface Props {
  run: string
  state: RunState
  hands: Hands
}

export function ResumeNotice({ run, state: { outages }, hands }: Props) {
  const words = useWords(HANDS_WORDS)
  const sending = useSend()
  const { isBusy, problem, send, untrusted } = sending
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
      {untrusted !== null ? (
        <TrustNotice hands={hands} sending={sending} untrusted={untrusted} />
      ) : (
        problem !== null && <span role="alert">{problem}</span>
      )}
    </Notice>
  )
}
