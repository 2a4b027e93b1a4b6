/** Fractal: Think reads and plans, Eval calls sub-goals one by one; one of them plans again. */
import { type Asked, Calling, type Program } from './prompts-programs.ts'
import { prose } from './prompts-texts.ts'

export const FRACTAL: Readonly<Record<string, Program>> = {
  'fractal/think'(asked) {
    const { times, texts, sizes, io } = asked
    const name = nameOf(asked)
    const isRoot = name === 'goal'
    if (times <= (isRoot ? 2 : 1)) {
      const file = (isRoot ? 0 : 10 * (1 + numberOf(name))) + times
      return new Calling(prose(`think ${io.path} ${times}`, 300), isRoot ? [file, file + 900] : [file])
    }
    if (isRoot || name === 'sub-goal 2')
      return { type: 'TODO', description: texts.plant(`plan of ${name}`, sizes.goal / 3) }
    return { type: 'RETURN', description: texts.plant(`result of ${name}`, sizes.goal) }
  },
  'fractal/eval'(asked) {
    const { times, texts, sizes } = asked
    const name = nameOf(asked)
    const most = name === 'goal' ? sizes.subGoals : 2
    if (times > most) return { type: 'RETURN', description: texts.plant(`result of ${name}`, sizes.goal) }
    const next = name === 'goal' ? `sub-goal ${times}` : `sub-goal ${name.split(' ')[1]}${times}`
    return { type: 'CALL', description: texts.plant(next, sizes.goal / 3) }
  },
}

/** Which of the planted goals the block works on. */
function nameOf({ input }: Asked): string {
  return /\((sub-goal \d+) ends\)/.exec(String(input.goal))?.[1] ?? 'goal'
}

function numberOf(name: string): number {
  return Number(name.split(' ')[1] ?? 0)
}
