// Collects the style sheets of the library components that are in the bundle.
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { transform, type Metafile } from 'esbuild'

const CORE = 'node_modules/@mantine/core'
const WHOLE = ['charts', 'notifications', 'spotlight', 'dates']
const BASE = ['baseline', 'default-css-variables', 'global']

export async function librariesCss(metafile: Metafile, ui: string): Promise<string> {
  const root = join(ui, '..')
  const inputs = Object.values(metafile.outputs)
    .flatMap(({ inputs: own }) => Object.entries(own))
    .filter(([, { bytesInOutput }]) => bytesInOutput > 0)
    .map(([path]) => path)
  const used = new Set(inputs.flatMap((path) => /@mantine\/core\/esm\/.*\/([^/]+)\.module\.mjs$/.exec(path)?.[1] ?? []))
  const whole = await readFile(join(root, CORE, 'styles.css'), 'utf8')
  const names = (await readdir(join(root, CORE, 'styles')))
    .filter((name) => name.endsWith('.css') && !name.endsWith('.layer.css'))
    .map((name) => name.slice(0, -'.css'.length))
  const sheets = await Promise.all(
    names
      .filter((name) => BASE.includes(name) || used.has(name))
      .map(async (name) => {
        const css = await readFile(join(root, CORE, 'styles', `${name}.css`), 'utf8')
        return { css, place: whole.indexOf(css.slice(0, 80)) }
      }),
  )
  const others = await Promise.all(
    WHOLE.filter((name) => inputs.some((path) => path.includes(`@mantine/${name}/`))).map((name) =>
      readFile(join(root, `node_modules/@mantine/${name}/styles.css`), 'utf8'),
    ),
  )
  // Later sheets override earlier ones, so keep the order of the complete sheet.
  const css = [...sheets.sort((a, b) => a.place - b.place).map((sheet) => sheet.css), ...others].join('\n')
  return (await transform(css, { loader: 'css', minify: true })).code
}
