import { type AST, RegExpParser, visitRegExpAST } from '@eslint-community/regexpp'
import { analyse } from 'scslre'

/** Whether the time of the expression may grow faster than the text that it searches. */
export function mayBeSuperLinear(source: string, flags: string): boolean {
  const first = withShortWords(source, flags, (word) => word.find(isPunctuation) ?? word[0])
  const last = withShortWords(source, flags, (word) => word.at(-1))
  return [source, first, last].some((one) => analyse({ source: one, flags }).reports.length > 0)
}

/** Whether its time may double with each character: no text is short enough for it. */
export function isExponential(source: string, flags: string): boolean {
  return analyse({ source, flags }).reports.some(({ exponential }) => exponential)
}

/**
 * The expression with one character in place of each word, and without \b. The analysis finds that `"[^]*x` starts again at each quote, but not that
 * `case[^]*x` starts again at each `case`. Which character makes it seen depends on the loop: it must
 * contain that of the word before, and not that of the word after.
 */
function withShortWords(
  source: string,
  flags: string,
  keptOf: (word: readonly AST.Character[]) => AST.Character | undefined,
): string {
  const modes = { unicode: flags.includes('u'), unicodeSets: flags.includes('v') }
  const cuts: { readonly start: number; readonly end: number }[] = []
  visitRegExpAST(new RegExpParser().parsePattern(source, 0, source.length, modes), {
    onAlternativeEnter({ elements }) {
      let word: AST.Character[] = []
      for (const element of [...elements, null]) {
        const isBoundary = element?.type === 'Assertion' && element.kind === 'word'
        if (isBoundary) cuts.push(element)
        else if (element?.type === 'Character') word.push(element)
        else {
          const kept = keptOf(word)
          cuts.push(...word.filter((character) => character !== kept))
          word = []
        }
      }
    },
  })
  let short = source
  for (const { start, end } of cuts.sort((a, b) => b.start - a.start))
    short = short.slice(0, start) + short.slice(end)
  return short
}

function isPunctuation({ value }: AST.Character): boolean {
  return !/\w/.test(String.fromCodePoint(value))
}
