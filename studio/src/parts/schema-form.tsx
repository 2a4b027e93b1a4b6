/** A form made from a JSON Schema: a field for each property. Of many, all but the first, and those that nobody has described, are behind "more". */
import type { ReactNode } from 'react'
import { useWords } from '../preferences.ts'
import { Field } from './field.tsx'
import { More } from './more.tsx'
import {
  type DraftProblem,
  type Drafts,
  propertiesOf,
  type Schema,
  type SchemaProperty,
  WHOLE,
} from './schema-drafts.ts'

const WORDS = {
  en: {
    more: (n: number) => `${n} more`,
    byDefault: (value: string) => `default: ${value}`,
    unset: 'not set',
    yes: 'yes',
    no: 'no',
    value: 'Value',
    lines: 'One on each line.',
    json: 'As JSON.',
    between: (least: string, most: string) => `${least} to ${most}`,
    atLeast: (least: string) => `at least ${least}`,
    atMost: (most: string) => `at most ${most}`,
    problems: {
      missing: 'This is needed.',
      notANumber: 'This is no number.',
      notWhole: 'This must be a whole number.',
      notJson: 'This is no JSON.',
    } satisfies Record<DraftProblem, string>,
  },
  zh: {
    more: (n: number) => `更多（${n} 项）`,
    byDefault: (value: string) => `默认：${value}`,
    unset: '不设置',
    yes: '是',
    no: '否',
    value: '值',
    lines: '每行一个。',
    json: '以 JSON 填写。',
    between: (least: string, most: string) => `${least} 到 ${most}`,
    atLeast: (least: string) => `至少 ${least}`,
    atMost: (most: string) => `至多 ${most}`,
    problems: {
      missing: '必填。',
      notANumber: '不是数字。',
      notWhole: '必须是整数。',
      notJson: '不是合法的 JSON。',
    } satisfies Record<DraftProblem, string>,
  },
}

interface Props {
  schema: Schema
  drafts: Drafts
  onChange(drafts: Drafts): void
  /** By the property's name: a text, or what `readDrafts` says. */
  problems?: Readonly<Record<string, string>>
}

/** More than these are too many to be looked at together; then so many are. */
const MANY = 12
const FIRST = 9

export function SchemaForm({ schema, drafts, onChange, problems = {} }: Props) {
  const words = useWords(WORDS)
  const all = propertiesOf(schema)
  const isSeen = ({ schema: { description }, isRequired }: SchemaProperty) =>
    isRequired || description !== undefined
  const described = all.filter(isSeen)
  const seen = described.length > 0 ? described : all
  const first = seen.length > MANY ? seen.filter(({ isRequired }, at) => isRequired || at < FIRST) : seen
  const others = all.filter((property) => !first.includes(property))
  const fieldOf = (property: SchemaProperty) => (
    <PropertyField
      key={property.name}
      property={property}
      draft={drafts[property.name] ?? ''}
      problem={problemText(problems[property.name], words.problems)}
      onChange={(draft) => onChange({ ...drafts, [property.name]: draft })}
    />
  )
  return (
    <div className="schema-form">
      <div className="field-grid">{first.map(fieldOf)}</div>
      {others.length > 0 && (
        <More
          name={words.more(others.length)}
          hasNews={others.some(({ name }) => (drafts[name] ?? problems[name]) !== undefined)}
        >
          <div className="field-grid">{others.map(fieldOf)}</div>
        </More>
      )}
    </div>
  )
}

function problemText(
  problem: string | undefined,
  known: Readonly<Record<string, string>>,
): string | undefined {
  return problem === undefined ? undefined : (known[problem] ?? problem)
}

interface FieldProps {
  property: SchemaProperty
  draft: string
  problem: string | undefined
  onChange(draft: string): void
}

function PropertyField({ property, draft, problem, onChange }: FieldProps) {
  const words = useWords(WORDS)
  const { name, kind, schema, isRequired } = property
  const { description, default: given } = schema
  const note = { list: words.lines, json: words.json, number: rangeText(schema, words) }[kind as string] ?? ''
  const help = [typeof description === 'string' ? description : '', note].filter(Boolean).join(' · ')
  const byDefault = given === undefined ? '' : words.byDefault(valueText(given, words))
  return (
    <div className={kind === 'json' || kind === 'list' || name === WHOLE ? 'field-wide' : undefined}>
      <Field label={name === WHOLE ? words.value : name} help={help} problem={problem}>
        {(id, about) => {
          const common = {
            id,
            'aria-describedby': about,
            'aria-invalid': problem === undefined ? undefined : true,
            'aria-required': isRequired || undefined,
            value: draft,
            onChange: (event: { target: { value: string } }) => onChange(event.target.value),
          }
          if (kind === 'choice' || kind === 'boolean')
            return (
              <select className="input" {...common}>
                {(!isRequired || draft === '') && <option value="">{byDefault || words.unset}</option>}
                {choicesOf(property).map((choice) => (
                  <option key={JSON.stringify(choice)} value={JSON.stringify(choice)}>
                    {valueText(choice, words)}
                  </option>
                ))}
              </select>
            )
          return typed(kind, common, byDefault)
        }}
      </Field>
    </div>
  )
}

function typed(kind: SchemaProperty['kind'], common: object, placeholder: string): ReactNode {
  if (kind === 'json') return <textarea className="input mono" rows={3} spellCheck={false} {...common} />
  if (kind === 'list') return <textarea className="input" rows={2} placeholder={placeholder} {...common} />
  const inputMode = kind === 'number' ? 'decimal' : 'text'
  return <input className="input" inputMode={inputMode} placeholder={placeholder} {...common} />
}

function choicesOf({ kind, schema }: SchemaProperty): readonly unknown[] {
  return kind === 'boolean' ? [true, false] : (schema.enum as readonly unknown[])
}

type Words = (typeof WORDS)['en']

function rangeText({ minimum, maximum }: Schema, words: Words): string {
  if (minimum !== undefined && maximum !== undefined) return words.between(String(minimum), String(maximum))
  if (minimum !== undefined) return words.atLeast(String(minimum))
  return maximum === undefined ? '' : words.atMost(String(maximum))
}

function valueText(value: unknown, words: Words): string {
  if (value === true) return words.yes
  if (value === false) return words.no
  if (Array.isArray(value) && value.every((item) => typeof item === 'string')) return value.join(', ') || '[]'
  return typeof value === 'string' ? value : JSON.stringify(value)
}
