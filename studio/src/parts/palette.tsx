/** Ctrl-K: everything that can be done here, found by typing a part of its name. */
import { type KeyboardEvent, useId, useState } from 'react'
import { flushSync } from 'react-dom'
import { useWords } from '../preferences.ts'
import { type Command, useAllCommands } from './commands.ts'
import { Dialog } from './dialog.tsx'

const WORDS = {
  en: { title: 'What do you want to do?', find: 'Find a command', none: 'Nothing is called that.' },
  zh: { title: '想做什么？', find: '查找命令', none: '没有这样的命令。' },
}

export function Palette({ onClose }: { onClose(): void }) {
  const words = useWords(WORDS)
  const id = useId()
  const [typed, setTyped] = useState('')
  const [chosen, setChosen] = useState(0)
  const found = useAllCommands().filter(({ name }) => isPartOf(typed, name))
  const run = (command: Command | undefined) => {
    if (command === undefined) return
    // What the command focuses can have the focus only when the window is gone.
    flushSync(onClose)
    command.run()
  }
  const press = (event: KeyboardEvent) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key]
    if (step !== undefined && found.length > 0) {
      event.preventDefault()
      setChosen((chosen + step + found.length) % found.length)
    } else if (event.key === 'Enter') {
      event.preventDefault()
      run(found[chosen])
    }
  }
  return (
    <Dialog title={words.title} onClose={onClose}>
      <input
        className="input palette-input"
        autoFocus
        role="combobox"
        aria-expanded="true"
        aria-controls={`${id}-list`}
        aria-activedescendant={found.length > 0 ? `${id}-${chosen}` : undefined}
        aria-label={words.find}
        placeholder={words.find}
        value={typed}
        onChange={(event) => {
          setTyped(event.target.value)
          setChosen(0)
        }}
        onKeyDown={press}
      />
      <div className="palette-list" role="listbox" id={`${id}-list`} aria-label={words.title}>
        {found.map((command, at) => (
          // biome-ignore lint/a11y/useKeyWithClickEvents: the keys are those of the input, which keeps the focus.
          // biome-ignore lint/a11y/useFocusableInteractive: as above.
          <div
            key={command.id}
            id={`${id}-${at}`}
            ref={at === chosen ? intoView : null}
            role="option"
            className="palette-item"
            aria-selected={at === chosen}
            onMouseMove={() => setChosen(at)}
            onClick={() => run(command)}
          >
            <span className="one-line">{command.name}</span>
            {command.key && <kbd>{command.key}</kbd>}
          </div>
        ))}
        {found.length === 0 && <p className="dim">{words.none}</p>}
      </div>
    </Dialog>
  )
}

function intoView(item: HTMLElement | null): void {
  item?.scrollIntoView({ block: 'nearest' })
}

/** All of its words, in any order. */
function isPartOf(typed: string, name: string): boolean {
  const text = name.toLocaleLowerCase()
  return typed
    .toLocaleLowerCase()
    .split(/\s+/)
    .every((word) => text.includes(word))
}
