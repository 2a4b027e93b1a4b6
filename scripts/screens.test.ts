import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { drawScreens, FOLDER } from './screens.ts'

it('the screens of docs/terminal.md are what the live view draws (npm run screens writes them)', async () => {
  for (const [name, svg] of await drawScreens()) {
    expect(readFileSync(join(FOLDER, name), 'utf8'), name).toBe(svg)
  }
})
