// Distances and sizes of text come from the scales of the theme: styles and pages have no lengths of their own for them.
import { glob, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import t from 'tap'

const UI = join(import.meta.dirname, '../../ui')
const SPACES = /^\s*(?:scroll-)?(?:padding|margin)(?:-[a-z-]+)?$|^\s*(?:row-|column-)?gap$|^\s*font-size$/
const LENGTH = /(?<![\w-])\d*\.?\d+(?:px|rem|em|pt)\b/
const PROPS =
  /\b(?:gap|rowGap|columnGap|[mp][tblrxy]?|spacing|verticalSpacing|fz)=(?:\{(?!0\})\d[^}]*\}|"[\d.]+(?:px|rem|em)")/g
const STYLES = /\b(?:padding|margin|gap|fontSize)(?!Start|End)(?:[A-Z]\w+)?: (?:'[^']*\d(?:px|rem|em)|[1-9])/g

t.test('styles have no lengths for spaces and sizes of text', async (t) => {
  for (const file of ['app/app.css', 'guide/base.css', 'guide/guide.css', 'reference/reference.css']) {
    const css = await readFile(join(UI, file), 'utf8')
    const literal = css
      .replaceAll(/\/\*.*?\*\//gs, '')
      .split(/[;{}]/)
      .filter((line) => {
        const [name = '', ...value] = line.split(':')
        return SPACES.test(name) && LENGTH.test(value.join(':'))
      })
    t.same(
      literal.map((line) => line.trim()),
      [],
      file,
    )
  }
})

t.test('pages and parts name the steps of the scale', async (t) => {
  let count = 0
  for await (const file of glob('{app,pages,parts}/**/*.tsx', { cwd: UI })) {
    const source = await readFile(join(UI, file), 'utf8')
    count += 1
    const found = [...source.matchAll(PROPS), ...source.matchAll(STYLES)].map(([text]) => text)
    t.same(found, [], file)
  }
  t.ok(count > 200, `${count} files`)
})
