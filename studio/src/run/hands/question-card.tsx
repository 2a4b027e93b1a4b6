/** One question, with all that is needed to answer it. The same in the bar above the run and in the panel of the block. */
import { type ReactNode, useId, useRef, useState } from 'react'
import { type Event, isQuestionName, type PendingQuestion } from 'thinkon/protocol'
import { shownChoice } from 'thinkon/views'
import type { Hands } from '../../data/run-hands.ts'
import type { RunLog } from '../../data/run-log.ts'
import { Button } from '../../parts/button.tsx'
import { LongText } from '../../parts/long-text.tsx'
import { useFocusPassedOn } from '../../parts/use-focus-passed-on.ts'
import { usePreferences, useWords } from '../../preferences.ts'
import { Permission } from './permission.tsx'
import { PlanReview } from './plan-review.tsx'
import { RequestCard } from './request-card.tsx'
import { SchemaForm } from './schema-form.tsx'
import { type Answering, useSend } from './use-send.ts'
import { beginningOf, eventsUntil, offeredIn } from './waiting.ts'
import { HANDS_WORDS } from './words.ts'

interface Props {
  log: RunLog
  question: PendingQuestion
  /** Null where it can only be looked at. */
  hands: Hands | null
  /** What else can be done about it. */
  children?: ReactNode
}

export function QuestionCard({ log, question, hands, children }: Props) {
  const { path, text } = question
  const sending = useSend()
  const words = useWords(HANDS_WORDS)
  const [isSent, setSent] = useState(false)
  const [isPlanEdited, setPlanEdited] = useState(false)
  const card = useRef<HTMLDivElement>(null)
  useFocusPassedOn(card)
  const isReview = isQuestionName(question.name, 'review-plan')
  const plan = isReview ? lastPlan(eventsUntil(log.events, question), path) : null
  const { about, offers } = offeredIn(text)
  const answering: Answering | null = hands && {
    ...sending,
    isBusy: sending.isBusy || isSent,
    async answer(given) {
      if (!isSent) setSent(await sending.send(() => hands.answer(log.run, question.id, given)))
    },
  }
  return (
    <div ref={card} className="question" data-question={question.id}>
      {question.request !== undefined ? (
        <RequestCard text={text} request={question.request} answering={answering} />
      ) : question.permission ? (
        <Permission log={log} question={question} hands={hands} />
      ) : plan !== null ? (
        <PlanReview
          key={plan.seq}
          data={plan.data}
          about={about}
          answering={answering}
          onEdited={setPlanEdited}
        />
      ) : (
        <LongText text={about} prose />
      )}
      {question.request !== undefined ? null : answering === null ? (
        <Choices question={question} />
      ) : question.output !== undefined ? (
        <>
          <SchemaForm
            schema={question.output}
            answering={answering}
            onSend={(value) => void answering.answer(value)}
          />
          {answering.problem !== null && (
            <p className="field-problem" role="alert">
              {answering.problem}
            </p>
          )}
        </>
      ) : (
        <AnswerForm
          question={question}
          offers={plan === null ? offers : offers.slice(1)}
          answering={isPlanEdited ? withoutDropping(answering, words.planEdited) : answering}
        />
      )}
      {isSent && <Sent />}
      {children}
    </div>
  )
}

/** Answers other than the plan's own would drop its edits. */
function withoutDropping(answering: Answering, refusal: string): Answering {
  return { ...answering, answer: async () => answering.setProblem(refusal) }
}

function Sent() {
  const words = useWords(HANDS_WORDS)
  return (
    <p className="dim" role="status">
      {words.sent}
    </p>
  )
}

/** What could have been answered, or still can elsewhere. */
function Choices({ question: { choices = [] } }: { question: PendingQuestion }) {
  const { lang } = usePreferences()
  return (
    <p className="answer-choices">
      {choices.map((choice) => (
        <span key={choice} className="tag">
          {shownChoice(choice, lang)}
        </span>
      ))}
    </p>
  )
}

interface FormProps {
  question: PendingQuestion
  offers: readonly string[]
  answering: Answering
}

function AnswerForm({ question, offers, answering }: FormProps) {
  const words = useWords(HANDS_WORDS)
  const { lang } = usePreferences()
  const id = useId()
  const [typed, setTyped] = useState('')
  const field = useRef<HTMLTextAreaElement>(null)
  const { isBusy, problem, answer, setProblem } = answering
  const { choices = [], fallback, other } = question
  const submit = () => {
    if (typed.trim() === '' && fallback === undefined) setProblem(words.needed)
    else void answer(typed)
  }
  const choose = (offer: string) => {
    const beginning = beginningOf(offer)
    if (beginning === null) return void answer(offer)
    setTyped(beginning + typed)
    field.current?.focus()
  }
  return (
    <form
      className="answer"
      onSubmit={(event) => {
        event.preventDefault()
        submit()
      }}
    >
      {choices.length > 0 && (
        <div className="answer-choices">
          {choices.map((choice, at) => (
            <Button
              key={choice}
              look={at === 0 && question.permission ? 'main' : choice === 'no' ? 'danger' : 'plain'}
              isOff={isBusy}
              onClick={() => void answer(choice)}
            >
              {shownChoice(choice, lang)}
            </Button>
          ))}
        </div>
      )}
      {offers.length > 0 && (
        <div className="answer-choices">
          {offers.map((offer) => (
            <Button key={offer} isOff={isBusy} onClick={() => choose(offer)}>
              {offer}
            </Button>
          ))}
        </div>
      )}
      <div className="answer-text">
        <label className="unseen" htmlFor={id}>
          {words.answer}
        </label>
        <textarea
          ref={field}
          id={id}
          className="input"
          rows={1}
          readOnly={isBusy}
          placeholder={
            other ? words.otherAnswer : choices.length > 0 ? words.typeChoice : (fallback ?? words.answer)
          }
          aria-invalid={problem !== null}
          aria-describedby={problem === null ? undefined : `${id}-problem`}
          value={typed}
          onChange={(event) => setTyped(event.target.value)}
          onKeyDown={(event) => {
            if (event.key !== 'Enter' || event.shiftKey || event.nativeEvent.isComposing) return
            event.preventDefault()
            submit()
          }}
        />
        <Button submits look={choices.length + offers.length > 0 ? 'plain' : 'main'} isOff={isBusy}>
          {words.send}
        </Button>
      </div>
      {problem !== null && (
        <p id={`${id}-problem`} className="field-problem" role="alert">
          {problem}
        </p>
      )}
    </form>
  )
}

/** The plan as the block last told it. */
function lastPlan(events: readonly Event[], path: string): { seq: number; data: unknown } | null {
  const last = events.findLast(
    (event) => event.type === 'note' && event.path === path && event.name === 'dual/plan-changed',
  )
  return last?.type === 'note' ? { seq: last.seq, data: last.data } : null
}
