import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { toolIo } from '../../testing/tool-io.ts'
import { calculateTool } from './calculate.ts'

describe('calculate', () => {
  it.each([
    ['1+2*3', '7', '7'],
    ['(1+2)*3', '9', '9'],
    ['0.1 + 0.2', '3/10', '0.3'],
    ['1/3', '1/3', `0.${'3'.repeat(20)}`],
    ['2/3', '2/3', `0.${'6'.repeat(19)}7`],
    ['-2/3', '-2/3', `-0.${'6'.repeat(19)}7`],
    ['200/3', '200/3', `66.${'6'.repeat(17)}7`],
    ['5/3', '5/3', `1.${'6'.repeat(18)}7`],
    ['1/300', '1/300', `0.00${'3'.repeat(20)}`],
    ['10/11', '10/11', '0.90909090909090909091'],
    ['2 * 10^30 / 3', `2${'0'.repeat(30)}/3`, `${'6'.repeat(29)}7`],
    ['1/2^50', `1/${2n ** 50n}`, '0.00000000000000088817841970012523233890533447265625'],
    ['1/2^60', `1/${2n ** 60n}`, '0.00000000000000000086736173798840354721'],
    ['1/(3 * 10^60)', `1/3${'0'.repeat(60)}`, `0.${'0'.repeat(50)}`],
    ['1/8', '1/8', '0.125'],
    ['-2^2', '-4', '-4'],
    ['(-2)^2', '4', '4'],
    ['2^3^2', '512', '512'],
    ['2^-2', '1/4', '0.25'],
    ['2**10', '1024', '1024'],
    ['10 - 2 - 3', '5', '5'],
    ['100 / 10 / 5', '2', '2'],
    ['--3', '3', '3'],
    ['2 * -3', '-6', '-6'],
    ['2^100', `${2n ** 100n}`, `${2n ** 100n}`],
    ['200 * 15%', '30', '30'],
    ['(1+1)%', '1/50', '0.02'],
    ['50%%', '1/200', '0.005'],
    ['1.5e3 + 2E-2', '75001/50', '1500.02'],
    ['.5 + 5.', '11/2', '5.5'],
    ['（１＋２）×３÷４', '9/4', '2.25'],
    ['７−８', '-1', '-1'],
    ['(-1)^999999999999999999999', '-1', '-1'],
    ['1^-99999999999999999999', '1', '1'],
    ['0^0', '1', '1'],
    ['0^5', '0', '0'],
    ['(2/3)^-3', '27/8', '3.375'],
    [' 1\n+\t1 ', '2', '2'],
    ['1/7 * 7', '1', '1'],
  ])('%s = %s', async (expression, exact, decimal) => {
    expect(await call(expression)).toMatchObject({ exact, decimal })
  })

  it('says when the decimal is rounded', async () => {
    expect(await call('1/3')).toMatchObject({ rounded: true })
    expect(await call('1/4')).not.toHaveProperty('rounded')
    expect(await call('1/2^60')).toMatchObject({ rounded: true })
  })

  it.each([
    ['1/0', 'division by zero'],
    ['1/(2-2)', 'division by zero'],
    ['0^-1', 'division by zero'],
    ['2^0.5', 'whole number, not 1/2'],
    ['9^9^9', '10,000 digits'],
    ['10^20000', '10,000 digits'],
    ['1e999999', '10,000 digits'],
    ['1e-999999', '10,000 digits'],
    ['1 +', 'it ends where a number'],
    ['(1', 'it ends where a )'],
    ['1)', 'there is ")"'],
    ['1 2', 'an operator'],
    ['7 % 3', 'means percent'],
    ['1,000 + 1', 'without separators'],
    ['3²', 'there is "²"'],
    ['process.exit()', 'there is "p"'],
    ['1;2', 'there is ";"'],
    ['1.2.3', 'an operator'],
    ['0x10', 'there is "x"'],
    ['', 'empty'],
    [`${'('.repeat(5_000)}1`, 'nested more than'],
    [`${'2^'.repeat(4_000)}1`, 'nested more than'],
  ])('refuses %s', async (expression, why) => {
    await expect(call(expression)).rejects.toThrow(why)
  })

  it('takes a long row of signs', async () => {
    expect(await call(`${'-'.repeat(9_000)}1`)).toMatchObject({ exact: '1' })
  })

  it('agrees with whole numbers of any size, and with fractions', async () => {
    const size = fc.bigInt({ min: -(10n ** 40n), max: 10n ** 40n })
    await fc.assert(
      fc.asyncProperty(size, size, size, async (a, b, c) => {
        expect(await call(`(${a}) * (${b}) - (${c})`)).toMatchObject({ exact: `${a * b - c}` })
        fc.pre(b !== 0n && c !== 0n)
        expect(
          await call(`(${a})/(${b}) + (${b})/(${c}) - ((${a})*(${c}) + (${b})^2)/((${b})*(${c}))`),
        ).toMatchObject({
          exact: '0',
        })
      }),
    )
  })
})

async function call(expression: string): Promise<unknown> {
  return calculateTool().run({ expression }, toolIo())
}
