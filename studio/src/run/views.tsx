/** The views of a run, one at a time: its tree, the chosen block in its strategy's own form, its time. */
import { ROOT_PATH } from 'thinkon/protocol'
import type { Moment, RunLog } from '../data/run-log.ts'
import { useCommands } from '../parts/commands.ts'
import { Tabs } from '../parts/tabs.tsx'
import { useWords } from '../preferences.ts'
import { setQuery, usePlace } from '../routing.ts'
import { FormView } from './forms/form-view.tsx'
import { TimelineView } from './timeline/timeline-view.tsx'
import { TreeView } from './tree/tree-view.tsx'
import { RUN_WORDS } from './words.ts'

interface Props {
  log: RunLog
  moment: Moment
  selected: string | null
  onSelect(path: string): void
}

const VIEWS = ['tree', 'form', 'timeline'] as const
type ViewName = (typeof VIEWS)[number]
const KEYS: Readonly<Record<ViewName, string>> = { tree: '1', form: '2', timeline: '3' }

export function Views(props: Props) {
  const words = useWords(RUN_WORDS)
  const { query } = usePlace()
  const chosen = VIEWS.find((view) => view === query.view) ?? 'tree'
  const choose = (view: string) => setQuery({ view: view === 'tree' ? null : view })
  const names: Readonly<Record<ViewName, string>> = {
    tree: words.tree,
    form: words.form,
    timeline: words.timeline,
  }
  useCommands(
    VIEWS.map((view) => ({
      id: `view-${view}`,
      name: words.show(names[view]),
      key: KEYS[view],
      run: () => choose(view),
    })),
  )
  const tabs = VIEWS.map((id) => ({ id, name: names[id] }))
  const { log, moment, selected, onSelect } = props
  return (
    <div className="run-views">
      <Tabs tabs={tabs} chosen={chosen} label={words.views} onChoose={choose}>
        {chosen === 'tree' && <TreeView {...props} />}
        {chosen === 'form' && (
          <FormView log={log} moment={moment} path={shownPath(moment, selected)} onSelect={onSelect} />
        )}
        {chosen === 'timeline' && <TimelineView {...props} />}
      </Tabs>
    </div>
  )
}

/** The root, unless another block is chosen and was there. */
function shownPath({ state }: Moment, selected: string | null): string {
  return selected !== null && state.blocks.has(selected) ? selected : ROOT_PATH
}
