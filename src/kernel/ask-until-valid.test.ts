import { describe, expect, it, vi } from 'vitest'
import { askUntilValid, type Checked } from './ask-until-valid.ts'

/** Replies with these verdicts in turn, and keeps what it was told. */
function asking(verdicts: Checked<string>[]) {
  const told: (readonly string[])[] = []
  const onRefused = vi.fn()
  return {
    told,
    onRefused,
    maxAsks: 3,
    async ask(problems: readonly string[]) {
      told.push(problems)
      return verdicts.shift() as Checked<string>
    },
    giveUp(problems: readonly string[], asks: number): string {
      throw new Error(`${asks}: ${problems.join()}`)
    },
  }
}

const refused = (...problems: string[]): Checked<string> => ({ ok: false, problems })

describe('askUntilValid', () => {
  it('returns the first valid reply and asks no more', async () => {
    const once = asking([{ ok: true, value: 'yes' }])
    expect(await askUntilValid(once)).toBe('yes')
    expect(once.told).toEqual([[]])
    expect(once.onRefused).not.toHaveBeenCalled()
  })

  it('asks again with the problems of the last reply alone', async () => {
    const thrice = asking([refused('a', 'b'), refused('c'), { ok: true, value: 'yes' }])
    expect(await askUntilValid(thrice)).toBe('yes')
    expect(thrice.told).toEqual([[], ['a', 'b'], ['c']])
  })

  it('gives up after the last ask, which is reported like the others', async () => {
    const never = asking([refused('a'), refused('b'), refused('c')])
    await expect(askUntilValid(never)).rejects.toThrow('3: c')
    expect(never.onRefused).toHaveBeenCalledTimes(3)
  })

  it('may give up with the best there is', async () => {
    const never = asking([refused('a'), refused('b'), refused('c')])
    expect(await askUntilValid({ ...never, giveUp: () => 'the best' })).toBe('the best')
  })
})
