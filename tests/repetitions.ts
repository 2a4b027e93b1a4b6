/** How often a random test repeats itself: in the gate, and with THINKON_THOROUGH=1, as `npm run soak` has it. */
export function repetitions(gate: number, thorough: number): number {
  return process.env.THINKON_THOROUGH ? thorough : gate
}
