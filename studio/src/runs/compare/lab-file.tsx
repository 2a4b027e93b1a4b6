/** The results of a lab: a file of `thinkon lab` that is read here and goes nowhere. */
import { useRef, useState } from 'react'
import { type LabResult, labResultsIn } from 'thinkon/views'
import { Button } from '../../parts/button.tsx'
import { useWords } from '../../preferences.ts'
import { COMPARE_WORDS } from './words.ts'

export interface LabResults {
  /** Of the file. */
  readonly name: string
  readonly results: readonly LabResult[]
}

interface Props {
  lab: LabResults | null
  onChange(lab: LabResults | null): void
}

export function LabFile({ lab, onChange }: Props) {
  const words = useWords(COMPARE_WORDS)
  const chooser = useRef<HTMLInputElement>(null)
  const [empty, setEmpty] = useState('')
  if (lab !== null)
    return (
      <>
        <span className="dim numbers text">{words.labOf(lab.name, lab.results.length)}</span>
        <Button onClick={() => onChange(null)}>{words.closeLab}</Button>
      </>
    )
  const read = async (file: File | undefined) => {
    if (file === undefined) return
    const results = labResultsIn(await file.text())
    setEmpty(results.length === 0 ? file.name : '')
    if (results.length > 0) onChange({ name: file.name, results })
  }
  return (
    <>
      <Button icon="upload" onClick={() => chooser.current?.click()}>
        {words.openLab}
      </Button>
      <input
        ref={chooser}
        type="file"
        accept=".jsonl"
        className="unseen"
        tabIndex={-1}
        aria-label={words.openLab}
        onChange={({ target }) => {
          void read(target.files?.[0])
          target.value = ''
        }}
      />
      {empty !== '' && <span role="alert">{words.noResults(empty)}</span>}
    </>
  )
}
