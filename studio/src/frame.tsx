/** The frame around all views: whose page it is, what can be done, and how it is drawn. */
import { type ReactNode, Suspense, useEffect, useState } from 'react'
import { useSource } from './data/source.ts'
import icon from './icon.svg?inline'
import { Boundary } from './parts/boundary.tsx'
import { Button } from './parts/button.tsx'
import { runKey, useCommands } from './parts/commands.ts'
import { Empty } from './parts/notice.tsx'
import { Palette } from './parts/palette.tsx'
import { setPreference, type Theme, usePreferences, useWords } from './preferences.ts'
import { addressOf, usePlace } from './routing.ts'
import { FRAME_WORDS } from './words.ts'
import './styles/tokens.css'
import './styles/base.css'
import './styles/parts.css'
import './styles/frame.css'

const NEXT_THEME: Readonly<Record<Theme, Theme>> = { system: 'light', light: 'dark', dark: 'system' }
const THEME_ICONS = { system: 'half', light: 'sun', dark: 'moon' } as const

export function Frame({ children }: { children: ReactNode }) {
  const words = useWords(FRAME_WORDS)
  const { desk } = useSource()
  const { lang, theme } = usePreferences()
  const { segments } = usePlace()
  const [isPaletteOpen, setPaletteOpen] = useState(false)
  const switchLang = () => setPreference({ lang: lang === 'en' ? 'zh' : 'en' })
  const switchTheme = () => setPreference({ theme: NEXT_THEME[theme] })
  useCommands([
    { id: 'theme', name: words.theme[NEXT_THEME[theme]], isEverywhere: true, run: switchTheme },
    { id: 'language', name: words.language, isEverywhere: true, run: switchLang },
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
        {desk === null ? (
          <span className="brand">
            <Brand />
          </span>
        ) : (
          <a className="brand" href={addressOf(['runs'])} aria-label={words.studio}>
            <Brand />
          </a>
        )}
        <span className="topbar-space" />
        <Button look="quiet" icon="search" onClick={() => setPaletteOpen(true)}>
          <span className="unseen">{words.commands}</span>
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
          <Suspense>{children}</Suspense>
        </Boundary>
      </main>
      {isPaletteOpen && <Palette onClose={() => setPaletteOpen(false)} />}
    </div>
  )
}

function Brand() {
  return (
    <>
      <img src={icon} alt="" width="18" height="18" />
      <span>Thinkon</span>
    </>
  )
}

function Broken({ problem, again }: { problem: string; again: () => void }) {
  const words = useWords(FRAME_WORDS)
  return (
    <Empty title={words.broken} isPage>
      <pre className="text">{problem}</pre>
      <Button onClick={again}>{words.again}</Button>
    </Empty>
  )
}

/** The part behind the # says where the person is: a link within the page must not change it. */
function skipToContent(event: { preventDefault(): void }): void {
  event.preventDefault()
  document.getElementById('content')?.focus()
}
