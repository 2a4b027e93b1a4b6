/** Files for a new run: chosen, listed with their sizes, and taken out again. */
import { bytesText } from 'thinkon/views'
import { Button } from '../../parts/button.tsx'
import { Field } from '../../parts/field.tsx'
import { useWords } from '../../preferences.ts'
import { START_WORDS } from './words.ts'

interface Props {
  files: readonly File[]
  onChange(files: readonly File[]): void
  problem: string | undefined
}

export function GivenFiles({ files, onChange, problem }: Props) {
  const words = useWords(START_WORDS)
  return (
    <div className="start-files">
      <Field label={words.files} help={words.filesHelp} problem={problem}>
        {(id, about) => (
          <input
            id={id}
            className="input"
            type="file"
            multiple
            aria-describedby={about}
            aria-invalid={problem === undefined ? undefined : true}
            onChange={({ target }) => {
              onChange([...files, ...(target.files ?? [])])
              // The same file can be chosen again after it was taken out.
              target.value = ''
            }}
          />
        )}
      </Field>
      {files.length > 0 && (
        <ul className="file-list">
          {files.map((file, at) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: two files may have one name.
            <li key={at}>
              <span className="mono one-line text">{file.name}</span>
              <span className="dim numbers">{bytesText(file.size)}</span>
              <Button
                look="quiet"
                icon="close"
                aria-label={words.withoutFile(file.name)}
                onClick={() => onChange(files.filter((one) => one !== file))}
              />
            </li>
          ))}
        </ul>
      )}
    </div>
  )
}
