/** Starts a run: from nothing, or as another one was started. */
import { type FormEvent, type KeyboardEvent, useEffect, useRef, useState } from 'react'
import type { Offers, RunDesk } from '../../data/source.ts'
import { Button } from '../../parts/button.tsx'
import { Dialog } from '../../parts/dialog.tsx'
import { Notice } from '../../parts/notice.tsx'
import { useWords } from '../../preferences.ts'
import { goTo } from '../../routing.ts'
import {
  draftOfRun,
  EMPTY_DRAFT,
  type Problems,
  placeProblems,
  readStart,
  type StartDraft,
  sentFiles,
} from './start-draft.ts'
import { StartFields } from './start-fields.tsx'
import { START_WORDS } from './words.ts'

interface Props {
  desk: RunDesk
  /** The run whose start is taken over; null for none. */
  like: string | null
  onClose(): void
}

export function StartDialog({ desk, like, onClose }: Props) {
  const words = useWords(START_WORDS)
  const { offers, draft, setDraft, problem } = useDraft(desk, like)
  return (
    <Dialog title={like === null ? words.title : words.again} onClose={onClose} wide>
      {problem !== '' && <Notice tone="bad">{problem}</Notice>}
      {offers === null && problem === '' && <p className="dim">{words.reading}</p>}
      {offers && (
        <StartForm desk={desk} offers={offers} draft={draft} onChange={setDraft} onClose={onClose} />
      )}
    </Dialog>
  )
}

interface FormProps {
  desk: RunDesk
  offers: Offers
  draft: StartDraft
  onChange(draft: StartDraft): void
  onClose(): void
}

function StartForm({ desk, offers, draft, onChange, onClose }: FormProps) {
  const words = useWords(START_WORDS)
  const form = useRef<HTMLFormElement>(null)
  const [problems, setProblems] = useState<Problems>({})
  const [isStarting, setStarting] = useState(false)
  useEffect(() => form.current?.querySelector('textarea')?.focus(), [])
  useEffect(() => {
    if (Object.keys(problems).length > 0)
      form.current?.querySelector<HTMLElement>('[aria-invalid="true"]')?.focus()
  }, [problems])
  const start = async (event: FormEvent) => {
    event.preventDefault()
    const read = readStart(draft, offers)
    setProblems(read.problems)
    if (isStarting || Object.keys(read.problems).length > 0) return
    setStarting(true)
    try {
      const files = await sentFiles(draft.files)
      goTo(['runs', await desk.start({ ...read.request, ...(files.length > 0 && { files }) })])
    } catch (thrown) {
      setProblems(placeProblems(thrown, offers, draft.strategy))
      setStarting(false)
    }
  }
  return (
    <form ref={form} className="start" onSubmit={start} onKeyDown={submitByKey} noValidate>
      <StartFields offers={offers} draft={draft} onChange={onChange} problems={problems} />
      {problems[''] !== undefined && (
        <Notice tone="bad">
          <span className="text">{`${words.refused} ${problems['']}`}</span>
        </Notice>
      )}
      <footer className="start-foot">
        <Button onClick={onClose}>{words.cancel}</Button>
        <Button look="main" icon="play" submits isOff={isStarting}>
          {isStarting ? words.starting : words.start}
        </Button>
      </footer>
    </form>
  )
}

/** Enter makes a new line in a text of several. */
function submitByKey(event: KeyboardEvent<HTMLFormElement>): void {
  if (event.key !== 'Enter' || !(event.ctrlKey || event.metaKey)) return
  event.preventDefault()
  event.currentTarget.requestSubmit()
}

function useDraft(desk: RunDesk, like: string | null) {
  const [offers, setOffers] = useState<Offers | null>(null)
  const [draft, setDraft] = useState<StartDraft>(EMPTY_DRAFT)
  const [problem, setProblem] = useState('')
  useEffect(() => {
    let isGone = false
    const read = async () => {
      try {
        const [found, start] = await Promise.all([desk.offers(), like === null ? null : desk.startOf(like)])
        if (isGone) return
        if (start !== null) setDraft(draftOfRun(start, found))
        setOffers(found)
      } catch (error) {
        if (!isGone) setProblem(error instanceof Error ? error.message : String(error))
      }
    }
    void read()
    return () => {
      isGone = true
    }
  }, [desk, like])
  return { offers, draft, setDraft, problem }
}
