import { pathToFileURL } from 'node:url'

/** Imports a module of the user by its absolute path, at run time: bundlers don't see it. */
export function importFile(path: string): Promise<{ default?: unknown }> {
  return import(
    /* webpackIgnore: true */ /* turbopackIgnore: true */ /* @vite-ignore */ pathToFileURL(path).href
  )
}
