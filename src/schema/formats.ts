/** An example of each format whose patterns, as schema libraries write them, nobody can read. */
const EXAMPLES: Readonly<Record<string, string>> = {
  date: '2026-01-31',
  'date-time': '2026-01-31T09:30:00Z',
  time: '09:30:00',
  duration: 'P3DT12H',
  email: 'name@example.com',
  uuid: '4f1c7f4e-3f5b-4c7e-9a53-1d2f0c6b8a90',
  uri: 'https://example.com/page',
  ipv4: '192.0.2.1',
  ipv6: '2001:db8::1',
}

/** Longer patterns were not written for readers. */
const READABLE = 60

/** What stands for the schema's pattern where that can't be read: `date, such as 2026-01-31`. Undefined where the pattern says it. */
export function readableFormat({ format, pattern }: Readonly<Record<string, unknown>>): string | undefined {
  if (typeof pattern !== 'string' || pattern.length <= READABLE || typeof format !== 'string')
    return undefined
  return Object.hasOwn(EXAMPLES, format) ? `${format}, such as ${EXAMPLES[format]}` : undefined
}
