/** A value to be read: the fields of an object one below the other, texts with their line breaks. */
import { isObject } from 'thinkon/protocol'
import { LongText } from './long-text.tsx'

export function ValueView({ value }: { value: unknown }) {
  if (!isObject(value) || Object.keys(value).length === 0)
    return <LongText text={typeof value === 'string' ? value : (JSON.stringify(value, null, 2) ?? '')} />
  return (
    <dl className="value">
      {Object.entries(value).map(([key, field]) => (
        <div key={key}>
          <dt className="mono">{key}</dt>
          <dd>
            {typeof field === 'string' ? (
              <LongText text={field} prose />
            ) : (
              <LongText text={JSON.stringify(field, null, 2) ?? ''} />
            )}
          </dd>
        </div>
      ))}
    </dl>
  )
}
