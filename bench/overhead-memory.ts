/** A process that measures both sides of `overhead` in memory by the ruler that it is given, and prints them. */
import { rounds } from './measure.ts'
import { contenders, inNewEngine, pairOf, solve } from './overhead-sides.ts'
import { MODELS, type Ruler, SHAPES } from './overhead-work.ts'

/** About as long as one run, so that a busy machine interrupts both sides alike. */
const HANDS = 6

const ruler = process.argv[2] as Ruler
const work = contenders({ model: MODELS[ruler] }, HANDS, (shape) =>
  inNewEngine(ruler, (engine) => solve(engine, SHAPES[shape].strategy)),
)
// The compiler is not what is measured: after a tenth of that it has half of its work still to do.
await rounds(500, work)
process.stdout.write(JSON.stringify(pairOf(await rounds(80, work), HANDS)))
