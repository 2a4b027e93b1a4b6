/** Says that something waits in the run: in the title of the page, in a note over it when the question is new, and by the browser. */
import { useEffect, useRef, useState } from 'react'
import type { PendingQuestion } from 'thinkon/protocol'
import { Button } from '../../parts/button.tsx'
import { NOTIFY_WORDS, useNotification, useTitle } from '../../parts/notify.tsx'
import { useFocusPassedOn } from '../../parts/use-focus-passed-on.ts'
import { useWords } from '../../preferences.ts'
import { addressOf } from '../../routing.ts'
import { HANDS_WORDS } from './words.ts'

interface Props {
  run: string
  title: string
  waiting: readonly PendingQuestion[]
  /** The block whose questions the panel shows already. */
  shown: string | null
  /** Shows the question. */
  onShow(question: PendingQuestion): void
}

export function WaitingNews({ run, title, waiting, shown, onShow }: Props) {
  const words = useWords(NOTIFY_WORDS)
  const fresh = useFresh(waiting)
  const [dismissed, setDismissed] = useState(0)
  useTitle(waiting.length, title)
  useNotification(
    fresh && {
      title: `${words.toast}: ${title}`,
      body: firstLine(fresh),
      tag: `${run} ${fresh.id}`,
    },
  )
  // Who is the model is asked again and again, and is looking at it: a note over the form would be in the way.
  const isShown = fresh !== null && fresh.id !== dismissed && fresh.request === undefined
  return (
    // The region is there before anything is in it: only what comes into it is read out.
    <div className="toast-region" role="status">
      {isShown && fresh.path === shown && (
        <span className="unseen">{`${words.toast}: ${firstLine(fresh)}`}</span>
      )}
      {isShown && fresh.path !== shown && (
        <Toast key={fresh.id} run={run} fresh={fresh} onShow={onShow} onGone={() => setDismissed(fresh.id)} />
      )}
    </div>
  )
}

interface ToastProps extends Pick<Props, 'run' | 'onShow'> {
  fresh: PendingQuestion
  onGone(): void
}

/** Long enough to be read, and to be reached. */
const SHOWN_MS = 12_000

/** It lies over other things, and the question stands above the run: it goes by itself, unless it is about to be used. */
function Toast({ run, fresh, onShow, onGone }: ToastProps) {
  const words = { ...useWords(HANDS_WORDS), ...useWords(NOTIFY_WORDS) }
  const [isHeld, setHeld] = useState(false)
  const gone = useRef(onGone)
  gone.current = onGone
  useEffect(() => {
    if (isHeld) return
    const timer = setTimeout(() => gone.current(), SHOWN_MS)
    return () => clearTimeout(timer)
  }, [isHeld])
  const note = useRef<HTMLDivElement>(null)
  useFocusPassedOn(note)
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: it only stays while it is about to be used.
    <div
      ref={note}
      className="toast"
      onPointerEnter={() => setHeld(true)}
      onPointerLeave={() => setHeld(false)}
      onFocus={() => setHeld(true)}
      onBlur={() => setHeld(false)}
    >
      <span className="toast-text">
        <strong>{words.toast}</strong>
        <span className="one-line text dim">{firstLine(fresh)}</span>
      </span>
      <a
        href={addressOf(['runs', run], { block: fresh.path })}
        onClick={() => {
          onGone()
          onShow(fresh)
        }}
      >
        {words.show}
      </a>
      <Button look="quiet" icon="close" aria-label={words.dismiss} onClick={onGone} />
    </div>
  )
}

function firstLine({ text }: PendingQuestion): string {
  return text.split('\n')[0] ?? ''
}

/** The newest question that came while the page was open; null when it is answered. */
function useFresh(waiting: readonly PendingQuestion[]): PendingQuestion | null {
  const known = useRef<ReadonlySet<number> | null>(null)
  const [fresh, setFresh] = useState<PendingQuestion | null>(null)
  const keys = waiting.map(({ id }) => id).join('\n')
  // biome-ignore lint/correctness/useExhaustiveDependencies: the list is new with each drawing; its keys say whether it has changed.
  useEffect(() => {
    const before = known.current
    known.current = new Set(waiting.map(({ id }) => id))
    if (before === null) return
    setFresh((last) => {
      const come = waiting.findLast(({ id }) => !before.has(id))
      return come ?? waiting.find(({ id }) => id === last?.id) ?? null
    })
  }, [keys])
  return fresh
}
