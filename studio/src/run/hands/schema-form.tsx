/** A form for a value that fits a schema: the reply of a person who is the model, or the answer to a question. */
import { useState } from 'react'
import { Button } from '../../parts/button.tsx'
import { type Draft, EMPTY, type Problems, readValue } from '../../parts/value-drafts.ts'
import { ValueForm } from '../../parts/value-form.tsx'
import { useWords } from '../../preferences.ts'
import type { Answering } from './use-send.ts'
import { HANDS_WORDS } from './words.ts'

interface Props {
  schema: Readonly<Record<string, unknown>>
  answering: Answering
  onSend(value: unknown): void
  /** Shows the value as text, to be edited there. */
  onEdit?(value: unknown): void
}

export function SchemaForm({ schema, answering, onSend, onEdit }: Props) {
  const words = useWords(HANDS_WORDS)
  const [draft, setDraft] = useState<Draft>(EMPTY)
  const [problems, setProblems] = useState<Problems>({})
  return (
    <form
      className="reply-form"
      onSubmit={(event) => {
        event.preventDefault()
        const read = readValue(schema, draft)
        setProblems(read.problems)
        if (Object.keys(read.problems).length === 0) onSend(read.value)
        else answering.setProblem(words.incomplete)
      }}
    >
      <ValueForm schema={schema} draft={draft} problems={problems} onChange={setDraft} />
      <div className="answer-choices">
        <Button submits look="main" isOff={answering.isBusy}>
          {words.send}
        </Button>
        {onEdit && (
          <Button look="quiet" onClick={() => onEdit(readValue(schema, draft).value)}>
            {words.asText}
          </Button>
        )}
      </div>
    </form>
  )
}
