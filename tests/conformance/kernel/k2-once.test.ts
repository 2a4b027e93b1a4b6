import { once } from './k2-once.ts'
import { prove } from './prove.ts'

prove(once)
