/** A prompt while a person edits it: its texts by message and section, put together again as its strategy put them together. */
import type { Message } from 'thinkon/protocol'
import { sectionParts } from '../request/message-sections.ts'

/** The texts that were changed, by their keys. */
export type PromptDraft = Readonly<Record<string, string>>

export interface PromptText {
  readonly key: string
  /** Of the section; empty if it has none. */
  readonly title: string
  readonly text: string
}

/** What there is to edit of the message at this place. */
export function promptTexts(message: Message, at: number): PromptText[] {
  const sections = sectionParts(message)
  const shown = sections.length === 0 ? [{ heading: '', parts: [] }] : sections
  return shown.map(({ heading, parts }, i) => ({
    key: `${at} ${i}`,
    title: heading.trim(),
    text: withoutEnd(parts.join('')),
  }))
}

/** The messages with what was changed; null if nothing was. */
export function draftedMessages(messages: readonly Message[], draft: PromptDraft): Message[] | null {
  let isChanged = false
  const drafted = messages.map((message, at) => {
    const isSame = promptTexts(message, at).every(({ key, text }) => (draft[key] ?? text) === text)
    if (isSame) return message
    isChanged = true
    return withTexts(message, at, draft)
  })
  return isChanged ? drafted : null
}

/** A section that says nothing any more goes with its title. */
function withTexts(message: Message, at: number, draft: PromptDraft): Message {
  const sections = sectionParts(message)
  const parts =
    sections.length === 0
      ? [draft[`${at} 0`] ?? '']
      : sections.flatMap(({ heading, parts }, i) => {
          const whole = parts.join('')
          const text = draft[`${at} ${i}`] ?? withoutEnd(whole)
          const head = heading === '' ? [] : [heading]
          if (text === withoutEnd(whole)) return [...head, ...parts]
          return text.trim() === '' ? [] : [...head, text + whole.slice(withoutEnd(whole).length)]
        })
  return { ...message, content: typeof message.content === 'string' ? parts.join('') : parts }
}

function withoutEnd(text: string): string {
  return text.replace(/(?<!\n)\n+$/, '')
}
