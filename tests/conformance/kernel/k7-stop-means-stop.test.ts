import { stopMeansStop } from './k7-stop-means-stop.ts'
import { prove } from './prove.ts'

prove(stopMeansStop)
