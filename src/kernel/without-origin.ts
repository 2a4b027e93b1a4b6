import type { Event, RunConfig } from '../protocol/index.ts'

/** The event as it leaves a store or a service, or comes into one: who started the run is known where it was started, and nowhere else. */
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
