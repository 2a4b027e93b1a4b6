/** A fork from the event that is looked at: the same past, and another future. What the event says may be edited. */
import { type SyntheticEvent, useState } from 'react'
import type { Event } from 'thinkon/protocol'
import type { Hands } from '../../data/run-hands.ts'
import { Button } from '../../parts/button.tsx'
import { Dialog } from '../../parts/dialog.tsx'
import { Field } from '../../parts/field.tsx'
import { Notice } from '../../parts/notice.tsx'
import { useWords } from '../../preferences.ts'
import { goTo } from '../../routing.ts'
import { editableOf } from './editable.ts'
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
  const [problem, setProblem] = useState('')
  const [isForking, setForking] = useState(false)
  const edit = editable !== null && text !== editable.text ? editable.read(text) : undefined
  const isWrong = edit !== undefined && 'problem' in edit
  const fork = async (submitted: SyntheticEvent) => {
    submitted.preventDefault()
    if (isWrong) return
    setForking(true)
    try {
      const made = await hands.fork(run, event.seq, edit?.edit)
      onClose()
      goTo(['runs', made])
    } catch (error) {
      setProblem(error instanceof Error ? error.message : String(error))
      setForking(false)
    }
  }
  return (
    <Dialog title={words.forkAt(event.seq)} onClose={onClose} wide={editable !== null}>
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
        {problem !== '' && <Notice tone="bad">{problem}</Notice>}
        <div className="fork-buttons">
          <Button onClick={onClose}>{words.cancel}</Button>
          <Button look="main" icon="fork" submits disabled={isForking || isWrong}>
            {edit === undefined ? words.fork : words.forkEdited}
          </Button>
        </div>
      </form>
    </Dialog>
  )
}
