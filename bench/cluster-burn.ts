/** Burns as often as it is told on stdin, and says when it has: what the machine itself gives to two processes. */
import { createInterface } from 'node:readline'
import { burn } from './cluster-work.ts'

process.stdout.write('ready\n')
for await (const line of createInterface({ input: process.stdin })) {
  for (let i = 0; i < Number(line); i++) burn()
  process.stdout.write('done\n')
}
