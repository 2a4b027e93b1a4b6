import { type ReactNode, useId } from 'react'

interface Props {
  label: string
  /** What belongs here, in a line below. */
  help?: string | undefined
  problem?: string | null | undefined
  children(id: string, describedBy: string | undefined): ReactNode
}

/** A label, whatever is filled in, and what is wrong with it. */
export function Field({ label, help, problem, children }: Props) {
  const id = useId()
  const about = help || problem ? `${id}-about` : undefined
  return (
    <div className="field">
      <label htmlFor={id}>{label}</label>
      {children(id, about)}
      {about && (
        <p id={about} className={problem ? 'field-problem' : 'field-help'}>
          {problem || help}
        </p>
      )}
    </div>
  )
}
