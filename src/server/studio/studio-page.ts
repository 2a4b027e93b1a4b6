/** The files of Studio, the web page: built into studio/dist, and shipped in the package. Nothing of it is loaded from elsewhere. */
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { packagePath } from '../../files/package-path.ts'

/** Of a checkout and of the package alike. */
export const studioFile = (name: string) => join(packagePath('studio/dist'), name)

const TYPES: Readonly<Record<string, string>> = {
  html: 'text/html; charset=utf-8',
  js: 'text/javascript; charset=utf-8',
  css: 'text/css; charset=utf-8',
  svg: 'image/svg+xml',
}

/** Scripts, styles and requests of the service's own, and nothing else. */
export const STUDIO_POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; " +
  "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

/** What the build makes: `/`, `/assets/index-Bx1.js`. */
const FILE = /^\/(?:|assets\/[\w.-]+\.(?:js|css|svg))$/

/** The file at this path of the page; null if it is none of its files, or the page is not built. */
export async function studioPage(path: string): Promise<Response | null> {
  if (!FILE.test(path)) return null
  const name = path === '/' ? 'index.html' : path.slice(1)
  const body = await contentOf(studioFile(name))
  if (body === null) return null
  return new Response(new Uint8Array(body), {
    headers: {
      'content-type': TYPES[name.slice(name.lastIndexOf('.') + 1)] ?? 'application/octet-stream',
      'content-security-policy': STUDIO_POLICY,
      // Names of assets change with what is in them.
      ...(name.startsWith('assets/') && { 'cache-control': 'private, max-age=31536000, immutable' }),
    },
  })
}

async function contentOf(file: string): Promise<Buffer | null> {
  try {
    return await readFile(file)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null
    throw error
  }
}
