/** A request as its model sees it: its messages by section, the tools that may be called, and the form of the reply. */
import { type Message, messageText } from 'thinkon/protocol'
import type { PersonsRequest } from 'thinkon/views'
import { Folded } from '../../parts/folded.tsx'
import { LongText } from '../../parts/long-text.tsx'
import { useWords } from '../../preferences.ts'
import { leftOutIn, messageSections } from './message-sections.ts'
import { REQUEST_WORDS } from './words.ts'
import './request.css'

interface Props {
  request: Pick<PersonsRequest, 'messages' | 'tools' | 'schema'>
  /** How many messages at the beginning are as in the request before: these are folded. */
  same: number
}

export function RequestView({ request: { messages, tools = [], schema }, same }: Props) {
  const words = useWords(REQUEST_WORDS)
  return (
    <>
      {same > 0 && (
        <Folded className="message message-same" summary={<span className="dim">{words.same(same)}</span>}>
          <Messages messages={messages.slice(0, same)} />
        </Folded>
      )}
      <Messages messages={messages.slice(same)} />
      {(tools.length > 0 || schema !== undefined) && (
        <div className="message message-more">
          {tools.length > 0 && (
            <details>
              <summary className="dim">{words.offered(tools.length)}</summary>
              <ul className="tool-list">
                {tools.map(({ name, description }) => (
                  <li key={name}>
                    <span className="mono">{name}</span> <span className="dim text">{description}</span>
                  </li>
                ))}
              </ul>
            </details>
          )}
          {schema !== undefined && (
            <details>
              <summary className="dim">{words.schema}</summary>
              <LongText text={JSON.stringify(schema, null, 2)} />
            </details>
          )}
        </div>
      )}
    </>
  )
}

function Messages({ messages }: { messages: readonly Message[] }) {
  return messages.map((message, at) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: messages of a request never change.
    <MessageView key={at} message={message} />
  ))
}

function MessageView({ message }: { message: Message }) {
  const words = useWords(REQUEST_WORDS)
  const { role, answers, toolCalls = [] } = message
  const leftOut = leftOutIn(message)
  return (
    <section className={`message message-${role}`}>
      <h2>
        {words.message(role)}
        {answers && <span className="mono">{answers.name}</span>}
        <span className="dim numbers">
          {words.chars(messageText(message).length.toLocaleString('en-US'))}
        </span>
        {leftOut > 0 && <span className="tag tag-warn">{words.shortened(leftOut)}</span>}
      </h2>
      {messageSections(message).map(({ title, pieces }, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: as above.
        <div key={at} className="message-section">
          {title !== '' && <h3 className="text">{title}</h3>}
          {pieces.map(({ from, text }, i) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: as above.
            <div key={i} className={from === null ? 'piece' : 'piece piece-data'}>
              {from !== null && <span className="piece-from text">{words.data(from)}</span>}
              <LongText text={text} />
            </div>
          ))}
        </div>
      ))}
      {toolCalls.map(({ id, name, input }) => (
        <div key={id} className="piece">
          <span className="piece-from mono">{name}</span>
          <LongText text={JSON.stringify(input, null, 2) ?? ''} />
        </div>
      ))}
    </section>
  )
}
