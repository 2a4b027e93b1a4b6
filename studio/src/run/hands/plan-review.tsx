/** A plan that waits for its review: approved as it is, or edited in place and approved with the changes. */
import { useEffect, useRef, useState } from 'react'
import { flushSync } from 'react-dom'
import { type DraftTask, draftProblems, planDraft, planEdits } from 'thinkon/views'
import { Button } from '../../parts/button.tsx'
import { usePreferences, useWords } from '../../preferences.ts'
import { PlanEditor } from './plan-editor.tsx'
import { PlanOutline } from './plan-outline.tsx'
import type { Answering } from './use-send.ts'
import { HANDS_WORDS } from './words.ts'

interface Props {
  /** What `dual/plan-changed` tells. */
  data: unknown
  about: string
  /** Null where it can only be looked at. */
  answering: Answering | null
  /** Receives whether the plan differs from the one that was proposed. */
  onEdited(isEdited: boolean): void
}

export function PlanReview({ data, about, answering, onEdited }: Props) {
  const words = useWords(HANDS_WORDS)
  const { lang } = usePreferences()
  const before = planDraft(data)
  const [draft, setDraft] = useState<readonly DraftTask[] | null>(null)
  const actions = useRef<HTMLDivElement>(null)
  const discard = () => {
    flushSync(() => setDraft(null))
    actions.current?.querySelector<HTMLElement>('[data-edits]')?.focus()
  }
  const problems = draft === null ? [] : draftProblems(draft, lang)
  const edits = before === null || draft === null || problems.length > 0 ? [] : planEdits(before, draft)
  const isEdited = problems.length > 0 || edits.length > 0
  useEffect(() => {
    onEdited(isEdited)
    return () => onEdited(false)
  }, [isEdited, onEdited])
  if (before === null) return <pre className="text prose">{about}</pre>
  const [head = '', ...rest] = about.split('\n')
  // What could not be done of the last answer.
  const refused = rest.filter((line) => line.startsWith('! '))
  return (
    <>
      <p className="text question-head">{head}</p>
      {refused.length > 0 && <p className="text field-problem">{refused.join('\n')}</p>}
      {draft === null ? (
        <PlanOutline draft={before} />
      ) : (
        <>
          <PlanEditor draft={draft} onChange={setDraft} />
          {problems.length > 0 && (
            <ul className="field-problem" role="alert">
              {problems.map((problem) => (
                <li key={problem}>{problem}</li>
              ))}
            </ul>
          )}
        </>
      )}
      {answering !== null && (
        <div ref={actions} className="answer-choices plan-actions">
          <Button
            look="main"
            icon="check"
            disabled={problems.length > 0}
            isOff={answering.isBusy}
            onClick={() =>
              void answering.answer(edits.length === 0 ? 'continue' : { choice: 'continue', edits })
            }
          >
            {edits.length === 0 ? words.approve : words.approveEdited}
          </Button>
          {draft === null ? (
            <Button
              key="edit"
              icon="edit"
              data-edits
              isOff={answering.isBusy}
              onClick={() => setDraft(before)}
            >
              {words.editPlan}
            </Button>
          ) : (
            <Button key="discard" look="quiet" isOff={answering.isBusy} onClick={discard}>
              {words.discard}
            </Button>
          )}
        </div>
      )}
    </>
  )
}
