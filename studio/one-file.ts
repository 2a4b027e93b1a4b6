/**
 * Makes one file of a page: its script and style stand in it, and its policy allows these two alone, by their hashes. Whatever else is put
 * into the page later can neither run nor load anything.
 */
import { createHash } from 'node:crypto'
import type { Plugin } from 'vite'

export function oneFile(): Plugin {
  return {
    name: 'one-file',
    enforce: 'post',
    generateBundle(_options, bundle) {
      const files = Object.values(bundle)
      const page = files.find(({ fileName }) => fileName.endsWith('.html'))
      const [script, ...others] = files.filter((file) => file.type === 'chunk')
      const assets = files.filter((file) => file.type === 'asset')
      if (page?.type !== 'asset' || script === undefined || others.length > 0)
        throw new Error(`one page with one script is expected, not ${files.map(({ fileName }) => fileName)}`)
      const code = asInline(script.code)
      const styles = assets.filter(({ fileName }) => fileName.endsWith('.css'))
      const style = styles.map(({ source }) => String(source)).join('')
      const policy = [
        "default-src 'none'",
        `script-src ${hashOf(code)}`,
        `style-src ${hashOf(style)}`,
        'img-src data:',
        "base-uri 'none'",
        "form-action 'none'",
      ].join('; ')
      // As functions: `$&` in what is put in stays as it is.
      const html = String(page.source)
        .replace(/\s*<link rel="stylesheet"[^>]*>/g, '')
        .replace(/\s*<script type="module"[^>]*><\/script>/, '')
        .replace('<meta charset="utf-8" />', (meta) => `${meta}\n    ${metaOf(policy)}`)
        .replace(/"\.\/(assets\/[^"]*\.svg)"/g, (_, name) => `"${dataOf(assets, name)}"`)
        .replace('</head>', (end) => `  <style>${style}</style>\n  ${end}`)
        .replace('</body>', (end) => `  <script type="module">${code}</script>\n  ${end}`)
      for (const { fileName } of files) delete bundle[fileName]
      this.emitFile({ type: 'asset', fileName: page.fileName, source: html })
    },
  }
}

function metaOf(policy: string): string {
  return `<meta http-equiv="Content-Security-Policy" content="${policy}" />`
}

function dataOf(assets: readonly { fileName: string; source: string | Uint8Array }[], name: string): string {
  const { source = '' } = assets.find(({ fileName }) => fileName === name) ?? {}
  return `data:image/svg+xml;base64,${Buffer.from(source).toString('base64')}`
}

function hashOf(text: string): string {
  return `'sha256-${createHash('sha256').update(text).digest('base64')}'`
}

/** What would end the script for a browser stands in strings and patterns alone, which mean the same so. */
function asInline(code: string): string {
  return code.replace(/<(?=\/script|!--)/gi, '\\x3c')
}
