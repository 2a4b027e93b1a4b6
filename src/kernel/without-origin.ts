import type { Event, RunConfig } from '../protocol/index.ts'

/** The event for exports, imports and streams, without `startedBy`, which stays in the store where the run was started. */
export function withoutOrigin<E extends { readonly type: string }>(event: E): E {
  if (event.type !== 'run-start') return event
  const start = event as unknown as Event & { type: 'run-start' }
  return { ...start, config: configWithoutOrigin(start.config) } as unknown as E
}

export function configWithoutOrigin<Config extends Partial<RunConfig>>(config: Config): Config {
  if (config.startedBy === undefined) return config
  const { startedBy: _, ...rest } = config
  return rest as unknown as Config
}
