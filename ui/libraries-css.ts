// Collects the style sheets of the library components that are in the bundle.
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { transform, type Metafile } from 'esbuild'

const CORE = 'node_modules/@mantine/core'
const WHOLE = ['notifications', 'spotlight', 'dates']
const BASE = ['baseline', 'default-css-variables', 'global']

/** Styles of the first view, and styles that only pages need. Both are in layers, so that our own rules override them. */
interface LibrariesCss {
  readonly first: string
  readonly later: string
}

export async function librariesCss({ outputs }: Metafile, ui: string, main: string): Promise<LibrariesCss> {
  const root = join(ui, '..')
  const own = outputs[`dist/${main}`]
  const ofMain = inputsOf(own === undefined ? [] : [own])
  const all = inputsOf(Object.values(outputs))
  const [used, first] = [sheetsOf(all), sheetsOf(ofMain)]
  const whole = await readFile(join(root, CORE, 'styles.css'), 'utf8')
  const names = (await readdir(join(root, CORE, 'styles')))
    .filter((name) => name.endsWith('.css') && !name.endsWith('.layer.css'))
    .map((name) => name.slice(0, -'.css'.length))
  const sheets = await Promise.all(
    names
      .filter((name) => BASE.includes(name) || used.has(name))
      .map(async (name) => {
        const css = await readFile(join(root, CORE, 'styles', `${name}.css`), 'utf8')
        return { css, place: whole.indexOf(css.slice(0, 80)), isFirst: BASE.includes(name) || first.has(name) }
      }),
  )
  const others = await Promise.all(
    WHOLE.filter((name) => uses(all, name)).map(async (name) => ({
      css: await readFile(join(root, `node_modules/@mantine/${name}/styles.css`), 'utf8'),
      isFirst: uses(ofMain, name),
    })),
  )
  // Later sheets override earlier ones, so keep the order of the complete sheet.
  const ordered = [...sheets.sort((a, b) => a.place - b.place), ...others]
  const layer = async (name: string, isFirst: boolean) => {
    const css = ordered.flatMap((sheet) => (sheet.isFirst === isFirst ? [sheet.css] : [])).join('\n')
    return (await transform(`@layer first, later;\n@layer ${name} {\n${css}\n}`, { loader: 'css', minify: true })).code
  }
  return { first: await layer('first', true), later: await layer('later', false) }
}

function inputsOf(outputs: readonly Metafile['outputs'][string][]): readonly string[] {
  return outputs
    .flatMap(({ inputs }) => Object.entries(inputs))
    .filter(([, { bytesInOutput }]) => bytesInOutput > 0)
    .map(([path]) => path)
}

function sheetsOf(inputs: readonly string[]): ReadonlySet<string> {
  return new Set(inputs.flatMap((path) => /@mantine\/core\/esm\/.*\/([^/]+)\.module\.mjs$/.exec(path)?.[1] ?? []))
}

function uses(inputs: readonly string[], name: string): boolean {
  return inputs.some((path) => path.includes(`@mantine/${name}/`))
}
