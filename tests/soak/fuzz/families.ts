import type { Family } from './family.ts'
import * as files from './files.ts'
import * as replies from './replies.ts'
import * as servers from './servers.ts'
import * as tools from './tools.ts'

/** Every parser of outside text. */
export const FAMILIES: readonly Family[] = [replies, files, tools, servers].flatMap((module) =>
  Object.values(module),
)
