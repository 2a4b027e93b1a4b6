/** One run as one HTML file that shows it without a service: the page that the build makes, with the run in it as data. */
import { readFile } from 'node:fs/promises'
import { promisify } from 'node:util'
import { gzip } from 'node:zlib'
import { withoutOrigin } from '../../kernel/without-origin.ts'
import { type Event, goalTitle, ThinkonError } from '../../protocol/index.ts'
import type { StrategyViews } from '../../views/block-views.ts'
import { sharedRunText } from '../../views/shared-run.ts'
import { ownForms } from './own-forms.ts'
import { studioFile } from './studio-page.ts'

/** Every text of the run is inside the compressed data, in base64: nothing that it says can end the element that it stands in. */
export async function sharedPage(journal: Iterable<Event>, views: StrategyViews): Promise<string> {
  const events = [...journal].map(withoutOrigin)
  const run = sharedRunText({ events, forms: ownForms(events, views) })
  const packed = await promisify(gzip)(run, { level: 9 })
  const [first] = events
  const title = first?.type === 'run-start' ? goalTitle(first.goal) : 'Thinkon'
  const filled: Readonly<Record<string, string>> = {
    '%title%': escaped(title),
    '%run%': packed.toString('base64'),
  }
  // One pass over the template: a title may contain the mark of the run.
  return (await emptyPage()).replace(/%title%|%run%/g, (mark) => filled[mark] as string)
}

async function emptyPage(): Promise<string> {
  try {
    return await readFile(studioFile('shared.html'), 'utf8')
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code !== 'ENOENT') throw cause
    throw new ThinkonError('INTERNAL', 'the page is not built: npm run studio builds it', { cause })
  }
}

function escaped(text: string): string {
  return text.replace(/[&<>"']/g, (char) => `&#${char.charCodeAt(0)};`)
}
