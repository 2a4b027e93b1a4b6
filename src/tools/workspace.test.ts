import {
  existsSync,
  linkSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { Tool } from '../kernel/tool.ts'
import { toolIo } from '../testing/tool-io.ts'
import { builtinTools } from './builtin/index.ts'
import { readTextFile } from './builtin/text-file.ts'
import { insideWorkspace, readFolder, readInside, removeInside, writeInside } from './workspace.ts'

const SECRET = 'the secret outside'
let base: string
let workspace: string
let outside: string

beforeEach(() => {
  base = realpathSync(mkdtempSync(join(tmpdir(), 'thinkon-workspace-')))
  workspace = join(base, 'ws')
  outside = join(base, 'outside')
  mkdirSync(join(workspace, 'src'), { recursive: true })
  mkdirSync(outside)
  mkdirSync(join(base, 'ws-twin'))
  writeFileSync(join(outside, 'secret.txt'), SECRET)
  writeFileSync(join(base, 'ws-twin', 'secret.txt'), SECRET)
  writeFileSync(join(workspace, 'src', 'a.txt'), 'inside\n')
})

afterEach(() => rmSync(base, { recursive: true, force: true }))

/** Each makes its way out and gives the path of the secret by it, and of a file that would be made by it. */
const waysOut: Record<string, () => { secret: string; fresh: string }> = {
  'by ..': () => ({ secret: '../outside/secret.txt', fresh: '../outside/new.txt' }),
  'by .. from a folder': () => ({
    secret: 'src/../../outside/secret.txt',
    fresh: 'src/../../outside/new.txt',
  }),
  'by .. from a folder that does not exist': () => ({
    secret: 'none/../../outside/secret.txt',
    fresh: 'none/../../outside/new.txt',
  }),
  'by an absolute path': () => ({ secret: join(outside, 'secret.txt'), fresh: join(outside, 'new.txt') }),
  'by an absolute path through the workspace': () => ({
    secret: `${workspace}/../outside/secret.txt`,
    fresh: `${workspace}/../outside/new.txt`,
  }),
  'to a folder whose name begins alike': () => ({
    secret: '../ws-twin/secret.txt',
    fresh: '../ws-twin/new.txt',
  }),
  'by a linked folder': () => {
    symlinkSync(outside, join(workspace, 'link'))
    return { secret: 'link/secret.txt', fresh: 'link/new.txt' }
  },
  'by a linked folder to folders not yet made': () => {
    symlinkSync(outside, join(workspace, 'link'))
    return { secret: 'link/secret.txt', fresh: 'link/deep/er/new.txt' }
  },
  'by a relative link': () => {
    symlinkSync('../../outside', join(workspace, 'src', 'link'))
    return { secret: 'src/link/secret.txt', fresh: 'src/link/new.txt' }
  },
  'by a link over a link': () => {
    symlinkSync(outside, join(workspace, 'one'))
    symlinkSync('one', join(workspace, 'two'))
    return { secret: 'two/secret.txt', fresh: 'two/new.txt' }
  },
  'by a linked file, and a link to nothing': () => {
    symlinkSync(join(outside, 'secret.txt'), join(workspace, 'file'))
    symlinkSync(join(outside, 'new.txt'), join(workspace, 'dangling'))
    return { secret: 'file', fresh: 'dangling' }
  },
  'by a link to the parent and back in': () => {
    symlinkSync('..', join(workspace, 'up'))
    return { secret: 'up/outside/secret.txt', fresh: 'up/outside/new.txt' }
  },
  'by /proc': () => ({ secret: `/proc/self/root${outside}/secret.txt`, fresh: `/proc/self/cwd/../new.txt` }),
}

const diff = (from: string, to: string) => `--- ${from}\n+++ ${to}\n@@ -1 +1 @@\n-${SECRET}\n+changed\n`
const newFile = (to: string) => `--- /dev/null\n+++ ${to}\n@@ -0,0 +1 @@\n+changed\n`

/** Every way each tool could touch the secret or make a file. */
const uses: Record<string, (paths: { secret: string; fresh: string }) => object[]> = {
  read_file: ({ secret }) => [{ path: secret }],
  list_files: ({ secret }) => [{ path: join(secret, '..'), depth: 1 }, { path: secret }],
  search_files: ({ secret }) => [
    { pattern: 'secret', path: secret },
    { pattern: 'secret', path: join(secret, '..') },
  ],
  write_file: ({ secret, fresh }) => [
    { path: secret, content: 'changed' },
    { path: fresh, content: 'changed' },
  ],
  edit_file: ({ secret }) => [{ path: secret, old: 'secret', new: 'changed' }],
  apply_patch: ({ secret, fresh }) => [
    { patch: diff(secret, secret) },
    { patch: newFile(fresh) },
    { patch: `--- ${secret}\n+++ /dev/null\n@@ -1 +0,0 @@\n-${SECRET}\n\\ No newline at end of file\n` },
    { patch: `diff --git a/x b/y\nrename from src/a.txt\nrename to ${fresh}\n` },
    { patch: `diff --git a/x b/y\nrename from ${secret}\nrename to src/stolen.txt\n` },
  ],
  shell: ({ secret }) => [{ command: 'pwd; ls', cwd: join(secret, '..') }],
}

describe.each(Object.keys(uses))('%s', (name) => {
  it.each(Object.keys(waysOut))('finds no way out of the workspace %s', async (way) => {
    const paths = (waysOut[way] as () => { secret: string; fresh: string })()
    // The folder of a linked file is the workspace itself: going there is no way out.
    for (const input of uses[name]?.(paths) ?? []) {
      const told = JSON.stringify(await call(name, input))
      expect(told).not.toContain(SECRET)
      expect(told).not.toContain('secret.txt"')
    }
    expect(readFileSync(join(outside, 'secret.txt'), 'utf8')).toBe(SECRET)
    expect(readdirSync(outside)).toEqual(['secret.txt'])
    expect(readdirSync(base).sort()).toEqual(['outside', 'ws', 'ws-twin'])
    expect(readdirSync(join(base, 'ws-twin'))).toEqual(['secret.txt'])
    expect(readFileSync(join(workspace, 'src/a.txt'), 'utf8')).toBe('inside\n')
  })
})

describe('insideWorkspace', () => {
  it('takes relative and absolute paths inside, also of what does not exist', async () => {
    for (const path of ['src/a.txt', './src//a.txt', 'src/../src/a.txt', join(workspace, 'src/a.txt')]) {
      expect((await insideWorkspace(workspace, path)).name).toBe('src/a.txt')
    }
    expect((await insideWorkspace(workspace, 'new/er/b.txt')).name).toBe('new/er/b.txt')
    expect((await insideWorkspace(workspace, '.')).name).toBe('.')
  })

  it('takes names that only look like ways out', async () => {
    for (const path of ['..a', 'src/..b', '...', 'a..', '~', '%2e%2e', '..\\x']) {
      expect((await insideWorkspace(workspace, path)).name).toBe(path)
    }
  })

  it('takes a workspace that is itself a link, by either name', async () => {
    symlinkSync(workspace, join(base, 'alias'))
    for (const path of ['src/a.txt', join(base, 'alias/src/a.txt'), join(workspace, 'src/a.txt')]) {
      expect((await insideWorkspace(join(base, 'alias'), path)).real).toBe(join(workspace, 'src/a.txt'))
    }
  })

  it('refuses another name of a file inside, and says the real one', async () => {
    symlinkSync('src', join(workspace, 'alias'))
    await expect(insideWorkspace(workspace, 'alias/a.txt')).rejects.toThrow('use that path')
    await expect(insideWorkspace(workspace, 'alias/a.txt')).rejects.toMatchObject({
      data: { path: 'src/a.txt' },
    })
  })

  it('refuses a NUL, a loop of links, and a file used as a folder', async () => {
    symlinkSync('loop', join(workspace, 'loop'))
    await expect(insideWorkspace(workspace, 'a\0b')).rejects.toThrow('NUL')
    await expect(insideWorkspace(workspace, 'loop/x')).rejects.toThrow('links')
    await expect(insideWorkspace(workspace, 'src/a.txt/x')).rejects.toThrow('is a file')
    await expect(insideWorkspace(workspace, `src/${'x'.repeat(5_000)}`)).rejects.toThrow('too long')
  })

  it.each([
    '.thinkon/journal.db',
    '.thinkon',
    '.THINKON/x',
    '.Thinkon./x',
    './src/../.thinkon/x',
    '.git/hooks/pre-commit',
    'src/.git/config',
    '.ＧＩＴ/config',
  ])('does not write %s', async (path) => {
    await expect(insideWorkspace(workspace, path, 'write')).rejects.toThrow('not writable')
    expect(await call('write_file', { path, content: 'x' })).toMatchObject({ code: 'TOOL_ERROR' })
    expect(existsSync(join(workspace, path))).toBe(false)
  })

  it('reads .git', async () => {
    mkdirSync(join(workspace, '.git'))
    writeFileSync(join(workspace, '.git/HEAD'), 'ref: x\n')
    expect(await call('read_file', { path: '.git/HEAD' })).toMatchObject({ text: 'ref: x' })
  })
})

describe('between the check and the use', () => {
  const swapFolder = (name: string) => {
    renameSync(join(workspace, name), join(workspace, `${name}-was`))
    symlinkSync(outside, join(workspace, name))
  }

  it('finds a folder that became a link, reading', async () => {
    writeFileSync(join(workspace, 'src/secret.txt'), 'mine')
    const place = await insideWorkspace(workspace, 'src/secret.txt')
    swapFolder('src')
    await expect(readInside(place, 100)).rejects.toThrow('replaced by a link')
    await expect(readTextFile(place)).rejects.toThrow('replaced by a link')
  })

  it('finds a folder that became a link, listing', async () => {
    const place = await insideWorkspace(workspace, 'src')
    swapFolder('src')
    await expect(readFolder(place)).rejects.toThrow()
  })

  it('finds a folder that became a link, writing and removing', async () => {
    writeFileSync(join(workspace, 'src/secret.txt'), 'mine')
    const place = await insideWorkspace(workspace, 'src/secret.txt', 'write')
    const { stats } = await readInside(place, 100)
    swapFolder('src')
    await expect(writeInside(place, 'changed')).rejects.toThrow()
    await expect(removeInside(place, stats)).rejects.toThrow()
    expect(readdirSync(outside)).toEqual(['secret.txt'])
    expect(readFileSync(join(outside, 'secret.txt'), 'utf8')).toBe(SECRET)
  })

  it('finds a folder in the middle that became a link', async () => {
    mkdirSync(join(workspace, 'src/deep'))
    mkdirSync(join(outside, 'deep'))
    const place = await insideWorkspace(workspace, 'src/deep/new.txt', 'write')
    swapFolder('src')
    await expect(writeInside(place, 'changed')).rejects.toThrow()
    expect(readdirSync(join(outside, 'deep'))).toEqual([])
  })

  it('finds a new file whose name became a link', async () => {
    const place = await insideWorkspace(workspace, 'src/new.txt', 'write')
    symlinkSync(join(outside, 'made.txt'), place.real)
    await expect(writeInside(place, 'changed')).rejects.toThrow('replaced by a link')
    expect(existsSync(join(outside, 'made.txt'))).toBe(false)
  })

  it('finds a file that became a link', async () => {
    const place = await insideWorkspace(workspace, 'src/a.txt')
    rmSync(place.real)
    symlinkSync(join(outside, 'secret.txt'), place.real)
    await expect(readTextFile(place)).rejects.toThrow('replaced by a link')
  })

  it('never reads the secret while a link goes back and forth', async () => {
    mkdirSync(join(workspace, 'd'))
    writeFileSync(join(workspace, 'd/secret.txt'), 'mine')
    const d = join(workspace, 'd')
    let isOver = false
    const flipping = (async () => {
      while (!isOver) {
        renameSync(d, join(workspace, 'kept'))
        try {
          symlinkSync(outside, d)
        } catch {
          // The tool has made the folder in this moment.
        }
        await new Promise(setImmediate)
        rmSync(d, { recursive: true, force: true })
        rmSync(d, { recursive: true, force: true })
        renameSync(join(workspace, 'kept'), d)
        await new Promise(setImmediate)
      }
    })()
    const refused: unknown[] = []
    for (let i = 0; i < 300; i++) {
      const told = JSON.stringify(await call('read_file', { path: 'd/secret.txt' }))
      expect(told).not.toContain(SECRET)
      if (told.includes('refused')) refused.push(told)
      await call('write_file', { path: 'd/made.txt', content: 'x' })
    }
    isOver = true
    await flipping
    expect(refused.length).toBeGreaterThan(0)
    expect(readdirSync(outside)).toEqual(['secret.txt'])
  })
})

describe('hard links', () => {
  it('are replaced, not written through', async () => {
    linkSync(join(outside, 'secret.txt'), join(workspace, 'hard.txt'))
    expect(await call('write_file', { path: 'hard.txt', content: 'mine' })).toMatchObject({ created: false })
    expect(readFileSync(join(outside, 'secret.txt'), 'utf8')).toBe(SECRET)
    expect(lstatSync(join(workspace, 'hard.txt')).nlink).toBe(1)
  })
})

async function call(name: string, input: object): Promise<unknown> {
  const tool = builtinTools({ shell: { sandbox: 'off' } }).find((one) => one.name === name) as Tool
  const io = toolIo({ workspace })
  return tool.run(input, io).catch((error) => ({ code: error.code, message: 'refused' }))
}
