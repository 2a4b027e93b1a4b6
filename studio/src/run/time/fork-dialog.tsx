/** A fork from the event that is looked at: the same past, and another future. What the event says may be edited. */
import { type SyntheticEvent, useEffect, useState } from 'react'
import type { Event } from 'thinkon/protocol'
import type { Hands } from '../../data/run-hands.ts'
import { useSource } from '../../data/source.ts'
import { Button } from '../../parts/button.tsx'
import { Dialog } from '../../parts/dialog.tsx'
import { Field } from '../../parts/field.tsx'
import { Notice } from '../../parts/notice.tsx'
import { useWords } from '../../preferences.ts'
import { goTo } from '../../routing.ts'
import { TrustNotice } from '../hands/trust-notice.tsx'
import { useSend } from '../hands/use-send.ts'
import { editableOf } from './editable.ts'
import { draftedMessages, type PromptDraft } from './prompt-draft.ts'
import { PromptEditor } from './prompt-editor.tsx'
import { TIME_WORDS } from './words.ts'

interface Props {
  run: string
  event: Event
  hands: Hands
  onClose(): void
}

export function ForkDialog({ run, event, hands, onClose }: Props) {
  const words = useWords(TIME_WORDS)
  const editable = editableOf(event)
  const [text, setText] = useState(editable?.text ?? '')
  const sending = useSend()
  const { isBusy: isForking, problem, untrusted } = sending
  const models = useModels()
  const [model, setModel] = useState('')
  const prompt = event.type === 'model-start' ? event.request.messages : null
  const [draft, setDraft] = useState<PromptDraft>({})
  const messages = prompt && draftedMessages(prompt, draft)
  const typed = editable !== null && text !== editable.text ? editable.read(text) : undefined
  const edit = messages === null ? typed : { edit: { request: { messages } } }
  const isWrong = edit !== undefined && 'problem' in edit
  const fork = async (submitted: SyntheticEvent) => {
    submitted.preventDefault()
    if (isWrong || isForking) return
    await sending.send(async () => {
      const made = await hands.fork(run, event.seq, {
        ...(edit && { edit: edit.edit }),
        ...(model !== '' && { model }),
      })
      onClose()
      goTo(['runs', made])
    })
  }
  return (
    <Dialog title={words.forkAt(event.seq)} onClose={onClose} wide={editable !== null || prompt !== null}>
      <form className="fork" onSubmit={(submitted) => void fork(submitted)}>
        <p className="dim">{words.forkAbout}</p>
        {editable !== null && (
          <Field
            label={words.edits[editable.what]}
            help={words.editHelp}
            problem={isWrong ? words.notJson(edit.problem) : null}
          >
            {(id, about) => (
              <textarea
                id={id}
                className="input mono fork-text"
                aria-describedby={about}
                spellCheck={false}
                value={text}
                onChange={({ target }) => setText(target.value)}
              />
            )}
          </Field>
        )}
        {prompt !== null && <PromptEditor messages={prompt} draft={draft} onChange={setDraft} />}
        {models.length > 1 && (
          <Field label={words.model}>
            {(id) => (
              <select
                id={id}
                className="input"
                value={model}
                onChange={({ target }) => setModel(target.value)}
              >
                <option value="">{words.sameModel}</option>
                {models.map((one) => (
                  <option key={one}>{one}</option>
                ))}
              </select>
            )}
          </Field>
        )}
        {untrusted !== null ? (
          <TrustNotice hands={hands} sending={sending} untrusted={untrusted} />
        ) : (
          problem !== null && <Notice tone="bad">{problem}</Notice>
        )}
        <div className="fork-buttons">
          <Button onClick={onClose}>{words.cancel}</Button>
          <Button look="main" icon="fork" submits disabled={isWrong} isOff={isForking}>
            {edit === undefined ? words.fork : messages === null ? words.forkEdited : words.forkPrompt}
          </Button>
        </div>
      </form>
    </Dialog>
  )
}

/** Those that the service offers; none until it has said so, or where it does not. */
function useModels(): readonly string[] {
  const { desk } = useSource()
  const [models, setModels] = useState<readonly string[]>([])
  useEffect(() => {
    let isGone = false
    desk?.offers().then(
      (offers) => void (isGone || setModels(offers.models)),
      () => {},
    )
    return () => {
      isGone = true
    }
  }, [desk])
  return models
}
