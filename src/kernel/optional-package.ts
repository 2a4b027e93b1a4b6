/** What `load` imports. Packages that only some users need don't come with Thinkon: `missing` makes the error that says what to install. */
export async function optionalPackage<T>(
  name: string,
  load: () => Promise<T>,
  missing: (advice: string, data: { package: string; install: string }) => Error,
): Promise<T> {
  try {
    return await load()
  } catch (cause) {
    if (!isMissing(cause, name)) throw cause
    const install = `npm install ${name}`
    throw missing(`needs the package ${name}: ${install}`, { package: name, install })
  }
}

function isMissing(thrown: unknown, name: string): boolean {
  const { code, message } = (thrown ?? {}) as { code?: string; message?: string }
  return (code === 'ERR_MODULE_NOT_FOUND' || code === 'MODULE_NOT_FOUND') && (message ?? '').includes(name)
}
