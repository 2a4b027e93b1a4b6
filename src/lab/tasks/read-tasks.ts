/** Tasks of the user's own: a file of JSON Lines, each with a goal and what tells whether it is reached. */
import { basename, dirname, resolve } from 'node:path'
import { readFileText } from '../../files/open-file.ts'
import { errorText, isObject, parseJson } from '../../protocol/index.ts'
import { type Checker, readChecker } from '../check/checker.ts'
import { badTasks } from './shipped-tasks.ts'
import type { Task } from './task.ts'

/** A line without a goal is a checker for the lines after it that have none of their own. Throws BAD_INPUT with the line. */
export function readTasks(path: string): Task[] {
  const tasks: Task[] = []
  let common: Checker | null = null
  for (const [i, line] of linesOf(path).entries()) {
    if (line.trim() === '') continue
    const where = `${path}, line ${i + 1}`
    const given = parseJson(line)
    if (!isObject(given)) throw badTasks(`${where}: not a JSON object`)
    const own = given.check === undefined ? null : inFolder(readChecker(given.check, where), path)
    if (given.goal === undefined && own !== null) common = own
    else tasks.push(taskOf(given, own ?? common, { where, name: nameOf(path), line: i + 1 }))
  }
  if (tasks.length === 0) throw badTasks(`${path} has no tasks`)
  return tasks
}

function taskOf(
  { goal, id, group }: Readonly<Record<string, unknown>>,
  check: Checker | null,
  { where, name, line }: { where: string; name: string; line: number },
): Task {
  if (typeof goal !== 'string' || goal.trim() === '') throw badTasks(`${where}: "goal" must be a text`)
  if (check === null) throw badTasks(`${where}: there is no "check", such as {"exact": "Canberra"}`)
  return {
    id: typeof id === 'string' ? id : `${name}-${line}`,
    group: typeof group === 'string' ? group : name,
    goal,
    check,
  }
}

function linesOf(path: string): string[] {
  try {
    return readFileText(path)
      .replace(/^\ufeff/, '')
      .split('\n')
  } catch (error) {
    throw badTasks(`the tasks can't be read: ${errorText(error)}`)
  }
}

function inFolder(check: Checker, path: string): Checker {
  return 'program' in check ? { ...check, folder: dirname(resolve(path)) } : check
}

function nameOf(path: string): string {
  return basename(path).replace(/\.[^.]*$/, '')
}
