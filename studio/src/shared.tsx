/** The page of one run, with the run in it: it needs no service, and works from disk. */
import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { unpackSharedRun } from 'thinkon/views'
import { sharedSource } from './data/shared-source.ts'
import { SourceContext } from './data/source.ts'
import { Frame } from './frame.tsx'
import { setQuery } from './routing.ts'
import { firstView } from './run/first-view.ts'
import { RunPage } from './run/run-page.tsx'

const root = document.getElementById('studio')
const held = document.getElementById('run')
if (root === null || held === null) throw new Error('the page holds no run')
const shared = await unpackSharedRun(held.textContent)
if (location.hash === '') setQuery(firstView(shared.events))
createRoot(root).render(
  <StrictMode>
    <SourceContext value={sharedSource(shared)}>
      <Frame>
        <RunPage run={shared.events[0]?.run ?? ''} />
      </Frame>
    </SourceContext>
  </StrictMode>,
)
