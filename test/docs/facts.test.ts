// Names in README.md and docs exist in the code: environment variables with their defaults, npm scripts, routes, files.
import { existsSync } from 'node:fs'
import { glob, readFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import t from 'tap'
import { readEnvironment } from '../../core/environment.ts'
import { picture, pictures } from '../../docs/pictures/draw.ts'
import { BEYOND, SERVED } from '../contract/table.ts'

const ROOT = join(import.meta.dirname, '../..')
const read = (path: string) => readFile(join(ROOT, path), 'utf8')
const pages = new Map<string, string>()
for (const path of ['README.md', ...(await Array.fromAsync(glob('docs/**/*.md', { cwd: ROOT })))].sort())
  pages.set(path, await read(path))
/** Pages for contributors. Their routes are examples. */
const forContributors = new Map<string, string>()
for await (const path of glob(
  [
    '{CONTRIBUTING,SECURITY,CODE_OF_CONDUCT,CHANGELOG}.md',
    '{core,sdk,ui,test,plugins,plugins/*}/README.md',
    '.github/*.md',
  ],
  { cwd: ROOT },
))
  forContributors.set(path, await read(path))

async function codeOf(...patterns: readonly string[]): Promise<string> {
  const files = await Array.fromAsync(glob([...patterns], { cwd: ROOT }))
  return (await Promise.all(files.map(read))).join('\n')
}

t.test('the environment table lists each variable of the service, with its default', async (t) => {
  const code = await read('core/environment.ts')
  const known = new Set([...code.matchAll(/'(PLAYHEAD_[A-Z_]+)'/g)].map(([, name]) => name))
  const rows = [...(pages.get('README.md') ?? '').matchAll(/^\| `(PLAYHEAD_[A-Z_]+)` \| ([^|]+) \|/gm)]
  t.same(rows.map(([, name]) => name).toSorted(), [...known].toSorted())
  const { host, port, logLevel, allowNoAuth } = readEnvironment({})
  const defaults = Object.fromEntries(rows.map(([, name, value = '']) => [name, /`([^`]+)`/.exec(value)?.[1]]))
  t.match(defaults, {
    PLAYHEAD_HOST: host,
    PLAYHEAD_PORT: String(port),
    PLAYHEAD_LOG_LEVEL: logLevel,
    PLAYHEAD_ALLOW_NO_AUTH: String(Number(allowNoAuth)),
  })
})

t.test('each named variable and npm script exists', async (t) => {
  const code = await codeOf('core/**/*.{ts,js}', 'sdk/**/*.ts', 'plugins/**/*.ts', 'test/**/*.ts')
  const { scripts } = JSON.parse(await read('package.json')) as { readonly scripts: Readonly<Record<string, string>> }
  for (const [page, text] of [...pages, ...forContributors]) {
    for (const [name] of text.matchAll(/PLAYHEAD_[A-Z_]*[A-Z]/g)) {
      // Homepage adds its own prefix to the names of its variables.
      if (!text.includes(`HOMEPAGE_VAR_${name}`)) t.ok(code.includes(name), `${page}: ${name}`)
    }
    for (const [, name = ''] of text.matchAll(/npm run ([\w:]+)/g))
      if (!page.startsWith('docs/guide/plugins')) t.ok(name in scripts, `${page}: npm run ${name}`)
  }
})

t.test('each named route exists', async (t) => {
  const routes = [...SERVED, ...BEYOND].map(({ method, path }) => {
    const pattern = path.replaceAll(/\{\w+\}|:\w+/g, '[^/]+').replace(/\/$/, '')
    return new RegExp(`^${method} ${pattern}$`)
  })
  let count = 0
  for (const [page, text] of pages) {
    for (const [, method, path = ''] of text.matchAll(
      /`(GET|POST|PUT|PATCH|DELETE) (\/(?:api|webhook|callback|metrics|art)[^`\s?]*)/g,
    )) {
      count += 1
      const name = `${method} ${path}`.replace(/\/$/, '')
      t.ok(
        routes.some((route) => route.test(name)),
        `${page}: ${name}`,
      )
    }
  }
  t.ok(count > 200, `${count} routes`)
})

t.test('each linked file exists', async (t) => {
  for (const [page, text] of [...pages, ...forContributors]) {
    for (const [, to = ''] of text.replaceAll(/```[\s\S]*?```/g, '').matchAll(/\]\(([^)#\s]+)[^)]*\)/g))
      if (!/^https?:/.test(to)) t.ok(existsSync(join(ROOT, dirname(page), to)), `${page}: ${to}`)
  }
})

t.test('each top folder and each kind of plugin has a short description with an existing example', async (t) => {
  const kinds = await Array.fromAsync(glob('plugins/*/', { cwd: ROOT }))
  for (const folder of ['core', 'sdk', 'ui', 'test', 'plugins', ...kinds]) {
    const text = forContributors.get(`${folder}/README.md`) ?? ''
    t.match(text, /^# /, folder)
    if (folder === 'sdk' || folder === 'ui') continue
    t.ok(text.split('\n').length <= 16, `${folder} has its details elsewhere`)
    t.match(text, /smallest/i, folder)
    for (const [, path = ''] of text.matchAll(/`([\w.-]+\/[\w./-]+)`/g))
      t.ok(existsSync(join(ROOT, folder, path)) || existsSync(join(ROOT, path)), `${folder}: ${path}`)
  }
})

t.test('the properties of the sync are listed with the tests that name them', async (t) => {
  const tested = new Map<string, Set<string>>()
  for await (const path of glob('**/*.test.ts', { cwd: join(ROOT, 'test') })) {
    const text = await read(join('test', path))
    const names = [...text.matchAll(/['"`]((?:[PL][1-9]\d? )+)\S|\blaws: '([L\d ]+)'/g)]
    for (const name of names.flatMap(([, own, laws]) => (own ?? laws ?? '').match(/[PL]\d+/g) ?? []))
      tested.set(name, (tested.get(name) ?? new Set()).add(path.replace(/\.test\.ts$/, '')))
  }
  const [text = '', properties = ''] = (pages.get('docs/reference/sync-properties.md') ?? '').split('## Properties')
  const laws = [...text.matchAll(/^\| (L\d+) \|/gm)].map(([, name]) => name)
  t.same(laws, [...tested.keys()].filter((name) => name.startsWith('L')).toSorted(), 'each law has a named life')
  const listed = [...properties.matchAll(/^\| (P\d+(?:, P\d+)*) \|.*\| ([^|]+) \|$/gm)].flatMap(
    ([, numbers = '', files = '']) =>
      numbers.split(', ').map((number) => [number, files.replaceAll('`', '').split(', ').toSorted()] as const),
  )
  t.equal(new Set(listed.map(([number]) => number)).size, listed.length, 'each property has one row')
  const proven = [...tested].filter(([name]) => name.startsWith('P'))
  t.same(
    Object.fromEntries(listed),
    Object.fromEntries(proven.map(([number, files]) => [number, [...files].toSorted()])),
  )
})

t.test('each picture matches its source text', async (t) => {
  for (const [path, text] of pictures())
    t.equal(await readFile(path, 'utf8').catch(() => ''), text, `${path}: run npm run generate:pictures`)
  t.throws(() => picture('# A picture\n\nno sign'), /no known sign/)
  t.throws(() => picture('# A picture\n> down | no sign'), /no arrow/)
  t.match(picture('# A picture\n> one | <> two'), /<text[^>]*>one<[\s\S]*<text[^>]*>two</)
  t.match(picture('# 1 < 2\n- A & B: note | C'), /<title>1 &lt; 2<\/title>[\s\S]*A &amp; B[\s\S]*note[\s\S]*C/)
})
