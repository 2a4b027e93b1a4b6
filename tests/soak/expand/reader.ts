/** `reader.ts <from> <step>`: reads every `step`th expanding input, and prints a line of JSON before and after each. */
import { errorText, ThinkonError } from '../../../src/protocol/index.ts'
import { INPUTS } from './inputs.ts'

const [from = 0, step = 1] = process.argv.slice(2).map(Number)
process.removeAllListeners('warning')
for (let index = from; index < INPUTS.length; index += step) {
  const { name, make, read } = INPUTS[index] as (typeof INPUTS)[number]
  const made = make?.() ?? ''
  say({ index, name })
  const start = performance.now()
  let error: string | undefined
  try {
    await read(made)
  } catch (thrown) {
    if (!ThinkonError.isInstance(thrown)) error = errorText(thrown)
  }
  say({ index, ms: Math.round(performance.now() - start), error })
}
process.exit(0)

function say(line: object): void {
  process.stdout.write(`${JSON.stringify(line)}\n`)
}
