// The compile cache.
import { readdir, utimes, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import t from 'tap'
import { SourceMap, type SourceMapping } from 'node:module'
import { build, transform } from 'esbuild'
import type { PluginManifest } from '@playhead/sdk'
import { compilePages } from '../../../core/host/load/compile-pages.ts'
import { compilePlugin, createSources, sweepCompiled } from '../../../core/host/load/compile.ts'
import { linesOnly } from '../../../core/host/load/line-map.ts'

t.test('the cached code is exactly the compiled code', async (t) => {
  const directory = t.testdir({
    plugin: { 'index.ts': `/*! Zoë's, 五 */ export default { pattern: /^[*•五]{3}$/, text: 'línea 五 💾' }` },
  })
  const compile = () =>
    compilePlugin({
      id: 'one',
      directory: join(directory, 'plugin'),
      entry: 'index.ts',
      cacheDirectory: join(directory, 'cache'),
    })
  const compiled = await compile()
  const kept = await compile()

  t.strictSame([compiled.fromCache, kept.fromCache], [false, true])
  t.equal(kept.code, compiled.code)
  t.match(kept.code, /\[\*•五\]/)
})

t.test('a plugin is compiled although its cache cannot be written', async (t) => {
  const directory = t.testdir({
    plugin: { 'index.ts': 'export default 1', 'page.ts': 'export default 2' },
    cache: 'a file where the folder should be',
  })
  const place = { id: 'one', directory: join(directory, 'plugin'), cacheDirectory: join(directory, 'cache') }
  const compiled = await compilePlugin({ ...place, entry: 'index.ts' })
  t.match(compiled.code, /sourceMappingURL=data:/)
  const pages = await compilePages({ ...place, ui: { pages: [{ module: 'page.ts' }] } as PluginManifest['ui'] })
  t.strictSame([...Object.keys(pages?.files ?? {})].includes('page.js'), true)
})

t.test('a save after compilation is not in the hash of the compiled code', async (t) => {
  const directory = t.testdir({ 'index.ts': 'export default 1' })
  const entry = join(directory, 'index.ts')
  const sources = createSources()
  const {
    outputFiles: [output],
  } = await build({ entryPoints: [entry], write: false, plugins: [sources.plugin] })
  await writeFile(entry, 'export default 2')

  t.match(output!.text, /default 1|= 1/)
  t.equal(Buffer.from(await sources.read(entry)).toString(), 'export default 1')
})

t.test('a start removes compiled code of earlier versions, and none that is used or being written', async (t) => {
  const directory = t.testdir({ plugin: { 'index.ts': 'export default 1' } })
  const compile = () =>
    compilePlugin({
      id: 'one',
      directory: join(directory, 'plugin'),
      entry: 'index.ts',
      cacheDirectory: join(directory, 'cache'),
    })
  const names = async () => (await readdir(join(directory, 'cache'))).sort()
  await compile()
  const first = await names()
  await writeFile(join(directory, 'plugin', 'index.ts'), 'export default 2')
  await compile()
  const both = await names()
  await writeFile(join(directory, 'cache', 'one.pages.json'), '{}')
  await writeFile(join(directory, 'cache', '.playhead-0123456789abcdef.tmp'), 'half')
  await writeFile(join(directory, 'cache', 'two.json'), '{ "recipe": ')
  await writeFile(join(directory, 'cache', 'three.json'), '{}')

  await sweepCompiled(join(directory, 'cache'))
  t.strictSame(
    (await names()).filter((name) => both.includes(name)),
    both,
    'another process may be about to name it',
  )
  for (const name of await names()) await utimes(join(directory, 'cache', name), new Date(0), new Date(0))
  await sweepCompiled(join(directory, 'cache'))

  t.equal(both.length, first.length + 2)
  t.strictSame(
    await names(),
    [
      'one.pages.json',
      'two.json',
      'three.json',
      ...both.filter((name) => !first.includes(name) || name.endsWith('.json')),
    ].sort(),
  )
  t.match(await compile(), { fromCache: true })
  await sweepCompiled(join(directory, 'nowhere'))
})

t.test('a map of lines finds the source line of each place, with few segments', async (t) => {
  const source = `enum Kind { One = 1, Two }\n\nexport const kinds = [Kind.One, Kind.Two].map((kind) => {\n  // says which\n  return { kind, name: Kind[kind] as string }\n})\n${'\n'.repeat(40)}export function late(\n  first: number,\n  second: string,\n): string {\n  if (first === 1) console.log(first)\n  return first + second\n}\n`
  for (const minifyWhitespace of [false, true]) {
    const { code, map } = await transform(source, {
      loader: 'ts',
      sourcemap: 'external',
      sourcefile: 'kinds.ts',
      minifyWhitespace,
    })
    const shortened = linesOnly(map, code)
    const [whole, lines] = [map, shortened].map((text) => new SourceMap(JSON.parse(text) as never))
    const places = code
      .split('\n')
      .flatMap((text, line) =>
        Array.from(text, (_character, column) => ({ line, column })).filter(
          ({ column }) => text.slice(0, column + 1).trim() !== '',
        ),
      )
    t.strictSame(
      places.map(({ line, column }) => lineOf(lines!.findEntry(line, column))),
      places.map(({ line, column }) => lineOf(whole!.findEntry(line, column))),
    )
    t.ok(segmentsOf(shortened) < segmentsOf(map) / 3, `${segmentsOf(shortened)} of ${segmentsOf(map)} segments`)
  }
})

function lineOf(entry: object): string {
  const { originalSource, originalLine } = entry as SourceMapping
  return `${originalSource}:${originalLine}`
}

function segmentsOf(map: string): number {
  return (JSON.parse(map) as { mappings: string }).mappings.split(/[,;]/).filter((segment) => segment !== '').length
}
