/** The tasks of a plan, edited in place. Alt with the arrow keys moves a task. The focus follows what is done: it is never lost. */
import { type KeyboardEvent, useEffect, useRef } from 'react'
import { flushSync } from 'react-dom'
import type { DraftTask } from 'thinkon/views'
import { Button } from '../../parts/button.tsx'
import { useWords } from '../../preferences.ts'
import { addTask, allTasks, changeTask, moveTask, removeTask } from './draft-changes.ts'
import { HANDS_WORDS } from './words.ts'

interface Props {
  draft: readonly DraftTask[]
  onChange(draft: readonly DraftTask[]): void
}

export function PlanEditor({ draft, onChange }: Props) {
  const words = useWords(HANDS_WORDS)
  const editor = useRef<HTMLDivElement>(null)
  const made = useRef(0)
  useEffect(() => editor.current?.querySelector('input')?.focus(), [])
  const edit: Editing['edit'] = (change, ...next) => {
    flushSync(() => onChange(change(draft)))
    const found = next.map((place) => editor.current?.querySelector<HTMLElement>(place))
    found.find((control) => control?.matches(':enabled'))?.focus()
  }
  const add = (under: string | null) => {
    made.current++
    const isTaken = (name: string) => allTasks(draft).some((task) => task.name === name)
    let name = words.newTask
    for (let n = 2; isTaken(name); n++) name = `${words.newTask} ${n}`
    const id = `new-${made.current}`
    const task = { id, name, goal: '', dependsOn: [], subtasks: [], hasBegun: false }
    edit((draft) => addTask(draft, under, task), nameOf(id))
    // Its name is typed over.
    editor.current?.querySelector<HTMLInputElement>(nameOf(id))?.select()
  }
  const remove = (id: string) => {
    const left = allTasks(removeTask(draft, id))
    const next = left[allTasks(draft).findIndex((task) => task.id === id)] ?? left.at(-1)
    edit((draft) => removeTask(draft, id), next ? nameOf(next.id) : '.plan-add')
  }
  const editing: Editing = { all: allTasks(draft), add, remove, edit }
  return (
    <div ref={editor} className="plan-editor">
      <Tasks tasks={draft} number="" editing={editing} />
      <Button look="quiet" icon="plus" className="plan-add" onClick={() => add(null)}>
        {words.addTask}
      </Button>
    </div>
  )
}

interface Editing {
  readonly all: readonly DraftTask[]
  add(under: string | null): void
  remove(id: string): void
  /** `next`: selectors of what gets the focus then, the first that is there and can have it. Without any, it stays. */
  edit(change: (draft: readonly DraftTask[]) => DraftTask[], ...next: readonly string[]): void
}

function rowOf(id: string): string {
  return `[data-task="${CSS.escape(id)}"]`
}

function nameOf(id: string): string {
  return `${rowOf(id)} .plan-name`
}

function Tasks({
  tasks,
  number,
  editing,
}: {
  tasks: readonly DraftTask[]
  number: string
  editing: Editing
}) {
  const words = useWords(HANDS_WORDS)
  return (
    <ol className="plan-tasks" aria-label={words.plan}>
      {tasks.map((task, at) => (
        <li key={task.id}>
          <TaskRow task={task} number={`${number}${at + 1}`} at={at} of={tasks.length} editing={editing} />
          {task.subtasks.length > 0 && (
            <Tasks tasks={task.subtasks} number={`${number}${at + 1}.`} editing={editing} />
          )}
        </li>
      ))}
    </ol>
  )
}

interface RowProps {
  task: DraftTask
  number: string
  at: number
  of: number
  editing: Editing
}

