/** The tasks of a plan, edited in place. Alt with the arrow keys moves a task. */
import { type KeyboardEvent, useRef } from 'react'
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
  const made = useRef(0)
  const add = (under: string | null) => {
    made.current++
    const isTaken = (name: string) => allTasks(draft).some((task) => task.name === name)
    let name = words.newTask
    for (let n = 2; isTaken(name); n++) name = `${words.newTask} ${n}`
    const id = `new-${made.current}`
    onChange(addTask(draft, under, { id, name, goal: '', dependsOn: [], subtasks: [], hasBegun: false }))
  }
  const editing: Editing = { all: allTasks(draft), add, edit: (change) => onChange(change(draft)) }
  return (
    <div className="plan-editor">
      <Tasks tasks={draft} number="" editing={editing} />
      <Button look="quiet" icon="plus" onClick={() => add(null)}>
        {words.addTask}
      </Button>
    </div>
  )
}

interface Editing {
  readonly all: readonly DraftTask[]
  add(under: string | null): void
  edit(change: (draft: readonly DraftTask[]) => DraftTask[]): void
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

function TaskRow({ task, number, at, of, editing: { all, add, edit } }: RowProps) {
  const words = useWords(HANDS_WORDS)
  const { id, name, goal, hasBegun } = task
  const change = (changed: Partial<DraftTask>) => edit((draft) => changeTask(draft, id, changed))
  const move = (by: 1 | -1) => edit((draft) => moveTask(draft, id, by))
  const press = (event: KeyboardEvent) => {
    const by = { ArrowUp: -1, ArrowDown: 1 }[event.key] as 1 | -1 | undefined
    if (!event.altKey || by === undefined) return
    event.preventDefault()
    move(by)
  }
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: the keys are those of the fields inside.
    <div className="plan-task" onKeyDown={press}>
      <span className="dim numbers plan-number">{number}</span>
      <input
        className="input"
        aria-label={`${words.name} ${number}`}
        value={name}
        onChange={(event) => change({ name: event.target.value })}
      />
      <span className="plan-buttons">
        {hasBegun && <span className="tag">{words.begun}</span>}
        <Button
          look="quiet"
          icon="up"
          aria-label={`${words.up}: ${name}`}
          disabled={at === 0}
          onClick={() => move(-1)}
        />
        <Button
          look="quiet"
          icon="down"
          aria-label={`${words.down}: ${name}`}
          disabled={at === of - 1}
          onClick={() => move(1)}
        />
        <Button look="quiet" icon="plus" aria-label={`${words.addBelow}: ${name}`} onClick={() => add(id)} />
        <Button
          look="quiet"
          icon="trash"
          aria-label={`${words.remove}: ${name}`}
          disabled={hasBegun}
          onClick={() => edit((draft) => removeTask(draft, id))}
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
      {!hasBegun && <After task={task} all={all} onChange={(dependsOn) => change({ dependsOn })} />}
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
