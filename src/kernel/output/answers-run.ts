import { type Ancestor, type Goal, goalText } from '../../protocol/index.ts'

/**
 * Whether the block's result is the run's: the root, and whom it has handed its goal to as it is, as `auto` does. What any other gives
 * is for its parent.
 */
export function answersRun(goal: Goal, ancestors: readonly Ancestor[]): boolean {
  if (ancestors.length === 0) return true
  const text = goalText(goal)
  return ancestors.every((above) => above.todo.length === 0 && goalText(above.goal) === text)
}
