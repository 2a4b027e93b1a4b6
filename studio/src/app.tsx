/** The frame around all views: where one is, what can be done, and which view is shown. */
import { lazy, Suspense, useEffect, useState } from 'react'
import { useSource } from './data/source.ts'
import { Boundary } from './parts/boundary.tsx'
import { Button } from './parts/button.tsx'
import { runKey, useCommands } from './parts/commands.ts'
import { Empty } from './parts/notice.tsx'
import { Palette } from './parts/palette.tsx'
import { setPreference, type Theme, usePreferences, useWords } from './preferences.ts'
import { addressOf, goTo, usePlace } from './routing.ts'
import { RunsPage } from './runs/runs-page.tsx'
import { FRAME_WORDS } from './words.ts'

const RunPage = lazy(async () => ({ default: (await import('./run/run-page.tsx')).RunPage }))

const SideBySidePage = lazy(async () => ({
  default: (await import('./side-by-side/side-by-side-page.tsx')).SideBySidePage,
}))
const ComparePage = lazy(async () => ({
  default: (await import('./runs/compare/compare-page.tsx')).ComparePage,
}))

const NEXT_THEME: Readonly<Record<Theme, Theme>> = { system: 'light', light: 'dark', dark: 'system' }
const THEME_ICONS = { system: 'half', light: 'sun', dark: 'moon' } as const

export function App() {
  const words = useWords(FRAME_WORDS)
  const { desk } = useSource()
  const { lang, theme } = usePreferences()
  const { segments } = usePlace()
  const [isPaletteOpen, setPaletteOpen] = useState(false)
  const switchLang = () => setPreference({ lang: lang === 'en' ? 'zh' : 'en' })
  const switchTheme = () => setPreference({ theme: NEXT_THEME[theme] })
  useCommands([
    { id: 'runs', name: words.toRuns, key: 'g', run: () => goTo(['runs']) },
    ...(desk
      ? [{ id: 'new-run', name: words.newRun, key: 'n', run: () => goTo(['runs'], { new: '1' }) }]
      : []),
    { id: 'compare', name: words.compareMany, key: 'c', run: () => goTo(['compare']) },
    { id: 'theme', name: words.theme[NEXT_THEME[theme]], run: switchTheme },
    { id: 'language', name: words.language, run: switchLang },
  ])
  useEffect(() => {
    const press = (event: KeyboardEvent) => {
      if (event.key.toLowerCase() === 'k' && (event.ctrlKey || event.metaKey)) {
        event.preventDefault()
        setPaletteOpen(true)
      } else runKey(event)
    }
    window.addEventListener('keydown', press)
    return () => window.removeEventListener('keydown', press)
  }, [])
  return (
    <div className="frame">
      <a className="skip" href="#content" onClick={skipToContent}>
        {words.skip}
      </a>
      <header className="topbar">
        <a className="brand" href={addressOf(['runs'])} aria-label={words.studio}>
          <img src="./icon.svg" alt="" width="18" height="18" />
          <span>Thinkon</span>
        </a>
        <span className="topbar-space" />
        <Button look="quiet" icon="search" onClick={() => setPaletteOpen(true)} aria-label={words.commands}>
          <kbd>Ctrl K</kbd>
        </Button>
        <Button
          look="quiet"
          icon={THEME_ICONS[theme]}
          aria-label={words.theme[theme]}
          onClick={switchTheme}
        />
        <Button look="quiet" icon="language" aria-label={words.language} onClick={switchLang} />
      </header>
      <main id="content" className="content" tabIndex={-1}>
        <Boundary
          place={segments.join('/')}
          shown={(problem, again) => <Broken problem={problem} again={again} />}
        >
          <Suspense>
            <View />
          </Suspense>
        </Boundary>
      </main>
      {isPaletteOpen && <Palette onClose={() => setPaletteOpen(false)} />}
    </div>
  )
}

function Broken({ problem, again }: { problem: string; again: () => void }) {
  const words = useWords(FRAME_WORDS)
  return (
    <Empty title={words.broken}>
      <pre className="text">{problem}</pre>
      <Button onClick={again}>{words.again}</Button>
    </Empty>
  )
}

function View() {
  const words = useWords(FRAME_WORDS)
  const { segments } = usePlace()
  const [section = 'runs', run, other] = segments
  if (section === 'runs' && run === undefined) return <RunsPage />
  if (section === 'compare' && run !== undefined && other !== undefined)
    return <SideBySidePage key={`${run} ${other}`} runs={[run, other]} />
  if (section === 'runs' && run !== undefined) return <RunPage key={run} run={run} />
  if (section === 'compare' && run === undefined) return <ComparePage />
  return (
    <Empty title={words.notThere}>
      <a href={addressOf(['runs'])}>{words.toRuns}</a>
    </Empty>
  )
}

/** The part behind the # says where the person is: a link within the page must not change it. */
function skipToContent(event: { preventDefault(): void }): void {
  event.preventDefault()
  document.getElementById('content')?.focus()
}
