import { ThinkonError } from '../protocol/index.ts'

export type Environment = Readonly<Record<string, string | undefined>>

/** Keys stay out of files: `${NAME}` is replaced from the environment. `key` is where the text stands. Throws BAD_INPUT if a name is not set. */
export function fillVariables(text: string, env: Environment, key: string): string {
  return text.replace(/\$\{([A-Za-z_]\w*)\}/g, (_, name: string) => {
    const value = env[name]
    if (value) return value
    throw new ThinkonError(
      'BAD_INPUT',
      `${key} needs the environment variable ${name}, which is not set: set it, or take \${${name}} out of the configuration`,
      { data: { key, variable: name } },
    )
  })
}

export function fillAll(
  texts: Readonly<Record<string, string>>,
  env: Environment,
  key: string,
): Record<string, string> {
  return Object.fromEntries(
    Object.entries(texts).map(([name, text]) => [name, fillVariables(text, env, `${key}.${name}`)]),
  )
}
