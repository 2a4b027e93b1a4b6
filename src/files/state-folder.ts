/**
 * The folder for state that grants rights: trust records, keys, tokens, webhook deliveries. It belongs to the user and is never below a
 * workspace, because models read workspaces and repositories bring files into them.
 */
import { createHash } from 'node:crypto'
import { isAbsolute, join } from 'node:path'
import { homeFolder, realPathOf } from './look.ts'

const WORKSPACES = 'workspaces'

/**
 * `$THINKON_STATE`, or `$XDG_STATE_HOME/thinkon`, or `~/.local/state/thinkon`. Relative paths are ignored, as the XDG specification requires:
 * they would depend on the current folder.
 */
export function stateFolder(env: NodeJS.ProcessEnv = process.env): string {
  const { THINKON_STATE: own = '', XDG_STATE_HOME: shared = '' } = env
  if (isAbsolute(own)) return own
  return join(isAbsolute(shared) ? shared : join(homeFolder(), '.local', 'state'), 'thinkon')
}

/** The state of one workspace, named after the hash of its real path, so that moved or linked folders don't share state by name. */
export function workspaceState(workspace: string): string {
  const path = realPathOf(workspace) ?? workspace
  return join(stateFolder(), WORKSPACES, createHash('sha256').update(path).digest('hex').slice(0, 32))
}
