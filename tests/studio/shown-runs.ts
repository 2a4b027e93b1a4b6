/**
 * The runs that all views of Studio are shown with: those of the gallery, a sum by two strategies, and some that wait for a person, are under
 * way or have failed. For the last the model says what is written here.
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { importGallery } from '../../scripts/gallery.ts'
import { builtinTools, createEngine } from '../../src/index.ts'
import { sharedPage } from '../../src/server/studio/shared-page.ts'
import { SHIPPED_VIEWS } from '../../src/strategies/shipped-views.ts'
import { ScriptedModel } from '../../src/testing/index.ts'
import { type Script, storeFile } from '../server/serve-here.ts'
import { openStudio, type Studio } from './open-studio.ts'

const ABACUS = 'embedded:abacus'
const WRITER = 'openai:gpt-6.1-terra'

const SCRIPTS: Readonly<Record<string, Script>> = {
  'Bring the plan of the garden up to date, with what the neighbours said about the roses, the beans and the rain':
    ({ messages }) => {
      const call = (name: string, input: object) => ({ do: 'tool', calls: [{ id: name, name, input }] })
      if (messages.length < 4) return call('read_file', { path: 'garden.md' })
      return call('edit_file', {
        path: 'garden.md',
        old: '- sow beans\n- wait for rain',
        new: '- sow beans, two rows\n- cut the roses back to the third bud\n- water on Monday and Thursday',
      })
    },
  'Write the invitation to the harvest festival': () => ({
    do: 'ask',
    question: { text: 'Which tone should it have?', choices: ['dry', 'warm', 'as last year'] },
  }),
  'Tell how a lighthouse works': (_, { onDelta, signal }) => {
    onDelta(
      '{"do":"return","result":"A lamp, a lens and a clockwork to turn them: a lighthouse is a machine for being',
    )
    return new Promise((_, reject) =>
      signal.addEventListener('abort', () => reject(signal.reason), { once: true }),
    )
  },
  'Find the owner of the lost key': () => ({ do: 'return', result: 'Nobody asks for it.' }),
}
const SUM = '((3+4)*(8-6))-(12/4-1)*5'
/** Nobody says anything of it: a person is asked. */
const HARBOUR = 'Say in three steps how a ship enters the harbour at night'
const PERSON = 'person'
const [GARDEN, FESTIVAL, LIGHTHOUSE, KEY] = Object.keys(SCRIPTS) as [string, string, string, string]

export interface ShownRuns {
  readonly studio: Studio
  /** The tree of thoughts as one file, once the runs have begun. */
  readonly file: string
  /** Until then there are none. */
  begin(): Promise<void>
}

export async function openShownRuns(): Promise<ShownRuns> {
  const workspace = mkdtempSync(join(tmpdir(), 'thinkon-shown-'))
  writeFileSync(
    join(workspace, 'garden.md'),
    '# The garden\n\n- dig the long bed\n- sow beans\n- wait for rain\n',
  )
  const store = storeFile()
  const tools = builtinTools({ workspace })
  const written = new ScriptedModel(
    (request, io) => SCRIPTS[(request.input as { goal: string }).goal]?.(request, io),
    { id: WRITER },
  )
  const studio = await openStudio({
    store,
    service: {
      workspace,
      models: [ABACUS, WRITER, PERSON],
      engineFor: (id) => createEngine({ model: id === WRITER ? written : id, store, tools }),
    },
  })
  const start = (id: string, goal: string, options: object) => studio.service.start(goal, { id, ...options })
  const file = join(workspace, 'run.html')
  return {
    file,
    studio: {
      ...studio,
      async close() {
        await studio.close()
        rmSync(workspace, { recursive: true, force: true })
      },
    },
    async begin() {
      const engine = createEngine({ model: ABACUS, store })
      await importGallery(engine)
      for (const strategy of ['planner', 'dual']) {
        const summed = await engine.start(SUM, { id: `sum-${strategy}`, strategy } as object)
        await summed.outcome
      }
      writeFileSync(file, await sharedPage(await engine.events('gallery-tot'), SHIPPED_VIEWS))
      await engine.close()
      const lost = await start('key', KEY, {
        strategy: 'minimal',
        model: WRITER,
        budget: { depth: 1, calls: 0 },
      })
      await lost.outcome
      await start('plan', SUM, {
        strategy: 'dual',
        model: ABACUS,
        options: { review: 'manual' },
      })
      await start('harbour', HARBOUR, { strategy: 'fractal', model: PERSON })
      await start('garden', GARDEN, {
        strategy: 'minimal',
        model: WRITER,
        budget: { calls: 40, costUsd: 0.5 },
      })
      await start('lighthouse', LIGHTHOUSE, { strategy: 'minimal', model: WRITER })
      await start('festival', FESTIVAL, { strategy: 'minimal', model: WRITER })
    },
  }
}
