/**
 * Packages that only some users need, and that are not installed with Thinkon. Everything that an engine uses imports them here.
 *
 * - Each import here is a literal inside `try`: a bundler includes the package if it is installed, and does not fail if it is not.
 * - `node-llama-cpp` has native code, which a bundle can't contain: bundlers don't see its import, and it is loaded at run time.
 */

/** Packages by name, with their exports. Types only. */
export interface OptionalPackages {
  '@ai-sdk/anthropic': typeof import('@ai-sdk/anthropic')
  '@ai-sdk/google': typeof import('@ai-sdk/google')
  '@ai-sdk/openai': typeof import('@ai-sdk/openai')
  '@ai-sdk/openai-compatible': typeof import('@ai-sdk/openai-compatible')
  '@modelcontextprotocol/client': typeof import('@modelcontextprotocol/client')
  '@modelcontextprotocol/client/stdio': typeof import('@modelcontextprotocol/client/stdio')
  'js-tiktoken/lite': typeof import('js-tiktoken/lite')
  'js-tiktoken/ranks/o200k_base': typeof import('js-tiktoken/ranks/o200k_base')
  'node-llama-cpp': unknown
  pg: typeof import('pg')
}

/** Makes the error for a package that is not installed, from the advice: `needs the package pg: npm install pg`. */
export type MissingPackage = (advice: string, data: { package: string; install: string }) => Error

export async function optionalPackage<Name extends keyof OptionalPackages>(
  name: Name,
  missing: MissingPackage,
): Promise<OptionalPackages[Name]> {
  const load = importPackage as (name: Name) => Promise<OptionalPackages[Name]>
  return orMissing(packageOf(name), () => load(name), missing)
}

/** The result of `load`, which imports the package: for parts that are only used outside of bundles. */
export async function orMissing<T>(
  name: string,
  load: () => Promise<T>,
  missing: MissingPackage,
): Promise<T> {
  try {
    return await load()
  } catch (cause) {
    if (!isMissing(cause, name)) throw cause
    const install = `npm install ${name}`
    throw missing(`needs the package ${name}: ${install}`, { package: name, install })
  }
}

/** Bundlers treat an import as optional only if it stands directly inside `try`. */
async function importPackage(name: keyof OptionalPackages): Promise<unknown> {
  try {
    switch (name) {
      case '@ai-sdk/anthropic':
        return await import('@ai-sdk/anthropic')
      case '@ai-sdk/google':
        return await import('@ai-sdk/google')
      case '@ai-sdk/openai':
        return await import('@ai-sdk/openai')
      case '@ai-sdk/openai-compatible':
        return await import('@ai-sdk/openai-compatible')
      case '@modelcontextprotocol/client':
        return await import('@modelcontextprotocol/client')
      case '@modelcontextprotocol/client/stdio':
        return await import('@modelcontextprotocol/client/stdio')
      case 'js-tiktoken/lite':
        return await import('js-tiktoken/lite')
      case 'js-tiktoken/ranks/o200k_base':
        return await import('js-tiktoken/ranks/o200k_base')
      case 'pg':
        return await import('pg')
      default:
        return await import(/* webpackIgnore: true */ /* turbopackIgnore: true */ /* @vite-ignore */ name)
    }
  } catch (cause) {
    throw withCode(cause)
  }
}

/** Bundlers replace an import that they could not resolve with an error of their own, with or without a code. */
function withCode(cause: unknown): unknown {
  return cause instanceof Error &&
    !('code' in cause) &&
    /^Cannot find (?:module|package) /.test(cause.message)
    ? Object.assign(cause, { code: 'MODULE_NOT_FOUND' })
    : cause
}

function isMissing(thrown: unknown, name: string): boolean {
  const { code, message } = (thrown ?? {}) as { code?: string; message?: string }
  return (code === 'ERR_MODULE_NOT_FOUND' || code === 'MODULE_NOT_FOUND') && (message ?? '').includes(name)
}

/** `js-tiktoken/lite` → `js-tiktoken` */
function packageOf(specifier: string): string {
  return specifier.split('/', specifier.startsWith('@') ? 2 : 1).join('/')
}
