// `npm run bench -- lab`: no strategy solves less than the stored table leaves room for.
import { expect, it } from 'vitest'
import { type BenchRow, run, worseThan } from '../../bench/lab.ts'
import stored from '../../bench/lab-table.json' with { type: 'json' }

it('no setting is worse than it was', async () => {
  const { figures } = await run()
  expect(figures.worse).toEqual([])
  // What the lab is there to show: search with a verifier beats one answer, recursion both, and search in steps all.
  const share = (name: string) => (figures.rows as BenchRow[]).find((row) => row.setting === name)?.share ?? 0
  expect(share('best-of samples=9')).toBeGreaterThan(share('best-of samples=1'))
  expect(share('fractal')).toBeGreaterThan(share('best-of samples=9'))
  expect(share('tot')).toBeGreaterThan(share('fractal'))
})

it('a setting that solves clearly less, takes clearly more calls or is gone is named', () => {
  const [, ...others] = stored
  expect(worseThan(others, stored)).toEqual(['best-of samples=1: not measured'])
  const changed = stored.map((row) => ({ ...row, share: row.low - 0.01, calls: row.calls * 1.2 }))
  expect(worseThan(changed, stored)).toHaveLength(2 * stored.length)
  expect(
    worseThan(
      stored.map((row) => ({ ...row, share: row.low })),
      stored,
    ),
  ).toEqual([])
})
