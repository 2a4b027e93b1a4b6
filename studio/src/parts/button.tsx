import type { ButtonHTMLAttributes, ReactNode } from 'react'
import { Icon, type IconName } from './icon.tsx'

interface Props extends Omit<ButtonHTMLAttributes<HTMLButtonElement>, 'type'> {
  icon?: IconName
  /** `main`: what is most likely wanted; one in a place. `quiet`: without a frame. */
  look?: 'plain' | 'main' | 'quiet' | 'danger'
  submits?: boolean
  /** It does nothing now, for it has been pressed. It keeps the focus, which one that is disabled loses. */
  isOff?: boolean
  children?: ReactNode
}

/** Without text it is square, and needs an `aria-label`. */
export function Button({
  icon,
  look = 'plain',
  submits = false,
  isOff = false,
  children,
  className = '',
  ...more
}: Props) {
  const shape = children === undefined ? 'button-square' : ''
  const title = children === undefined ? more['aria-label'] : undefined
  return (
    <button
      type={submits ? 'submit' : 'button'}
      className={`button button-${look} ${shape} ${className}`}
      title={title}
      aria-disabled={isOff || undefined}
      {...more}
      {...(isOff && { onClick: (event) => event.preventDefault() })}
    >
      {icon && <Icon name={icon} />}
      {children !== undefined && <span>{children}</span>}
    </button>
  )
}
