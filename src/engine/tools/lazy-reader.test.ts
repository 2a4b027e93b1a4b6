import { expect, it } from 'vitest'
import { memoryStore } from '../../store/memory.ts'
import { lazyReader } from './lazy-reader.ts'
import { openToolbox } from './toolbox.ts'

it('describes read_result as the tool that it loads does', async () => {
  const store = memoryStore()
  const [lazy] = lazyReader(store).tools
  const [tool] = (await openToolbox([], store)).tools
  const about = (one: typeof tool) => [
    one?.name,
    one?.description,
    one?.access,
    one?.hidden,
    one?.input?.json,
  ]
  expect(about(lazy)).toEqual(about(tool))
})
