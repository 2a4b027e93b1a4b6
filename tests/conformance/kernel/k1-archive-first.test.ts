import { archiveFirst } from './k1-archive-first.ts'
import { prove } from './prove.ts'

prove(archiveFirst)
