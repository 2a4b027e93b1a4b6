import { expect, it, vi } from 'vitest'
import { ThinkonError } from '../../protocol/index.ts'
import { release } from './release.ts'

const away = () => new ThinkonError('STORE_BUSY', 'the server is away', { data: { store: 'db' } })

it('a run that ended while its server was away is released when it is back', async () => {
  const store = { release: vi.fn<(run: string, epoch: number) => Promise<void>>(async () => {}) }
  store.release.mockRejectedValueOnce(away()).mockRejectedValueOnce(away())
  await release(store, 'run-1', 7)
  await expect.poll(() => store.release.mock.calls).toHaveLength(3)
  expect(store.release).toHaveBeenLastCalledWith('run-1', 7)
})
