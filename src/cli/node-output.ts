/** What Node prints by itself, warnings and errors that nobody caught, is cleaned like all other output. Imported by bin/thinkon.js first. */
import { inspect } from 'node:util'
import { cleanText } from '../protocol/index.ts'
import { EXIT_INTERNAL } from './exit-code.ts'
import { remark } from './output.ts'

/** Our own are lines like any other; the rest is Node's. */
export function cleanWarnings(): void {
  const show = process.listeners('warning')
  process.removeAllListeners('warning')
  process.on('warning', (warning) => {
    if (warning.name === 'ThinkonWarning') remark(`thinkon: ${warning.message}`)
    else for (const listener of show) listener(cleaned(warning))
  })
}

/** Ends as Node would. */
export function cleanCrashes(): void {
  process.on('uncaughtException', (thrown) => {
    remark(`thinkon: ${thrown instanceof Error ? (thrown.stack ?? thrown.message) : inspect(thrown)}`)
    process.exit(EXIT_INTERNAL)
  })
}

function cleaned(warning: Error): Error {
  for (const key of ['name', 'message', 'stack', 'code', 'detail'] as const) {
    const text: unknown = Reflect.get(warning, key)
    if (typeof text === 'string') Reflect.set(warning, key, cleanText(text))
  }
  return warning
}
