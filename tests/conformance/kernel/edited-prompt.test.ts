import { editedPrompts } from './edited-prompt.ts'
import { prove } from './prove.ts'

prove(editedPrompts)
