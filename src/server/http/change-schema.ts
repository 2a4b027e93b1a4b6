/** The schema of a change of a file (`FileChange` of thinkon/views), for the OpenAPI document. */
import { list, object } from './schemas.ts'

export const FILE_CHANGE = {
  title: 'FileChange',
  description: 'The lines that come and go in a file.',
  ...object({
    path: { type: 'string' },
    lines: list(
      object({ kind: { enum: ['same', 'added', 'removed', 'skipped'] }, text: { type: 'string' } }),
    ),
    isBlind: { type: 'boolean', description: 'It is not known what the file holds.' },
  }),
} as const
