import { oneTruth } from './k6-one-truth.ts'
import { prove } from './prove.ts'

prove(oneTruth)
