import type { Command, OptionSpec } from '../command.ts'
import { BASIC_OPTIONS, WORK_OPTIONS } from '../options.ts'

export const DOCTOR: Command = {
  name: 'doctor',
  usage: '',
  takes: [0, 0],
  summary: 'shows what is configured, what is reachable, what is missing and how to get it',
  details: [
    'Exits with 0 if a run could start, 2 if not. Keys are listed by name, never shown, and sent nowhere.',
  ],
  options: {
    deep: { type: 'boolean', help: 'start the MCP servers too' },
    'accept-loss': {
      type: 'boolean',
      help: 'use a store that was separated from its -wal (STORE_WAL_MISSING), without what was in it',
    },
    model: WORK_OPTIONS.model as OptionSpec,
    ...BASIC_OPTIONS,
  },
  untrusted: 'defaults',
  load: async () => (await import('./doctor.ts')).doctor,
}
