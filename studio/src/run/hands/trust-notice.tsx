/** For a run that was not started here: the model, folder and rules in its journal, and the button that trusts it. */
import type { Hands } from '../../data/run-hands.ts'
import { Button } from '../../parts/button.tsx'
import { Notice } from '../../parts/notice.tsx'
import { useWords } from '../../preferences.ts'
import type { Sending, Untrusted } from './use-send.ts'
import { HANDS_WORDS } from './words.ts'

interface Props {
  hands: Hands
  sending: Sending
  untrusted: Untrusted
  onDone?(): void
}

export function TrustNotice({ hands, sending, untrusted: { run, does, work }, onDone }: Props) {
  const words = useWords(HANDS_WORDS)
  const trust = async () => {
    const isDone = await sending.send(async () => {
      await hands.trust(run)
      await work()
    })
    if (isDone) onDone?.()
  }
  return (
    <Notice tone="warn">
      <div className="trust">
        <p>{words.untrusted}</p>
        <dl className="trust-does">
          {Object.entries(does).map(([name, value]) => (
            <div key={name}>
              <dt>{name}</dt>
              <dd className="mono text">{typeof value === 'string' ? value : JSON.stringify(value)}</dd>
            </div>
          ))}
          {does.approval === undefined && (
            <div>
              <dt>approval</dt>
              <dd>{words.noRules}</dd>
            </div>
          )}
        </dl>
        <Button look="danger" isOff={sending.isBusy} onClick={() => void trust()}>
          {words.trust}
        </Button>
      </div>
    </Notice>
  )
}
