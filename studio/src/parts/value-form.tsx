/** A form made from any JSON Schema: a field for each place of the value, lists that grow, and parts that may be left out. */
import { type ReactNode, useId } from 'react'
import { type SchemaNode, schemaNode } from 'thinkon/views'
import { useWords } from '../preferences.ts'
import { Button } from './button.tsx'
import { Field } from './field.tsx'
import { type Draft, EMPTY, isOpened, type Problems, placeIn, type Schema } from './value-drafts.ts'
import { VALUE_WORDS } from './value-words.ts'
import './value-form.css'

interface Props {
  schema: Schema
  draft: Draft
  problems: Problems
  onChange(draft: Draft): void
}

export function ValueForm({ schema, draft, problems, onChange }: Props) {
  const words = useWords(VALUE_WORDS)
  return (
    <div className="value-form">
      <Place
        schema={schema}
        root={schema}
        name={words.value}
        isRequired
        depth={0}
        place=""
        draft={draft}
        problems={problems}
        onChange={onChange}
      />
    </div>
  )
}

interface PlaceProps extends Props {
  root: Schema
  name: string
  isRequired: boolean
  depth: number
  place: string
}

function Place(props: PlaceProps) {
  const node = schemaNode(props.schema, props.root)
  switch (node.kind) {
    case 'object':
      return <ObjectPlace {...props} node={node} />
    case 'list':
      return <ListPlace {...props} node={node} />
    case 'union':
      return <UnionPlace {...props} node={node} />
    case 'fixed':
      return <FixedPlace {...props} value={node.value} />
    case 'choice':
      return <Select {...props} names={node.choices.map(shown)} about={node.about} />
    case 'boolean':
      return <YesNo {...props} about={node.about} />
    default:
      return <Leaf {...props} node={node} />
  }
}

/** A value of which there is only one is shown; it is not filled in. */
function FixedPlace({ name, value }: PlaceProps & { value: unknown }) {
  return (
    <p className="value-fixed">
      <span className="dim">{name}</span> <span className="mono text">{shown(value)}</span>
    </p>
  )
}

function YesNo(props: PlaceProps & { about: string }) {
  const words = useWords(VALUE_WORDS)
  return <Select {...props} names={[words.yes, words.no]} />
}

function Select(props: PlaceProps & { names: readonly string[]; about: string }) {
  const { name, names, about, draft, onChange, isRequired } = props
  const words = useWords(VALUE_WORDS)
  const problem = useProblem(props)
  return (
    <Field label={name} help={about} problem={problem}>
      {(id, describedBy) => (
        <select
          id={id}
          className="input"
          aria-describedby={describedBy}
          aria-invalid={problem === undefined ? undefined : true}
          aria-required={isRequired || undefined}
          value={draft.at ?? ''}
          onChange={({ target: { value } }) => {
            const { at: _, inner: __, ...rest } = draft
            onChange(value === '' ? rest : { ...rest, at: Number(value) })
          }}
        >
          <option value="">{isRequired ? words.choose : words.unset}</option>
          {names.map((one, at) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: choices are told apart by their place alone.
            <option key={at} value={at}>
              {one}
            </option>
          ))}
        </select>
      )}
    </Field>
  )
}

function Leaf(props: PlaceProps & { node: SchemaNode }) {
  const { name, node, draft, onChange, isRequired } = props
  const words = useWords(VALUE_WORDS)
  const problem = useProblem(props)
  const help = [node.about, node.kind === 'json' ? words.json : ''].filter((text) => text !== '').join(' · ')
  return (
    <Field label={name} help={help} problem={problem}>
      {(id, describedBy) => {
        const common = {
          id,
          'aria-describedby': describedBy,
          'aria-invalid': problem === undefined ? undefined : (true as const),
          'aria-required': isRequired || undefined,
          value: draft.text ?? '',
          onChange: (event: { target: { value: string } }) => onChange({ text: event.target.value }),
        }
        if (node.kind === 'number') return <input className="input" inputMode="decimal" {...common} />
        const look = node.kind === 'json' ? 'input mono' : 'input'
        return <textarea className={look} rows={1} spellCheck={node.kind !== 'json'} {...common} />
      }}
    </Field>
  )
}

