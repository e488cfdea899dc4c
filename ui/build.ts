// Bundles the UI into ui/dist with hashed names, source maps, one chunk per page, .br and .gz files, and
// manifest.json, the only file that the service parses. Usage: `node ui/build.ts [--watch]`
import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { createHash } from 'node:crypto'
import { extname, join, relative } from 'node:path'
import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'
import { build, context, type BuildOptions, type BuildResult, type Metafile, type PluginBuild } from 'esbuild'
import { PAGE_PATHS } from './app/paths.ts'
import { commonChunk, commonModules, IMPORT_COMMON } from './common-chunk.ts'
import { createDirectImports } from './direct-imports.ts'
import { scaleCss } from './app/scale.ts'
import { licencesOf } from './licences.ts'
import { buildGuide } from './build-guide.ts'
import { librariesCss } from './libraries-css.ts'
import { libraryHooks } from './library-hooks.ts'
import german from './texts/de/index.ts'
import { shell } from './texts/en/shell.ts'

const UI = import.meta.dirname
const DIST = join(UI, 'dist')
const TYPES: Readonly<Record<string, string>> = {
  '.css': 'text/css; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.json': 'application/json; charset=utf-8',
  '.png': 'image/png',
  '.svg': 'image/svg+xml',
  '.txt': 'text/plain; charset=utf-8',
  '.webmanifest': 'application/manifest+json',
  '.woff2': 'font/woff2',
}
// Latin letters in all weights. Other characters use the system's typeface.
const TYPEFACE = '@fontsource-variable/figtree/files/figtree-latin-wght-normal.woff2'
const SHELLS = { index: 'index.html', reference: 'reference/reference.html' }
const ICONS = ['icon-192.png', 'icon-512.png', 'icon-maskable-512.png']
const MAIN = 'main.tsx'
const IMPORT_MAIN = `import ${JSON.stringify(join(UI, MAIN))}\n`
const isWatching = process.argv.includes('--watch')
/** Modules that are loaded on first use: pages and dialogs. */
let lazyParts: readonly string[] = []

const options = {
  absWorkingDir: UI,
  entryPoints: {
    main: MAIN,
    'reference-style': 'reference/reference.css',
    'guide-style': 'guide/guide.css',
    app: 'app/app.css',
  },
  outdir: DIST,
  entryNames: '[name]-[hash]',
  chunkNames: '[name]-[hash]',
  bundle: true,
  splitting: true,
  format: 'esm',
  target: 'es2023',
  platform: 'browser',
  conditions: ['browser', 'module', 'production'],
  // The form library imports a validator that generates code at run time, which the CSP forbids.
  alias: { '@rjsf/validator-ajv8': './parts/schema-form/validator.ts' },
  jsx: 'automatic',
  minify: true,
  sourcemap: 'linked',
  // A stack trace needs names and lines; the texts of sources are 8 MB of an installation.
  sourcesContent: false,
  metafile: true,
  write: false,
  legalComments: 'none',
  external: ['/assets/*'],
  define: { 'process.env.NODE_ENV': '"production"' },
  logLevel: 'warning',
  plugins: [
    { name: 'main-chunk', setup: keepMainChunk },
    libraryHooks,
    { name: 'direct-imports', setup: importDirectly },
    {
      name: 'publish',
      setup: ({ onEnd }) =>
        onEnd(async (result) => void (await publish(result as BuildResult<{ metafile: true; write: false }>))),
    },
  ],
} satisfies BuildOptions

const directly = createDirectImports(join(UI, '../node_modules'))
if (isWatching) await (await context(options)).watch()
else {
  // The first build finds the modules that pages share; the second puts them into one file.
  const { metafile } = await build({ ...options, sourcemap: false, plugins: options.plugins.slice(0, -1) })
  const common = commonChunk(UI, commonModules(metafile, MAIN))
  lazyParts = Object.values(metafile.outputs).flatMap(({ entryPoint = '' }) =>
    entryPoint === MAIN ? [] : [join(UI, entryPoint)],
  )
  await build({ ...options, plugins: [common, ...options.plugins] })
}

/**
 * esbuild splits chunks by the entries that reach a module, so code shared by the main entry and a page would become
 * many small files. Importing the main entry from every lazy module keeps it in one chunk.
 */
function keepMainChunk({ onLoad }: PluginBuild): void {
  onLoad({ filter: /[\\/]ui[\\/](?:pages|app|parts)[\\/].*\.tsx$/ }, async ({ path }) => ({
    contents: [
      await directly(await readFile(path, 'utf8')),
      IMPORT_MAIN,
      lazyParts.includes(path) ? IMPORT_COMMON : '',
    ].join('\n'),
    loader: 'tsx',
  }))
}

