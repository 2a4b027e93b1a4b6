/** What a person has chosen, kept in the browser: language and theme. */
import { useSyncExternalStore } from 'react'

export type Lang = 'en' | 'zh'
export type Theme = 'system' | 'light' | 'dark'

interface Preferences {
  readonly lang: Lang
  readonly theme: Theme
}

const KEY = 'thinkon-studio'
const listeners = new Set<() => void>()
let chosen: Preferences = { lang: systemLang(), theme: 'system', ...stored() }
apply()

export function usePreferences(): Preferences {
  return useSyncExternalStore(subscribe, () => chosen)
}

export function setPreference(change: Partial<Preferences>): void {
  chosen = { ...chosen, ...change }
  apply()
  // A page that is opened from disk may have nowhere to keep it.
  try {
    localStorage.setItem(KEY, JSON.stringify(chosen))
  } catch (error) {
    console.warn('preferences are not kept', error)
  }
  for (const listener of listeners) listener()
}

/** The texts of one part of the page, in the chosen language: both languages have the same. */
export function useWords<Words>(words: Readonly<Record<Lang, Words>>): Words {
  return words[usePreferences().lang]
}

function apply(): void {
  const { documentElement } = document
  documentElement.lang = chosen.lang === 'zh' ? 'zh-CN' : 'en'
  if (chosen.theme === 'system') delete documentElement.dataset.theme
  else documentElement.dataset.theme = chosen.theme
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

function systemLang(): Lang {
  return navigator.language.toLowerCase().startsWith('zh') ? 'zh' : 'en'
}

function stored(): Partial<Preferences> {
  try {
    const { lang, theme } = JSON.parse(localStorage.getItem(KEY) ?? '{}') as Partial<Preferences>
    return {
      ...((lang === 'en' || lang === 'zh') && { lang }),
      ...((theme === 'light' || theme === 'dark') && { theme }),
    }
  } catch {
    return {}
  }
}
