/** Studio on a service: which view is shown where. */
import { lazy } from 'react'
import { useSignedOut } from './data/session.ts'
import { Frame } from './frame.tsx'
import { useCommands } from './parts/commands.ts'
import { Empty } from './parts/notice.tsx'
import { useWords } from './preferences.ts'
import { addressOf, goTo, usePlace } from './routing.ts'
import { RunsPage } from './runs/runs-page.tsx'
import { SignIn } from './sign-in.tsx'
import { FRAME_WORDS } from './words.ts'

const RunPage = lazy(async () => ({ default: (await import('./run/run-page.tsx')).RunPage }))

const SideBySidePage = lazy(async () => ({
  default: (await import('./side-by-side/side-by-side-page.tsx')).SideBySidePage,
}))
const ComparePage = lazy(async () => ({
  default: (await import('./runs/compare/compare-page.tsx')).ComparePage,
}))

export function App() {
  const words = useWords(FRAME_WORDS)
  useCommands(
    [
      { id: 'runs', name: words.toRuns, key: 'g', run: () => goTo(['runs']) },
      { id: 'new-run', name: words.newRun, key: 'n', run: () => goTo(['runs'], { new: '1' }) },
      { id: 'compare', name: words.compareMany, key: 'c', run: () => goTo(['compare']) },
    ].map((command) => ({ ...command, isEverywhere: true })),
  )
  const isSignedOut = useSignedOut()
  if (isSignedOut) return <SignIn />
  return (
    <Frame>
      <View />
    </Frame>
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
    <Empty title={words.notThere} isPage>
      <a href={addressOf(['runs'])}>{words.toRuns}</a>
    </Empty>
  )
}
