import { noSpinning } from './k5-no-spinning.ts'
import { prove } from './prove.ts'

prove(noSpinning)
