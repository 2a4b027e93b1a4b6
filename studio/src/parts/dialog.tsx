/** A window over the page, by the browser's own `<dialog>`: it keeps the focus inside, and Escape closes it. */
import { type ReactNode, useId, useLayoutEffect, useRef } from 'react'
import { useWords } from '../preferences.ts'
import { Button } from './button.tsx'

const WORDS = { en: { close: 'Close' }, zh: { close: '关闭' } }

interface Props {
  title: string
  onClose(): void
  children: ReactNode
  wide?: boolean
}

export function Dialog({ title, onClose, children, wide = false }: Props) {
  const words = useWords(WORDS)
  const dialog = useRef<HTMLDialogElement>(null)
  const id = useId()
  // Not an effect of the other kind: the dialog gives the focus back only as long as it is in the page.
  useLayoutEffect(() => {
    const shown = dialog.current
    shown?.showModal()
    // The browser would focus the button that closes it.
    const fields = shown?.querySelectorAll<HTMLElement>('.dialog-body :is(input, textarea, select, button)')
    Array.from(fields ?? [])
      .find((field) => field.checkVisibility())
      ?.focus()
    return () => shown?.close()
  }, [])
  return (
    <dialog
      ref={dialog}
      className={wide ? 'dialog dialog-wide' : 'dialog'}
      aria-labelledby={id}
      // What is told of an earlier closing comes late, when another window may be open: this one is gone, or open again.
      onClose={() => {
        if (dialog.current?.open === false) onClose()
      }}
    >
      <header className="dialog-head">
        <h2 id={id}>{title}</h2>
        <Button look="quiet" icon="close" aria-label={words.close} onClick={onClose} />
      </header>
      <div className="dialog-body">{children}</div>
    </dialog>
  )
}
