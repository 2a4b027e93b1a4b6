/** Asks for the words that go with an act, and whether it is meant. */
import { useState } from 'react'
import type { Hands } from '../../data/run-hands.ts'
import { Button } from '../../parts/button.tsx'
import { Dialog } from '../../parts/dialog.tsx'
import { Field } from '../../parts/field.tsx'
import { useWords } from '../../preferences.ts'
import { goTo } from '../../routing.ts'
import { TrustNotice } from './trust-notice.tsx'
import { useSend } from './use-send.ts'
import { HANDS_WORDS } from './words.ts'

export type Act = 'skip' | 'redo' | 'message' | 'cancel'

interface Props {
  act: Act
  run: string
  path: string
  /** What it is done to, in words. */
  what: string
  hands: Hands
  onClose(): void
}

export function ActDialog({ act, run, path, what, hands, onClose }: Props) {
  const words = useWords(HANDS_WORDS)
  const { title, label, help, send: verb } = words.acts[act]
  const sending = useSend()
  const { isBusy, problem, send, setProblem, untrusted } = sending
  const [text, setText] = useState('')
  const submit = async () => {
    if (text.trim() === '' && (act === 'message' || act === 'redo')) return setProblem(words.needed)
    if (await send(() => perform(hands, act, run, path, text.trim()))) onClose()
  }
  return (
    <Dialog title={title(what)} onClose={onClose}>
      <form
        className="act"
        onSubmit={(event) => {
          event.preventDefault()
          void submit()
        }}
      >
        <Field label={label} help={help} problem={untrusted === null ? problem : null}>
          {(id, about) => (
            <textarea
              id={id}
              className="input"
              autoFocus
              aria-describedby={about}
              value={text}
              onChange={(event) => setText(event.target.value)}
              onKeyDown={(event) => {
                if (event.key !== 'Enter' || !(event.ctrlKey || event.metaKey)) return
                event.preventDefault()
                void submit()
              }}
            />
          )}
        </Field>
        {untrusted !== null && (
          <TrustNotice hands={hands} sending={sending} untrusted={untrusted} onDone={onClose} />
        )}
        <div className="act-buttons">
          {act === 'cancel' && <Button onClick={onClose}>{words.keep}</Button>}
          <Button submits look={act === 'cancel' ? 'danger' : 'main'} isOff={isBusy}>
            {verb}
          </Button>
        </div>
      </form>
    </Dialog>
  )
}

async function perform(hands: Hands, act: Act, run: string, path: string, text: string): Promise<void> {
  if (act === 'cancel') return hands.cancel(run, text)
  if (act === 'skip') return hands.skip(run, path, text)
  if (act === 'message') return hands.message(run, path, text)
  const made = await hands.redo(run, path, text)
  // One that has ended is redone in another run.
  if (made !== run) goTo(['runs', made], { block: path })
}