function TaskRow({ task, number, at, of, editing: { all, add, remove, edit } }: RowProps) {
  const words = useWords(HANDS_WORDS)
  const { id, name, goal, hasBegun } = task
  const change = (changed: Partial<DraftTask>) => edit((draft) => changeTask(draft, id, changed))
  const move = (by: 1 | -1, ...next: readonly string[]) => edit((draft) => moveTask(draft, id, by), ...next)
  // Where it can go no further, the other way is left.
  const [up, down] = [`${rowOf(id)} .plan-up`, `${rowOf(id)} .plan-down`]
  const wait = (dependsOn: readonly string[]) =>
    edit(
      (draft) => changeTask(draft, id, { dependsOn }),
      `${rowOf(id)} .plan-select`,
      `${rowOf(id)} .plan-chip button`,
    )
  const press = (event: KeyboardEvent) => {
    const by = { ArrowUp: -1, ArrowDown: 1 }[event.key] as 1 | -1 | undefined
    if (!event.altKey || by === undefined) return
    event.preventDefault()
    move(by)
  }
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: the keys are those of the fields inside.
    <div className="plan-task" data-task={id} onKeyDown={press}>
      <span className="dim numbers plan-number">{number}</span>
      <input
        className="input plan-name"
        aria-label={`${words.name} ${number}`}
        value={name}
        onChange={(event) => change({ name: event.target.value })}
      />
      <span className="plan-buttons">
        {hasBegun && <span className="tag">{words.begun}</span>}
        <Button
          look="quiet"
          icon="up"
          className="plan-up"
          aria-label={`${words.up}: ${name}`}
          disabled={at === 0}
          onClick={() => move(-1, up, down)}
        />
        <Button
          look="quiet"
          icon="down"
          className="plan-down"
          aria-label={`${words.down}: ${name}`}
          disabled={at === of - 1}
          onClick={() => move(1, down, up)}
        />
        <Button look="quiet" icon="plus" aria-label={`${words.addBelow}: ${name}`} onClick={() => add(id)} />
        <Button
          look="quiet"
          icon="trash"
          aria-label={`${words.remove}: ${name}`}
          disabled={hasBegun}
          onClick={() => remove(id)}
        />
      </span>
      <textarea
        className="input plan-goal"
        rows={1}
        aria-label={`${words.goal} ${number}`}
        placeholder={words.goal}
        value={goal}
        onChange={(event) => change({ goal: event.target.value })}
      />
      {!hasBegun && <After task={task} all={all} onChange={wait} />}
    </div>
  )
}

interface AfterProps {
  task: DraftTask
  all: readonly DraftTask[]
  onChange(dependsOn: readonly string[]): void
}

function After({ task: { id, name, dependsOn }, all, onChange }: AfterProps) {
  const words = useWords(HANDS_WORDS)
  const others = all.filter((other) => other.id !== id && !dependsOn.includes(other.id))
  return (
    <div className="plan-after">
      {all
        .filter((other) => dependsOn.includes(other.id))
        .map((other) => (
          <span key={other.id} className="plan-chip">
            <span className="one-line">{`${words.after} ${other.name}`}</span>
            <button
              type="button"
              aria-label={`${words.dropAfter(other.name)}: ${name}`}
              onClick={() => onChange(dependsOn.filter((one) => one !== other.id))}
            >
              ×
            </button>
          </span>
        ))}
      {others.length > 0 && (
        <select
          className="input plan-select"
          aria-label={`${words.waitFor} ${name}`}
          value=""
          onKeyDown={openByArrow}
          onChange={(event) => onChange([...dependsOn, event.target.value])}
        >
          <option value="">{words.waitFor}</option>
          {others.map((other) => (
            <option key={other.id} value={other.id}>
              {other.name}
            </option>
          ))}
        </select>
      )}
    </div>
  )
}

/** Of a closed list many browsers choose what comes next, at once. */
function openByArrow(event: KeyboardEvent<HTMLSelectElement>): void {
  if (event.altKey || !/^Arrow(?:Up|Down)$/.test(event.key)) return
  event.preventDefault()
  event.currentTarget.showPicker()
}
