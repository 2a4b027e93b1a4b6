import type { Context } from '../../kernel/strategy.ts'
import type { TotNotes } from './notes.ts'
import type { TotOptions } from './schema.ts'

export type TotContext = Context<TotOptions, TotNotes>
