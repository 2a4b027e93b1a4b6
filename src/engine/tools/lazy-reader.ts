/** `read_result` for an engine without tools: described here, loaded when a model first reads. */
import { READ_RESULT } from '../../kernel/brief/shown-result.ts'
import type { AnyStore } from '../../kernel/store.ts'
import type { Tool } from '../../kernel/tool.ts'
import type { Toolbox } from './toolbox.ts'

export function lazyReader(store: AnyStore): Toolbox {
  let loading: Promise<Tool> | null = null
  const load = async (): Promise<Tool> => {
    const { openToolbox } = await import('./toolbox.ts')
    return (await openToolbox([], store)).tools[0] as Tool
  }
  const reader: Tool = {
    name: READ_RESULT,
    description: READ_RESULT_TEXT,
    access: 'read',
    hidden: true,
    // Checked by the tool itself, once it is loaded.
    input: { json: READ_RESULT_SCHEMA, check: (value) => value },
    async run(input, io) {
      loading ??= load()
      const tool = await loading
      return tool.run(tool.input?.check(input) ?? input, io)
    },
  }
  return { tools: [reader], known: [], withheld: () => [], close: async () => {} }
}

const READ_RESULT_TEXT =
  'Reads text that was left out of what you were shown, by the reference that stands there. Give `from` and `length` in characters to read a part.'

/** What the tool itself says: the tests hold the two against each other. */
const READ_RESULT_SCHEMA = {
  type: 'object',
  properties: {
    ref: {
      type: 'string',
      description: 'The reference that stands where the text was left out, such as 1-2/4',
      minLength: 1,
      maxLength: 200,
    },
    from: {
      type: 'integer',
      description: 'The first character, from 0',
      minimum: 0,
      maximum: Number.MAX_SAFE_INTEGER,
    },
    length: { type: 'integer', description: 'How many characters', minimum: 1, maximum: 200_000 },
  },
  required: ['ref'],
  additionalProperties: false,
} as const
