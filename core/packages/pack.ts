// Makes an npm package of a plugin's folder. Packages that it imports are bundled, because the host installs none.
import { glob, readdir, readFile } from 'node:fs/promises'
import { join, relative, sep } from 'node:path'
import { promisify } from 'node:util'
import { crc32, gzip } from 'node:zlib'
import { PlayheadError, type PluginManifest } from '@playhead/sdk'
import { compilePages } from '../host/load/compile-pages.ts'
import { compilePlugin, ownFilesOnly, toBuildError } from '../host/load/compile.ts'
import { SHARED_MODULES } from '../host/load/shared-modules.ts'
import { defined } from '@playhead/sdk/host'

const KEYWORD = 'playhead-plugin'
const SDK = '@playhead/sdk'
/** Scripts that npm runs on a person's machine during installation or publishing. */
const NOT_KEPT_SCRIPTS = new Set([
  'preinstall',
  'install',
  'postinstall',
  'prepare',
  'prepack',
  'prepublish',
  'prepublishOnly',
])
const NEVER = /(^|\/)(node_modules|\.git|\.tap|\.npmrc|\.env[^/]*|\.DS_Store)(\/|$)|\.tgz$/
/** Of a README: they are read at its source, and nothing at run time can read them. */
const PICTURE = /\.(png|jpe?g|webp|gif)$/i
/** A fixed time, so that equal sources give equal bytes. */
const MTIME = new Date('2000-01-01T00:00:00Z')
const TAR_BLOCK = 512
/** The largest stored block of RFC 1951. */
const STORED_BLOCK = 65_535

export interface PackRequest {
  readonly directory: string
  readonly manifest: PluginManifest
  readonly packageJson: Readonly<Record<string, unknown>>
  /** The modules that it uses, as `needs` of the manifest lists them. */
  readonly uses: { readonly hooks: readonly string[]; readonly secrets: readonly string[] }
  /**
   * Leaves the archive uncompressed. Equal sources then give equal bytes on every machine, which compression does not:
   * its result depends on the processor and the version of zlib.
   */
  readonly isStored?: boolean
}

export interface Packed {
  readonly tarball: Buffer
  /** Paths in the package. */
  readonly files: readonly string[]
  /** Names of the packages in the bundles. */
  readonly bundled: readonly string[]
}

export async function packPlugin({
  directory,
  manifest,
  packageJson,
  uses,
  isStored = false,
}: PackRequest): Promise<Packed> {
  const { id, entry = 'index.ts', ui } = manifest
  const code = await compilePlugin({ id, directory, entry, cacheDirectory: null })
  const pages = await compilePages({ id, directory, ui, cacheDirectory: null })
  const inputs = [...new Set([...code.inputs, ...(pages?.inputs ?? [])])]
  const isOwn = (file: string) =>
    file.startsWith(directory + sep) && !relative(directory, file).includes('node_modules')
  const bundled = [...new Set(inputs.filter((file) => !isOwn(file)).map(packageOf))].sort()

  const files = new Map<string, Buffer>()
  const own = inputs.filter(isOwn).map((file) => slashes(relative(directory, file)))
  for (const path of [...own, ...(await chosen(directory, packageJson['files']))].sort())
    files.set(path, await readFile(join(directory, path)))
  const modules = [...(ui?.pages ?? []), ...(ui?.panels ?? [])].map(({ module }) => module)
  const isBundled = bundled.length > 0
  if (isBundled) {
    files.set('dist/index.js', await bundle(id, directory, entry, 'node'))
    for (const module of new Set(modules))
      files.set(bundledModule(module), await bundle(id, directory, module, 'browser'))
  }

  const packed = manifestOf(manifest, uses, isBundled)
  files.set('plugin.json', json(packed))
  const paths = [...new Set([...files.keys(), 'package.json'])].sort()
  files.set('package.json', json(packageJsonOf(packageJson, packed, paths)))
  const archive = await tarOf(files, paths)
  const tarball = isStored ? storedGzip(archive) : await promisify(gzip)(archive, { level: 9 })
  return { tarball, files: paths, bundled }
}

async function tarOf(files: ReadonlyMap<string, Buffer>, paths: readonly string[]): Promise<Buffer<ArrayBuffer>> {
  // Loaded with the first package.
  const { Header } = await import('tar')
  const blocks = paths.flatMap((path) => {
    const content = files.get(path) as Buffer
    const header = Buffer.alloc(TAR_BLOCK)
    const needsMore = new Header({
      path: `package/${path}`,
      mode: 0o644,
      size: content.length,
      mtime: MTIME,
      type: 'File',
    }).encode(header)
    if (needsMore) throw new PlayheadError('PLH_INVALID', `The path ${path} is too long for a package.`)
    return [header, content, Buffer.alloc((TAR_BLOCK - (content.length % TAR_BLOCK)) % TAR_BLOCK)]
  })
  return Buffer.concat([...blocks, Buffer.alloc(2 * TAR_BLOCK)])
}

/** gzip (RFC 1952) without compression. */
function storedGzip(content: Buffer<ArrayBuffer>): Buffer<ArrayBuffer> {
  const parts = [Buffer.from([0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 255])]
  for (let at = 0; at < content.length; at += STORED_BLOCK) {
    const block = content.subarray(at, at + STORED_BLOCK)
    const head = Buffer.from([at + block.length === content.length ? 1 : 0, 0, 0, 0, 0])
    head.writeUInt16LE(block.length, 1)
    head.writeUInt16LE(0xffff - block.length, 3)
    parts.push(head, block)
  }
  const tail = Buffer.alloc(8)
  tail.writeUInt32LE(crc32(content), 0)
  tail.writeUInt32LE(content.length, 4)
  return Buffer.concat([...parts, tail])
}

