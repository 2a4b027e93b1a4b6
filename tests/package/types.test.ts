// What the types promise, in a project that has installed the tarball: the files of types/ compile, and what they expect not to, does not.

import { globSync, readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { expect, it } from 'vitest'
import { freshProject } from './packed.ts'

it('types hold in a project that has installed the tarball', () => {
  const files = globSync(join(import.meta.dirname, 'types/*.ts'))
  expect(files.length).toBeGreaterThan(0)
  const compilerOptions = {
    ...{ strict: true, exactOptionalPropertyTypes: true, noUncheckedIndexedAccess: true },
    ...{ target: 'es2024', module: 'nodenext', types: ['node'], noEmit: true, skipLibCheck: true },
  }
  const project = freshProject({
    packages: ['zod', 'valibot', '@valibot/to-json-schema', 'arktype', 'ai', 'vitest'],
    files: {
      ...Object.fromEntries(files.map((file) => [basename(file), readFileSync(file, 'utf8')])),
      'tsconfig.json': JSON.stringify({ compilerOptions, include: ['*.ts'] }),
    },
  })
  try {
    expect(project.tsc()).toBe('')
  } finally {
    project.remove()
  }
})