function UnionPlace(props: PlaceProps & { node: SchemaNode & { kind: 'union' } }) {
  const { node, draft, onChange, place, depth } = props
  const branch = draft.at === undefined ? undefined : node.branches[draft.at]
  return (
    <div className="value-union">
      <Select {...props} names={node.branches.map(({ name }) => name)} about={node.about} />
      {branch !== undefined && (
        <Place
          {...props}
          key={draft.at}
          schema={branch.schema}
          name={branch.name}
          isRequired
          depth={depth + 1}
          place={placeIn(place, 'as')}
          draft={draft.inner ?? EMPTY}
          onChange={(inner) => onChange({ ...draft, inner })}
        />
      )}
    </div>
  )
}

function ListPlace(props: PlaceProps & { node: SchemaNode & { kind: 'list' } }) {
  const { node, name, draft, onChange, place, depth } = props
  const words = useWords(VALUE_WORDS)
  const items = draft.items ?? []
  const set = (next: readonly Draft[]) => onChange({ items: next })
  return (
    <Group name={name} about={node.about} problem={useProblem(props)}>
      {items.map((item, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: items are told apart by their place alone.
        <div key={at} className="value-item">
          <Place
            {...props}
            schema={node.item}
            name={`${name} ${at + 1}`}
            isRequired
            depth={depth + 1}
            place={placeIn(place, at)}
            draft={item}
            onChange={(changed) => set(items.map((one, i) => (i === at ? changed : one)))}
          />
          <Button
            look="quiet"
            icon="trash"
            aria-label={words.remove(`${name} ${at + 1}`)}
            onClick={() => set(items.filter((_, i) => i !== at))}
          />
        </div>
      ))}
      {items.length < node.most && (
        <Button icon="plus" onClick={() => set([...items, EMPTY])}>
          {words.add(name)}
        </Button>
      )}
    </Group>
  )
}

function ObjectPlace(props: PlaceProps & { node: SchemaNode & { kind: 'object' } }) {
  const { node, name, draft, onChange, place, depth, isRequired } = props
  const words = useWords(VALUE_WORDS)
  const problem = useProblem(props)
  if (!isOpened(draft, isRequired, depth))
    return (
      <div className="value-closed">
        <Button icon="plus" onClick={() => onChange({ ...draft, isIn: true })}>
          {words.fillIn(name)}
        </Button>
        {problem !== undefined && <p className="field-problem">{problem}</p>}
      </div>
    )
  const fields = node.fields.map((field) => (
    <Place
      {...props}
      key={field.name}
      schema={field.schema}
      name={field.name}
      isRequired={field.isRequired}
      depth={depth + 1}
      place={placeIn(place, field.name)}
      draft={draft.fields?.[field.name] ?? EMPTY}
      onChange={(changed) => onChange({ ...draft, fields: { ...draft.fields, [field.name]: changed } })}
    />
  ))
  if (depth === 0) return <div className="value-fields">{fields}</div>
  return (
    <Group name={name} about={node.about} problem={undefined}>
      {fields}
      {!isRequired && (
        <Button look="quiet" onClick={() => onChange(EMPTY)}>
          {words.leaveOut(name)}
        </Button>
      )}
    </Group>
  )
}

function Group({
  name,
  about,
  problem,
  children,
}: {
  name: string
  about: string
  problem: string | undefined
  children: ReactNode
}) {
  const id = useId()
  const isAbout = about !== '' || problem !== undefined
  return (
    <fieldset className="value-group" aria-describedby={isAbout ? id : undefined}>
      <legend>{name}</legend>
      {isAbout && (
        <p id={id} className={problem === undefined ? 'field-help' : 'field-problem'}>
          {problem ?? about}
        </p>
      )}
      {children}
    </fieldset>
  )
}

function useProblem({ problems, place }: PlaceProps): string | undefined {
  const words = useWords(VALUE_WORDS)
  const problem = problems[place]
  return problem === undefined ? undefined : words.problems[problem]
}

function shown(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value)
}
