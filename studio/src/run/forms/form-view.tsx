/** A block in its strategy's own form: one part below the other. */
import type { Form, FormPart } from 'thinkon/views'
import type { Moment, RunLog } from '../../data/run-log.ts'
import { useFolded } from '../../parts/long-text.tsx'
import { Empty, Notice } from '../../parts/notice.tsx'
import { useWords } from '../../preferences.ts'
import { RUN_WORDS } from '../words.ts'
import { Items } from './items.tsx'
import { ThoughtTree } from './thought-tree.tsx'
import { useForm } from './use-form.ts'
import { FORM_WORDS } from './words.ts'
import './forms.css'

interface Props {
  log: RunLog
  moment: Moment
  path: string
  onSelect(path: string): void
}

/** So much of what stands above a list is shown at first. */
const TEXT_CHARS = 1_600

export function FormView({ log, moment, path, onSelect }: Props) {
  const words = useWords(FORM_WORDS)
  const shown = useForm(log, path, moment.seq)
  if (shown === 'reading') return <Empty title={words.reading} />
  if ('problem' in shown) return <Notice tone="bad">{`${words.failed} ${shown.problem}`}</Notice>
  if (shown.form === null) {
    const hasEnded = moment.state.blocks.get(path)?.outcome != null
    return <Empty title={hasEnded ? words.noneEver : words.none}>{words.noneHint}</Empty>
  }
  return <FormParts form={shown.form} path={path} onSelect={onSelect} />
}

function FormParts({ form, path, onSelect }: { form: Form; path: string; onSelect(path: string): void }) {
  const words = useWords(RUN_WORDS)
  return (
    <div className="form-view">
      <header className="form-head">
        <span className="tag">{`${words.block} ${path}`}</span>
        <p className="form-caption text">{form.caption}</p>
      </header>
      {form.parts.map((part, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: parts are told apart by their place alone.
        <Part key={at} part={part} onSelect={onSelect} />
      ))}
    </div>
  )
}

function Part({ part, onSelect }: { part: FormPart; onSelect(path: string): void }) {
  const words = useWords(FORM_WORDS)
  switch (part.kind) {
    case 'tree':
      return <ThoughtTree picture={part.picture} />
    case 'board':
      return (
        <div className="form-board">
          {part.columns.map(({ title, items }) => (
            <section
              key={title}
              className={items.length === 0 ? 'form-column form-column-empty' : 'form-column'}
              aria-label={title}
            >
              <h2>
                {title} <span className="form-count numbers">{items.length}</span>
              </h2>
              {items.length === 0 ? (
                <p className="form-nothing">{words.nothing}</p>
              ) : (
                <Items items={items} look="cards" onSelect={onSelect} />
              )}
            </section>
          ))}
        </div>
      )
    case 'list': {
      const body = (
        <>
          {part.text !== undefined && part.text !== '' && <PartText text={part.text} />}
          <Items items={part.items} look="list" onSelect={onSelect} />
        </>
      )
      return part.past ? (
        <details className="form-list form-past">
          <summary>
            <h2>{part.title}</h2>
            <span className="one-line dim text">{part.text}</span>
          </summary>
          {body}
        </details>
      ) : (
        <section className="form-list">
          <h2>{part.title}</h2>
          {body}
        </section>
      )
    }
  }
}

function PartText({ text }: { text: string }) {
  const { shown, more } = useFolded(text, TEXT_CHARS)
  return (
    <div className="form-text">
      <p className="text prose">{shown}</p>
      {more}
    </div>
  )
}