function importDirectly({ onLoad }: PluginBuild): void {
  onLoad({ filter: /[\\/]ui[\\/][^\\/]+\.tsx$|[\\/]ui[\\/](?:pages|app|parts|api)[\\/].*\.ts$/ }, async ({ path }) => ({
    // A lazy part without components, like the others.
    contents: `${await directly(await readFile(path, 'utf8'))}\n${lazyParts.includes(path) ? IMPORT_MAIN + IMPORT_COMMON : ''}`,
    loader: path.endsWith('x') ? 'tsx' : 'ts',
  }))
  onLoad({ filter: /[\\/]@(?:mantine|rjsf)[\\/].*\.m?js$/ }, async ({ path }) => ({
    contents: await directly(await readFile(path, 'utf8')),
    loader: 'js',
  }))
}

async function publish({
  outputFiles,
  metafile,
  errors,
}: BuildResult<{ metafile: true; write: false }>): Promise<void> {
  if (errors.length > 0) return
  const startedAtMs = performance.now()
  const named = entryNames(metafile)
  const written = withoutStub(outputFiles, metafile, named)
  const { first, later } = await librariesCss(metafile, UI, named['main.js'] as string)
  add('typeface.woff2', await readFile(join(UI, '../node_modules', TYPEFACE)))
  addStyle('app.css', first)
  for (const name of ['guide-style.css', 'reference-style.css']) addStyle(name, scaleCss())
  add('pages.css', Buffer.from(later))
  add('stream-worker.js', await bundleAlone('api/stream-worker.ts'))
  add('reference.js', await bundleAlone('reference/reference.js'))
  add('licences.txt', Buffer.from(await licencesOf(metafile, UI)))
  add('de.json', Buffer.from(JSON.stringify(german)))
  for (const icon of [...ICONS, 'icon-apple-180.png']) add(icon, await readFile(join(UI, 'static', icon)))
  add('app.webmanifest', Buffer.from(JSON.stringify(webManifest(named))))
  add('sw.js', await bundleAlone('app/service-worker.ts', { OFFLINE: JSON.stringify(offlineOf(named)) }))

  await mkdir(DIST, { recursive: true })
  const present = new Set(await readdir(DIST))
  const files = [...written].filter(([name]) => !name.endsWith('.map'))
  for (const [name, content] of written) if (!present.has(name)) await writeFile(join(DIST, name), content)
  await Promise.all(
    files
      .filter(([name]) => !present.has(`${name}.br`) || !present.has(`${name}.gz`))
      .map(([name, content]) => compress(name, content)),
  )

  // Inlined, which saves a request on the first load.
  const icon = `data:image/svg+xml,${encodeURIComponent(await readFile(join(UI, 'static/icon.svg'), 'utf8'))}`
  const readShell = async (file: string) =>
    (await readFile(join(UI, file), 'utf8'))
      .replace('/assets/icon.svg', icon)
      .replaceAll(/\/assets\/([A-Za-z0-9.-]+)/g, (_, asset: string) => `/assets/${named[asset] ?? fail(asset)}`)
  const pages = Object.fromEntries(
    await Promise.all(Object.entries(SHELLS).map(async ([name, file]) => [name, await readShell(file)] as const)),
  )
  // Before the sign-in there is no frame.
  pages['entry'] = (pages['index'] ?? '').replace(/^ *<!-- The frame .*<!-- \/frame -->\n/ms, '')
  const manifest = {
    guide: await buildGuide(join(DIST, 'guide'), await readShell('guide/guide.html')),
    paths: PAGE_PATHS,
    pages,
    worker: named['sw.js'],
    files: Object.fromEntries(files.map(([name]) => [name, TYPES[extname(name)] ?? fail(name)])),
  }
  // Written last so that the service never reads a manifest before its files exist.
  await writeFile(join(DIST, 'manifest.json'), JSON.stringify(manifest, null, 1))
  await writeFile(join(DIST, 'metafile.json'), JSON.stringify({ entry: named['main.js'], outputs: metafile.outputs }))
  const kept = new Set([
    ...written.keys(),
    ...files.flatMap(([name]) => [`${name}.br`, `${name}.gz`]),
    'manifest.json',
    'metafile.json',
    'guide',
  ])
  for (const name of present) if (!kept.has(name)) await rm(join(DIST, name), { force: true })
  process.stdout.write(`ui: ${files.length} files, written in ${Math.round(performance.now() - startedAtMs)} ms\n`)

  /** With the styles before it, and the typeface by its name. The file has its own name by its content. */
  function addStyle(name: string, before: string): void {
    const built = named[name] as string
    const style = before + String(written.get(built))
    written.delete(built)
    written.delete(`${built}.map`)
    add(name, Buffer.from(style.replace('/assets/typeface.woff2', named['typeface.woff2'] as string)))
  }

  function add(name: string, content: Buffer): void {
    const extension = extname(name)
    const hash = createHash('sha256').update(content).digest('hex').slice(0, 8).toUpperCase()
    const hashed = `${name.slice(0, -extension.length)}-${hash}${extension}`
    named[name] = hashed
    written.set(hashed, content)
  }
}

