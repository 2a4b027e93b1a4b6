import type { Command } from '../command.ts'
import { BASIC_OPTIONS } from '../options.ts'

export const BACKUP: Command = {
  name: 'backup',
  usage: '<file>',
  takes: [1, 1],
  summary: 'copies the store to a file, as it is now, while processes work on runs in it',
  details: ['Nothing waits for the copy. Its runs can be resumed with --store <file>.'],
  options: BASIC_OPTIONS,
  load: async () => (await import('./backup.ts')).backup,
}
