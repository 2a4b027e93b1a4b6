/** The addresses of runs as resources. */
export const RUNS = 'thinkon://runs'

/** Of a run, and of its tree. */
export const RUN_URI = /^thinkon:\/\/runs\/([A-Za-z0-9][A-Za-z0-9._~-]{0,127})(\/tree)?$/

/** The run that a URI is about; null if it is about none. */
export function runOfUri(uri: string): string | null {
  return RUN_URI.exec(uri)?.[1] ?? null
}
