import { nothingLeaks } from './k9-nothing-leaks.ts'
import { prove } from './prove.ts'

prove(nothingLeaks)
