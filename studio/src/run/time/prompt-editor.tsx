/** The messages of a request, to be edited in place: a field for each section. */
import type { ChangeEvent } from 'react'
import type { Message } from 'thinkon/protocol'
import { Field } from '../../parts/field.tsx'
import { Folded } from '../../parts/folded.tsx'
import { useWords } from '../../preferences.ts'
import { REQUEST_WORDS } from '../request/words.ts'
import { type PromptDraft, promptTexts } from './prompt-draft.ts'
import { TIME_WORDS } from './words.ts'

interface Props {
  messages: readonly Message[]
  draft: PromptDraft
  onChange(draft: PromptDraft): void
}

/** Of a longer conversation the last messages are open: what is asked now. */
const OPEN = 3

export function PromptEditor({ messages, draft, onChange }: Props) {
  const words = useWords(TIME_WORDS)
  return (
    <fieldset className="prompt">
      <legend>{words.edits.prompt}</legend>
      <p className="field-help">{words.promptHelp}</p>
      {messages.map((message, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the messages of a request stay where they are.
        <MessageEditor key={at} {...{ message, at, draft, onChange }} isOpen={at >= messages.length - OPEN} />
      ))}
    </fieldset>
  )
}

interface MessageProps extends Omit<Props, 'messages'> {
  message: Message
  at: number
  isOpen: boolean
}

function MessageEditor({ message, at, isOpen, draft, onChange }: MessageProps) {
  const words = useWords(REQUEST_WORDS)
  const { role, answers, toolCalls = [] } = message
  const name = [`${at + 1}. ${words.message(role)}`, answers?.name].filter(Boolean).join(' ')
  return (
    <Folded className="prompt-message" isOpen={isOpen} summary={<span className="dim">{name}</span>}>
      {promptTexts(message, at).map(({ key, title, text }) => {
        const field = {
          className: 'input mono prompt-text',
          spellCheck: false,
          value: draft[key] ?? text,
          onChange: ({ target }: ChangeEvent<HTMLTextAreaElement>) =>
            onChange({ ...draft, [key]: target.value }),
        }
        if (title === '') return <textarea key={key} aria-label={name} {...field} />
        return (
          <Field key={key} label={title}>
            {(id) => <textarea id={id} {...field} />}
          </Field>
        )
      })}
      {toolCalls.map(({ id, name: tool, input }) => (
        <p key={id} className="dim mono one-line">
          {tool} {JSON.stringify(input)}
        </p>
      ))}
    </Folded>
  )
}
