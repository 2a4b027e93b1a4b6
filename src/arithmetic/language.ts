/** The languages that goals are understood in. */
export type Language = 'en' | 'zh'

export function languageOf(text: string): Language {
  return /\p{Script=Han}/u.test(text) ? 'zh' : 'en'
}
