/** Changes of a plan that is edited; each makes a new one. */
import type { DraftTask } from 'thinkon/views'

type Draft = readonly DraftTask[]

export function changeTask(draft: Draft, id: string, change: Partial<DraftTask>): DraftTask[] {
  return draft.map((task) =>
    task.id === id ? { ...task, ...change } : { ...task, subtasks: changeTask(task.subtasks, id, change) },
  )
}

/** With all below it, and with what waited for any of these. */
export function removeTask(draft: Draft, id: string): DraftTask[] {
  const gone = new Set(allTasks(draft).flatMap((task) => (task.id === id ? idsOf(task) : [])))
  const kept = (tasks: Draft): DraftTask[] =>
    tasks
      .filter((task) => !gone.has(task.id))
      .map((task) => ({
        ...task,
        dependsOn: task.dependsOn.filter((other) => !gone.has(other)),
        subtasks: kept(task.subtasks),
      }))
  return kept(draft)
}

/** Among the tasks that it stands with. */
export function moveTask(draft: Draft, id: string, by: 1 | -1): DraftTask[] {
  const at = draft.findIndex((task) => task.id === id)
  if (at < 0) return draft.map((task) => ({ ...task, subtasks: moveTask(task.subtasks, id, by) }))
  const to = at + by
  if (to < 0 || to >= draft.length) return [...draft]
  const moved = [...draft]
  moved.splice(to, 0, ...moved.splice(at, 1))
  return moved
}

/** Below a task, or at the top. */
export function addTask(draft: Draft, under: string | null, task: DraftTask): DraftTask[] {
  if (under === null) return [...draft, task]
  return draft.map((one) =>
    one.id === under
      ? { ...one, subtasks: [...one.subtasks, task] }
      : { ...one, subtasks: addTask(one.subtasks, under, task) },
  )
}

export function allTasks(draft: Draft): DraftTask[] {
  return draft.flatMap((task) => [task, ...allTasks(task.subtasks)])
}

function idsOf(task: DraftTask): string[] {
  return [task, ...allTasks(task.subtasks)].map(({ id }) => id)
}