/** The file name that npm gives such a package. */
export function tarballName(name: string, version: string): string {
  return `${name.replace(/^@/, '').replace('/', '-')}-${version}.tgz`
}

async function chosen(directory: string, listed: unknown): Promise<readonly string[]> {
  const isListed = Array.isArray(listed)
  const wanted = isListed ? listed.map(String) : ['**']
  const found: string[] = []
  const top = await readdir(directory)
  const always = top.filter((name) => /^(readme|licen[cs]e|notice|changelog)(\.|$)/i.test(name))
  for (const pattern of [...wanted, ...always, 'texts/*.json']) {
    const patterns = [pattern.replace(/^\.?\//, ''), `${pattern.replace(/^\.?\//, '').replace(/\/$/, '')}/**`]
    const options = {
      cwd: directory,
      withFileTypes: true,
      exclude: (entry: { readonly name: string }) => NEVER.test(entry.name),
    } as const
    for await (const entry of glob(patterns, options))
      if (entry.isFile()) found.push(slashes(relative(directory, join(entry.parentPath, entry.name))))
  }
  return [...new Set(found)].filter(
    (path) =>
      !NEVER.test(path) && !path.startsWith('..') && path !== 'package-lock.json' && (isListed || !PICTURE.test(path)),
  )
}

async function bundle(id: string, directory: string, entry: string, platform: 'node' | 'browser'): Promise<Buffer> {
  const { build } = await import('esbuild')
  try {
    const { outputFiles } = await build({
      entryPoints: [join(directory, entry)],
      absWorkingDir: directory,
      write: false,
      bundle: true,
      format: 'esm',
      platform,
      target: platform === 'node' ? 'node26' : 'es2023',
      external: platform === 'node' ? [...SHARED_MODULES] : [],
      plugins: [ownFilesOnly(directory)],
      // Licences of bundled packages.
      legalComments: 'eof',
      logLevel: 'silent',
    })
    return Buffer.from((outputFiles[0] as { contents: Uint8Array }).contents)
  } catch (error) {
    throw toBuildError(id, error)
  }
}

function manifestOf(manifest: PluginManifest, uses: PackRequest['uses'], isBundled: boolean): PluginManifest {
  const { $schema: _, needs = {}, ui, ...rest } = manifest
  const hooks = [...new Set([...(needs.hooks ?? []), ...uses.hooks])].sort()
  const secrets = [...new Set([...(needs.secrets ?? []), ...uses.secrets])].sort()
  const all = { ...needs, ...(hooks.length === 0 ? {} : { hooks }), ...(secrets.length === 0 ? {} : { secrets }) }
  const inDist = <Part extends { module: string }>(part: Part) => ({ ...part, module: bundledModule(part.module) })
  const shown =
    ui === undefined || !isBundled ? ui : defined({ pages: ui.pages?.map(inDist), panels: ui.panels?.map(inDist) })
  return {
    ...rest,
    ...(isBundled ? { entry: 'dist/index.js' } : {}),
    ...(Object.keys(all).length === 0 ? {} : { needs: all }),
    ...defined({ ui: shown }),
  }
}

function packageJsonOf(
  packageJson: Readonly<Record<string, unknown>>,
  { id, api, kind, version }: PluginManifest,
  files: readonly string[],
): Readonly<Record<string, unknown>> {
  const {
    dependencies: _d,
    devDependencies: _dev,
    bundleDependencies: _b,
    bundledDependencies: _bd,
    ...rest
  } = packageJson
  const record = (value: unknown) => (typeof value === 'object' && value !== null ? value : {})
  const scripts = Object.entries(record(rest['scripts'])).filter(([name]) => !NOT_KEPT_SCRIPTS.has(name))
  const keywords = Array.isArray(rest['keywords']) ? rest['keywords'].map(String) : []
  return {
    ...rest,
    version,
    keywords: [...new Set([...keywords, KEYWORD])],
    files: files.filter((path) => path !== 'package.json'),
    ...(scripts.length === 0 ? { scripts: undefined } : { scripts: Object.fromEntries(scripts) }),
    peerDependencies: { ...record(rest['peerDependencies']), [SDK]: api },
    peerDependenciesMeta: { ...record(rest['peerDependenciesMeta']), [SDK]: { optional: true } },
    playhead: { id, kind },
  }
}

function bundledModule(module: string): string {
  return `dist/${module.replace(/\.[a-z]+$/, '').replaceAll('/', '-')}.page.js`
}

/** The package of a file in node_modules, or of a linked folder. */
function packageOf(file: string): string {
  const parts = file.split(sep)
  const at = parts.lastIndexOf('node_modules')
  if (at === -1) return parts.at(-2) ?? file
  const [scope = '', name = ''] = parts.slice(at + 1)
  return scope.startsWith('@') ? `${scope}/${name}` : scope
}

function slashes(path: string): string {
  return path.split(sep).join('/')
}

function json(value: unknown): Buffer {
  return Buffer.from(`${JSON.stringify(value, null, 2)}\n`)
}
