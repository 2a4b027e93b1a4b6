/**
 * The form of a block at a moment. Of strategies that ship it is made here, at once; of others by the service, which runs their code: the
 * page never does.
 */
import { useEffect, useMemo, useRef, useState } from 'react'
import type { Event } from 'thinkon/protocol'
import { blockForm, type Form, SHIPPED_VIEWS } from 'thinkon/views'
import type { RunLog } from '../../data/run-log.ts'
import { useSource } from '../../data/source.ts'
import { type Lang, usePreferences } from '../../preferences.ts'

export type ShownForm = { readonly form: Form | null } | 'reading' | { readonly problem: string }

export function useForm(log: RunLog, path: string, seq: number): ShownForm {
  const { lang } = usePreferences()
  const isShipped = useMemo(() => shipsWith(log.events, path), [log, path])
  const own = useMemo(
    () => (isShipped ? made(log.events.slice(0, seq), path, lang) : null),
    [log, isShipped, seq, path, lang],
  )
  const served = useServedForm(isShipped ? null : log.run, path, seq, lang)
  return own ?? served
}

function shipsWith(events: readonly Event[], path: string): boolean {
  const begun = events.find((event) => event.type === 'block-start' && event.path === path)
  return begun?.type === 'block-start' && SHIPPED_VIEWS.has(begun.strategy.replace(/@[^@]*$/, ''))
}

function made(events: readonly Event[], path: string, lang: Lang): ShownForm {
  try {
    return { form: blockForm(events, SHIPPED_VIEWS, { path, lang }) }
  } catch (error) {
    return { problem: error instanceof Error ? error.message : String(error) }
  }
}

/** `run`: null if nothing is to be asked. What was read stays until there is something newer. */
function useServedForm(run: string | null, path: string, seq: number, lang: Lang): ShownForm {
  const source = useSource()
  const [read, setRead] = useState<{ key: string; at: number; shown: ShownForm }>({
    key: '',
    at: 0,
    shown: 'reading',
  })
  const key = `${run} ${path} ${lang}`
  const isFirst = read.key !== key
  const isOld = isFirst || read.at !== seq
  const newest = useRef(seq)
  newest.current = seq
  // Not with each event: a run that tells more than can be asked for would never be answered.
  // biome-ignore lint/correctness/useExhaustiveDependencies: an answer that is old when it comes is asked for again.
  useEffect(() => {
    if (run === null || !isOld) return
    let isWanted = true
    const ask = async () => {
      const at = newest.current
      const shown = await source.form(run, path, { at, lang }).then(
        (form) => ({ form }),
        (error: unknown) => ({ problem: error instanceof Error ? error.message : String(error) }),
      )
      if (isWanted) setRead({ key, at, shown })
    }
    const timer = setTimeout(() => void ask(), isFirst ? 0 : source.formEveryMs)
    return () => {
      isWanted = false
      clearTimeout(timer)
    }
  }, [run, source, path, lang, key, isFirst, isOld, read.at])
  return isFirst ? 'reading' : read.shown
}
