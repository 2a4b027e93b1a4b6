/** The process: runs when it is imported, by bin/thinkon.js. */
import { runCommandLine } from './command-line.ts'

// At once: a model or tool that ignores its abort signal must not keep the process alive.
process.exit(await runCommandLine(process.argv.slice(2)))
