import { neverNothing } from './k4-never-nothing.ts'
import { prove } from './prove.ts'

prove(neverNothing)
