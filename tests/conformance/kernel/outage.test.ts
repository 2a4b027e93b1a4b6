import { outageIsPause } from './outage.ts'
import { prove } from './prove.ts'

prove(outageIsPause)
