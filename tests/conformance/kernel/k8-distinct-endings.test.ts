import { distinctEndings } from './k8-distinct-endings.ts'
import { prove } from './prove.ts'

prove(distinctEndings)
