/** The options of `thinkon cluster dev`, and the command line of its workers. */
import { MOST_WORKERS } from '../../cluster/dev-folder.ts'
import { textOption, type Values } from '../command.ts'
import { badInput, wholeNumber } from '../options.ts'

const WORKERS = 3

export function workersOption(values: Values): number {
  const given = textOption(values, 'workers')
  const workers = given === undefined ? WORKERS : wholeNumber('--workers', given)
  if (workers < 1 || workers > MOST_WORKERS) throw badInput(`--workers must be 1 to ${MOST_WORKERS}`)
  return workers
}

/** This program, as it was started, with the words of another command. */
export function workerCommand(
  words: readonly string[],
  values: Values,
  workspace: string,
): [string, ...string[]] {
  const model = textOption(values, 'model')
  return [
    process.execPath,
    ...process.execArgv,
    process.argv[1] as string,
    ...words,
    ...['--workspace', workspace],
    ...(model === undefined ? [] : ['--model', model]),
    ...((values.mcp ?? []) as readonly string[]).flatMap((server) => ['--mcp', server]),
  ]
}
