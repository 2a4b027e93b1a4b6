/** The languages in which goals are understood and answered. */
export const LANGUAGES = ['en', 'zh'] as const
export type Language = (typeof LANGUAGES)[number]

/** Chinese if the text contains any, unless it is quoted in an English sentence: "Translate 你好 to English". */
export function languageOf(text: string): Language {
  if (!HAN.test(text)) return 'en'
  return ENGLISH.test(text) && !CHINESE.test(text) ? 'en' : 'zh'
}

const HAN = /\p{Script=Han}/u
// Function words, which are seldom quoted alone.
const ENGLISH = /\b(?:the|an?|to|of|and|or|in|into|for|with|from|is|are|that|this|it|on|as|by)\b/i
const CHINESE = /[的了在把用和并是将与中请为从到写给让使找出查定位计算求得实现编修创]/u
