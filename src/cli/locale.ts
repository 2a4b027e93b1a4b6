import type { Lang } from '../views/words.ts'

/** The language of the person's system, for what is said where no run is talked about. */
export function localeLang(env: Readonly<Record<string, string | undefined>> = process.env): Lang {
  const locale = env.LC_ALL || env.LC_MESSAGES || env.LANG || ''
  return /^zh\b|^zh_/i.test(locale) ? 'zh' : 'en'
}
