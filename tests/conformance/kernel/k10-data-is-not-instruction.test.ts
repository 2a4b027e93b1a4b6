import { dataIsNotInstruction } from './k10-data-is-not-instruction.ts'
import { prove } from './prove.ts'

prove(dataIsNotInstruction)
