/** A command line as a process: the shell that runs it, and the environment it sees. */
import { existsSync } from 'node:fs'
import { toolError } from './define-tool.ts'

/** The only environment variables that a command sees, besides those configured: keys stay out. */
const PASSED_NAMES = ['PATH', 'HOME', 'LANG', 'TERM', 'TMPDIR']

export function passedEnv(names: readonly string[]): Record<string, string> {
  const passed = [...PASSED_NAMES, ...names].map((name) => [name, process.env[name]] as const)
  return Object.fromEntries(passed.filter((entry): entry is [string, string] => entry[1] !== undefined))
}

/** Throws if no process can be given this command. */
export function shellArgv(command: string): [string, ...string[]] {
  if (command.includes('\0')) throw toolError('a command must not contain a NUL character')
  const bash = ['/bin/bash', '/usr/bin/bash', '/usr/local/bin/bash'].find((path) => existsSync(path))
  // A command that begins with - must not be taken for an option.
  return [bash ?? '/bin/sh', '-c', command.startsWith('-') ? ` ${command}` : command]
}
