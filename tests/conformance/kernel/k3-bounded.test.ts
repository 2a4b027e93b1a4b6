import { bounded } from './k3-bounded.ts'
import { prove } from './prove.ts'

prove(bounded)
