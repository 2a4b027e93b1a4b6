/** What can be done where the person is. Each view offers its own; the palette lists all of them, and their keys work everywhere. */
import { useEffect, useRef, useSyncExternalStore } from 'react'

export interface Command {
  readonly id: string
  readonly name: string
  /** Such as `f` or `Shift+F`; not while something is typed. */
  readonly key?: string
  /** Not of what is shown, but of the frame around it: it comes last. */
  readonly isEverywhere?: boolean
  run(): void
}

const offered = new Map<symbol, readonly Command[]>()
const listeners = new Set<() => void>()
let all: readonly Command[] = []

function changed(): void {
  all = inOrder()
  for (const listener of listeners) listener()
}

function inOrder(): readonly Command[] {
  return [...offered.values()]
    .flat()
    .sort((a, b) => Number(a.isEverywhere ?? 0) - Number(b.isEverywhere ?? 0))
}

/** Offered while the view is shown. */
export function useCommands(commands: readonly Command[]): void {
  const own = useRef(Symbol('commands'))
  // Their functions see what the view sees now: they are replaced with each drawing, and whoever lists them is told of other names.
  useEffect(() => {
    const before = offered.get(own.current)
    offered.set(own.current, commands)
    if (before === undefined || namesOf(before) !== namesOf(commands)) changed()
    else all = inOrder()
  })
  useEffect(() => {
    const key = own.current
    return () => {
      offered.delete(key)
      changed()
    }
  }, [])
}

function namesOf(commands: readonly Command[]): string {
  return commands.map(({ id, name, key = '' }) => `${id} ${name} ${key}`).join('\n')
}

export function useAllCommands(): readonly Command[] {
  return useSyncExternalStore(
    (listener) => {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    () => all,
  )
}

/** Whether it was a command's key. */
export function runKey(event: KeyboardEvent): boolean {
  // What a window over the page leaves visible can't be used.
  if (document.querySelector('dialog[open]') !== null) return false
  if (event.ctrlKey || event.metaKey || event.altKey || isTyping(event.target)) return false
  const pressed = event.shiftKey && event.key.length > 1 ? `Shift+${event.key}` : event.key
  const command = all.find(({ key }) => key === pressed)
  if (command === undefined) return false
  event.preventDefault()
  command.run()
  return true
}

function isTyping(target: EventTarget | null): boolean {
  return (
    target instanceof HTMLElement &&
    (target.matches('input:not([type=range], [type=checkbox]), textarea, select') || target.isContentEditable)
  )
}
