/** The tasks of a plan, to be read. */
import type { DraftTask } from 'thinkon/views'
import { useWords } from '../../preferences.ts'
import { allTasks } from './draft-changes.ts'
import { HANDS_WORDS } from './words.ts'

export function PlanOutline({ draft }: { draft: readonly DraftTask[] }) {
  const names = new Map(allTasks(draft).map(({ id, name }) => [id, name]))
  return <Outline tasks={draft} number="" names={names} />
}

interface Props {
  tasks: readonly DraftTask[]
  number: string
  names: ReadonlyMap<string, string>
}

function Outline({ tasks, number, names }: Props) {
  const words = useWords(HANDS_WORDS)
  return (
    <ol className="plan-outline" aria-label={words.plan}>
      {tasks.map(({ id, name, goal, dependsOn, subtasks, hasBegun }, at) => (
        <li key={id}>
          <span className="dim numbers plan-number">{`${number}${at + 1}`}</span>
          <div>
            <span className="text">{name}</span>
            {hasBegun && <span className="tag">{words.begun}</span>}
            {dependsOn.map((other) => (
              <span key={other} className="tag">{`${words.after} ${names.get(other) ?? other}`}</span>
            ))}
            {goal !== name && <p className="text dim">{goal}</p>}
            {subtasks.length > 0 && <Outline tasks={subtasks} number={`${number}${at + 1}.`} names={names} />}
          </div>
        </li>
      ))}
    </ol>
  )
}
