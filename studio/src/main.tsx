import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { App } from './app.tsx'
import { serviceSource } from './data/service-source.ts'
import { SourceContext } from './data/source.ts'

const root = document.getElementById('studio')
if (root === null) throw new Error('the page has no place for Studio')
createRoot(root).render(
  <StrictMode>
    <SourceContext value={serviceSource(new URL('.', location.href).href)}>
      <App />
    </SourceContext>
  </StrictMode>,
)
