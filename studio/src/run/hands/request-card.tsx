/** A person is the model: the request as a model gets it, and the reply as a form, as calls of tools, or in words. */
import { useState } from 'react'
import { type PersonsRequest, schemaNode } from 'thinkon/views'
import { Button } from '../../parts/button.tsx'
import { Field } from '../../parts/field.tsx'
import { Tabs } from '../../parts/tabs.tsx'
import { type Draft, EMPTY, type Problems, readValue } from '../../parts/value-drafts.ts'
import { ValueForm } from '../../parts/value-form.tsx'
import { useWords } from '../../preferences.ts'
import { RequestView } from '../request/request-view.tsx'
import { SchemaForm } from './schema-form.tsx'
import type { Answering } from './use-send.ts'
import { HANDS_WORDS } from './words.ts'

interface Props {
  text: string
  request: PersonsRequest
  /** Null where it can only be looked at. */
  answering: Answering | null
}

type Way = 'form' | 'tool' | 'text'

export function RequestCard({ text, request, answering }: Props) {
  return (
    <>
      <p className="question-head text">{text}</p>
      <div className="request-place">
        <div className="request-sides">
          <div className="request-text">
            <RequestView request={request} same={0} />
          </div>
          {answering !== null && <ReplyForms request={request} answering={answering} />}
        </div>
      </div>
    </>
  )
}

function ReplyForms({ request, answering }: { request: PersonsRequest; answering: Answering }) {
  const words = useWords(HANDS_WORDS)
  const { schema, tools = [] } = request
  const ways: Way[] = [
    ...(schema !== undefined && schemaNode(schema, schema).kind !== 'json' ? (['form'] as const) : []),
    ...(tools.length > 0 ? (['tool'] as const) : []),
    'text',
  ]
  const [way, setWay] = useState<Way>(ways[0] as Way)
  const [text, setText] = useState('')
  return (
    <div className="reply-forms">
      <Tabs
        tabs={ways.map((id) => ({ id, name: words.ways[id] }))}
        chosen={way}
        label={words.replyAs}
        onChoose={(id) => {
          setWay(id as Way)
          answering.setProblem(null)
        }}
      >
        {way === 'form' && schema !== undefined && (
          <SchemaForm
            schema={schema}
            answering={answering}
            onSend={(value) => void answering.answer(JSON.stringify(value, null, 2))}
            onEdit={(value) => {
              setText(JSON.stringify(value, null, 2))
              setWay('text')
            }}
          />
        )}
        {way === 'tool' && <ToolReply tools={tools} answering={answering} />}
        {way === 'text' && <TextReply text={text} onChange={setText} answering={answering} />}
      </Tabs>
      {answering.problem !== null && (
        <p className="field-problem" role="alert">
          {answering.problem}
        </p>
      )}
    </div>
  )
}

interface ToolReplyProps {
  tools: NonNullable<PersonsRequest['tools']>
  answering: Answering
}

function ToolReply({ tools, answering }: ToolReplyProps) {
  const words = useWords(HANDS_WORDS)
  const [at, setAt] = useState(0)
  const [draft, setDraft] = useState<Draft>(EMPTY)
  const [problems, setProblems] = useState<Problems>({})
  const [calls, setCalls] = useState<readonly { name: string; input: unknown }[]>([])
  const tool = tools[at]
  /** Null if something is missing. */
  const filledIn = () => {
    if (tool === undefined) return null
    const read = readValue(tool.schema, draft)
    setProblems(read.problems)
    const isWhole = Object.keys(read.problems).length === 0
    answering.setProblem(isWhole ? null : words.incomplete)
    return isWhole ? { name: tool.name, input: read.value ?? {} } : null
  }
  return (
    <form
      className="reply-form"
      onSubmit={(event) => {
        event.preventDefault()
        const call = filledIn()
        if (call !== null) void answering.answer({ toolCalls: [...calls, call] })
      }}
    >
      {calls.map(({ name, input }, i) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: calls are told apart by their place alone.
        <p key={i} className="reply-call">
          <span className="mono text one-line">{`${name} ${JSON.stringify(input)}`}</span>
          <Button
            look="quiet"
            icon="trash"
            aria-label={words.removeCall(name)}
            onClick={() => setCalls(calls.filter((_, other) => other !== i))}
          />
        </p>
      ))}
      <Field label={words.tool} help={tool?.description}>
        {(id, about) => (
          <select
            id={id}
            className="input"
            aria-describedby={about}
            value={at}
            onChange={({ target }) => {
              setAt(Number(target.value))
              setDraft(EMPTY)
              setProblems({})
            }}
          >
            {tools.map(({ name }, i) => (
              <option key={name} value={i}>
                {name}
              </option>
            ))}
          </select>
        )}
      </Field>
      {tool !== undefined && (
        <ValueForm
          key={tool.name}
          schema={tool.schema}
          draft={draft}
          problems={problems}
          onChange={setDraft}
        />
      )}
      <div className="answer-choices">
        <Button submits look="main" isOff={answering.isBusy}>
          {calls.length === 0 ? words.callTool : words.callTools(calls.length + 1)}
        </Button>
        <Button
          onClick={() => {
            const call = filledIn()
            if (call === null) return
            setCalls([...calls, call])
            setDraft(EMPTY)
          }}
        >
          {words.anotherCall}
        </Button>
      </div>
    </form>
  )
}

interface TextReplyProps {
  text: string
  onChange(text: string): void
  answering: Answering
}

function TextReply({ text, onChange, answering }: TextReplyProps) {
  const words = useWords(HANDS_WORDS)
  return (
    <form
      className="reply-form"
      onSubmit={(event) => {
        event.preventDefault()
        if (text.trim() === '') answering.setProblem(words.needed)
        else void answering.answer(text)
      }}
    >
      <Field label={words.replyText} help={words.replyHelp}>
        {(id, about) => (
          <textarea
            id={id}
            className="input mono reply-text"
            rows={6}
            spellCheck={false}
            aria-describedby={about}
            value={text}
            onChange={({ target }) => onChange(target.value)}
            onKeyDown={(event) => {
              if (event.key === 'Enter' && (event.ctrlKey || event.metaKey))
                event.currentTarget.form?.requestSubmit()
            }}
          />
        )}
      </Field>
      <div className="answer-choices">
        <Button submits look="main" isOff={answering.isBusy}>
          {words.send}
        </Button>
      </div>
    </form>
  )
}