/** The web app manifest, which makes the application installable. Its addresses are relative to this file. */
function webManifest(named: Readonly<Record<string, string>>): object {
  return {
    name: shell.product,
    short_name: shell.product,
    start_url: '../',
    scope: '../',
    display: 'standalone',
    background_color: '#0c0f16',
    theme_color: '#090b11',
    icons: ICONS.map((icon) => ({
      src: named[icon],
      sizes: icon.includes('192') ? '192x192' : '512x512',
      type: 'image/png',
      purpose: icon.includes('maskable') ? 'maskable' : 'any',
    })),
  }
}

/** Input of the service worker. Its version is the name of the main script. */
function offlineOf(named: Readonly<Record<string, string>>): object {
  return {
    version: named['main.js'],
    typeface: named['typeface.woff2'],
    texts: { en: shell.offline, de: german['shell']?.offline },
  }
}

/** One file without shared chunks: each would be a request. */
async function bundleAlone(file: string, define: Readonly<Record<string, string>> = {}): Promise<Buffer> {
  const { outputFiles } = await build({
    absWorkingDir: UI,
    entryPoints: [file],
    bundle: true,
    format: 'esm',
    target: options.target,
    define,
    minify: true,
    write: false,
  })
  return Buffer.from((outputFiles[0] ?? fail(file)).contents)
}

/** Maps the plain name of an entry point ("main.js") to its hashed name. */
function entryNames({ outputs }: Metafile): Record<string, string> {
  return Object.fromEntries(
    Object.entries(outputs)
      .filter(
        ([, { entryPoint }]) => entryPoint !== undefined && Object.values(options.entryPoints).includes(entryPoint),
      )
      .map(([path]) => {
        const file = relative('dist', path)
        return [file.replace(/-[A-Z0-9]{8}(?=\.[a-z]+$)/, ''), file]
      }),
  )
}

async function compress(name: string, content: Buffer): Promise<void> {
  const [br, gz] = await Promise.all([
    promisify(brotliCompress)(content, {
      params: {
        [constants.BROTLI_PARAM_QUALITY]: isWatching ? 4 : 11,
        [constants.BROTLI_PARAM_SIZE_HINT]: content.length,
      },
    }),
    promisify(gzip)(content, { level: isWatching ? 1 : 9 }),
  ])
  await Promise.all([writeFile(join(DIST, `${name}.br`), br), writeFile(join(DIST, `${name}.gz`), gz)])
}

/**
 * Every page imports the main entry, so esbuild puts it into a chunk and leaves a file that only imports that chunk. Use
 * the chunk in its place, which saves a request before the first view.
 */
function withoutStub(
  files: BuildResult<{ metafile: true; write: false }>['outputFiles'],
  { outputs }: Metafile,
  named: Record<string, string>,
): Map<string, Buffer> {
  const stub = named['main.js'] as string
  const path = outputs[`dist/${stub}`]?.imports.find(({ kind }) => kind === 'import-statement')?.path
  const chunk = relative('dist', path ?? fail('chunk of main.js'))
  const name = chunk.replace(/^chunk-/, 'main-')
  named['main.js'] = name
  const entry = outputs[`dist/${chunk}`]
  if (entry !== undefined) outputs[`dist/${name}`] = entry
  const written = new Map<string, Buffer>()
  for (const { path: file, contents, text } of files) {
    const own = relative(DIST, file)
    if (own === stub || own === `${stub}.map`) continue
    const isCode = own.endsWith('.js')
    written.set(own.replace(chunk, name), Buffer.from(isCode ? text.replaceAll(chunk, name) : contents))
  }
  return written
}

function fail(name: string): never {
  throw new Error(`A page asks for "${name}", which the build does not make.`)
}
