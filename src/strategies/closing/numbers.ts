/** Whole numbers in words and digits, English and Chinese. */

const WORDS: Readonly<Record<string, number>> = {
  one: 1,
  two: 2,
  three: 3,
  four: 4,
  five: 5,
  six: 6,
  seven: 7,
  eight: 8,
  nine: 9,
  ten: 10,
  eleven: 11,
  twelve: 12,
  fifteen: 15,
  twenty: 20,
  thirty: 30,
  forty: 40,
  fifty: 50,
  sixty: 60,
  eighty: 80,
  'a hundred': 100,
  'one hundred': 100,
  'two hundred': 200,
  'three hundred': 300,
  'five hundred': 500,
  'a thousand': 1_000,
}

/** Sources of patterns: one number. */
export const NUMBER_EN = String.raw`(?:\d{1,3}(?:,\d{3})+|\d{1,6}|${Object.keys(WORDS)
  .sort((a, b) => b.length - a.length)
  .join('|')})`
export const NUMBER_ZH = String.raw`(?:\d{1,6}|[一二两三四五六七八九十百千]{1,7})`

export function numberOf(text: string): number {
  const plain = text.toLowerCase().replaceAll(',', '')
  if (/^\d+$/.test(plain)) return Number(plain)
  return WORDS[plain] ?? chineseNumber(plain)
}

const DIGITS = '零一二三四五六七八九'
const POWERS: Readonly<Record<string, number>> = { 十: 10, 百: 100, 千: 1_000 }

function chineseNumber(text: string): number {
  let sum = 0
  let digit = 0
  for (const char of text.replaceAll('两', '二')) {
    const power = POWERS[char]
    if (power === undefined) digit = DIGITS.indexOf(char)
    else {
      sum += (digit === 0 ? 1 : digit) * power
      digit = 0
    }
  }
  return sum + digit
}
