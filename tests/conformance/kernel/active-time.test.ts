import { activeTime } from './active-time.ts'
import { prove } from './prove.ts'

prove(activeTime)
