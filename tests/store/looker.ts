/** A process that looks at owners without an end, as `thinkon list` does once: `node looker.ts <store> <owner>`. */
import { isAlive } from '../../src/store/owner-lock.ts'

const [store = '', owner = ''] = process.argv.slice(2)
process.stdout.write('looking\n')
let seenAlive = 0
process.on('message', () => process.send?.(seenAlive))
setInterval(() => {
  for (let looks = 0; looks < 100; looks++) if (isAlive(store, owner)) seenAlive++
}, 0)
