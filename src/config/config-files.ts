/** Where a configuration can be: in one of these, or under "thinkon" in package.json. */
export const CONFIG_FILES: readonly string[] = ['ts', 'mts', 'js', 'mjs', 'json'].map(
  (ending) => `thinkon.config.${ending}`,
)
export const PACKAGE = 'package.json'
