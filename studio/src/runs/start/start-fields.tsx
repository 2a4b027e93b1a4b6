/** What a run is started with, field by field. What is seldom needed is behind a disclosure, which opens where something is filled in or wrong. */
import type { Offers } from '../../data/source.ts'
import { Field } from '../../parts/field.tsx'
import { More } from '../../parts/more.tsx'
import { SchemaForm } from '../../parts/schema-form.tsx'
import { usePreferences, useWords } from '../../preferences.ts'
import { GivenFiles } from './given-files.tsx'
import { GOAL_PARTS, LIMITS, type Problems, type StartDraft } from './start-draft.ts'
import { strategyIn } from './strategy-words.ts'
import { START_WORDS } from './words.ts'

interface Props {
  offers: Offers
  draft: StartDraft
  onChange(draft: StartDraft): void
  problems: Problems
}

export function StartFields({ offers, draft, onChange, problems }: Props) {
  const words = useWords(START_WORDS)
  const set = (change: Partial<StartDraft>) => onChange({ ...draft, ...change })
  const problemOf = (field: string) => {
    const problem = problems[field]
    return problem === undefined ? undefined : (words.problems[problem] ?? problem)
  }
  const inputOf = (field: string, id: string, about: string | undefined) => ({
    id,
    className: 'input',
    'aria-describedby': about,
    'aria-invalid': problems[field] === undefined ? undefined : true,
  })
  const { lang } = usePreferences()
  const chosen = offers.strategies.find(({ name }) => name === draft.strategy)
  const strategy = chosen && strategyIn(lang, chosen)
  return (
    <>
      <Field label={words.goal} help={words.goalHelp} problem={problemOf('goal')}>
        {(id, about) => (
          <textarea
            {...inputOf('goal', id, about)}
            rows={4}
            value={draft.goal}
            onChange={({ target }) => set({ goal: target.value })}
          />
        )}
      </Field>
      <More name={words.parts} hasNews={Object.values(draft.parts).some((part) => part !== '')}>
        <p className="field-help">{words.partsHelp}</p>
        <div className="field-grid">
          {GOAL_PARTS.map((part) => (
            <Field key={part} label={words.partNames[part]} problem={problemOf(`goal.${part}`)}>
              {(id, about) => (
                <textarea
                  {...inputOf(`goal.${part}`, id, about)}
                  rows={2}
                  value={draft.parts[part]}
                  onChange={({ target }) => set({ parts: { ...draft.parts, [part]: target.value } })}
                />
              )}
            </Field>
          ))}
        </div>
      </More>
      <GivenFiles files={draft.files} onChange={(files) => set({ files })} problem={problemOf('files')} />
      <div className="start-choice">
        <Field label={words.strategy} help={strategy?.summary} problem={problemOf('strategy')}>
          {(id, about) => (
            <select
              {...inputOf('strategy', id, about)}
              value={draft.strategy}
              onChange={({ target }) => set({ strategy: target.value, options: {} })}
            >
              <option value="">{words.byDefault}</option>
              {offers.strategies.map(({ name }) => (
                <option key={name}>{name}</option>
              ))}
            </select>
          )}
        </Field>
        <Field label={words.model} problem={problemOf('model')}>
          {(id, about) => (
            <select
              {...inputOf('model', id, about)}
              value={draft.model || offers.models[0]}
              onChange={({ target }) => set({ model: target.value })}
            >
              {offers.models.map((model) => (
                <option key={model}>{model}</option>
              ))}
            </select>
          )}
        </Field>
      </div>
      {strategy && Object.keys(strategy.options.properties ?? {}).length > 0 && (
        <fieldset className="start-options">
          <legend>{words.options(draft.strategy)}</legend>
          <SchemaForm
            key={draft.strategy}
            schema={strategy.options}
            drafts={draft.options}
            onChange={(options) => set({ options })}
            problems={below(problems, 'options.')}
          />
        </fieldset>
      )}
      <More
        name={words.limits}
        hasNews={Object.keys(draft.budget).length > 0 || Object.keys(below(problems, 'budget.')).length > 0}
      >
        <div className="field-grid">
          {LIMITS.map((name) => (
            <Field key={name} label={words.limitNames[name]} problem={problemOf(`budget.${name}`)}>
              {(id, about) => (
                <input
                  {...inputOf(`budget.${name}`, id, about)}
                  inputMode="decimal"
                  placeholder={words.most(mostText(offers, name))}
                  value={draft.budget[name] ?? ''}
                  onChange={({ target }) => set({ budget: { ...draft.budget, [name]: target.value } })}
                />
              )}
            </Field>
          ))}
        </div>
      </More>
      <More name={words.output} hasNews={draft.output !== '' || problems.output !== undefined}>
        <Field label={words.output} help={words.outputHelp} problem={problemOf('output')}>
          {(id, about) => (
            <textarea
              {...inputOf('output', id, about)}
              className="input mono"
              rows={5}
              spellCheck={false}
              placeholder='{ "type": "object", "properties": { … } }'
              value={draft.output}
              onChange={({ target }) => set({ output: target.value })}
            />
          )}
        </Field>
      </More>
    </>
  )
}

function below(problems: Problems, prefix: string): Record<string, string> {
  const own = Object.entries(problems).filter(([field]) => field.startsWith(prefix))
  return Object.fromEntries(own.map(([field, problem]) => [field.slice(prefix.length), problem]))
}

function mostText({ budget }: Offers, name: (typeof LIMITS)[number]): string {
  return String(name === 'timeMs' ? budget.timeMs / 1_000 : budget[name])
}
