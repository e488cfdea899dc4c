// Builds the published package: JavaScript and declarations in `sdk/dist`, with a package.json of its own.
// In the repository the sources are used, but Node runs no TypeScript below node_modules. The sources' own package.json is
// private, so that `npm publish` in `sdk/` cannot publish them by mistake.
import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { cp, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { dirname, join, posix } from 'node:path'
import { promisify } from 'node:util'

const HERE = import.meta.dirname
const ROOT = join(HERE, '..')
const CACHE = join(ROOT, 'node_modules/.cache')
const TSC = join(ROOT, 'node_modules/typescript/bin/tsc')
/** Copied beside the modules. */
const FILES = ['README.md', 'api.md', 'plugin.schema.json', 'registry.schema.json']

export interface SdkManifest {
  readonly name: string
  readonly exports: Readonly<Record<string, string>>
}

export async function readManifest(): Promise<SdkManifest> {
  return JSON.parse(await readFile(join(HERE, 'package.json'), 'utf8')) as SdkManifest
}

/** The entries that are modules, as paths without extension: `.` is `sdk/index`. */
export function moduleEntries(manifest: SdkManifest): ReadonlyMap<string, string> {
  const modules = Object.entries(manifest.exports).filter(([, file]) => file.endsWith('.ts'))
  return new Map(modules.map(([entry, file]) => [entry, posix.join('sdk', file).replace(/\.ts$/, '')]))
}

/**
 * Compiles all entries into a temporary folder, with the paths of the repository. Types are checked by `npm run typecheck`.
 *
 * @returns the folder; the caller removes it
 */
export async function compileSdk({ onlyDeclarations = false } = {}): Promise<string> {
  await mkdir(CACHE, { recursive: true })
  const folder = await mkdtemp(join(CACHE, 'sdk-'))
  const flags = ['-p', join(HERE, 'tsconfig.build.json'), '--outDir', folder]
  if (onlyDeclarations) flags.push('--emitDeclarationOnly')
  await promisify(execFile)(process.execPath, [TSC, ...flags], { env: { ...process.env, NODE_OPTIONS: '' } }).catch(
    (error: { readonly stdout?: string }) => {
      // Declarations of the test host, which is not part of the package, cannot all be named.
      const own = (error.stdout ?? String(error)).split('\n').filter((line) => /^sdk\/|^error/.test(line))
      if (own.length > 0 || !existsSync(join(folder, 'sdk/index.d.ts')))
        throw new Error(own.join('\n') || String(error))
    },
  )
  return folder
}

/** All modules that one needs, by path without extension. Modules outside of `sdk/` are not followed. */
async function modulesOf(folder: string, entry: string): Promise<ReadonlySet<string>> {
  const found = new Set([entry])
  for (const module of found) {
    if (!module.startsWith('sdk/')) continue
    for (const extension of ['.js', '.d.ts']) {
      const text = await readFile(join(folder, module + extension), 'utf8')
      for (const [, to = ''] of text.matchAll(/(?:from|import)\s*\(?\s*["'](\.[^"']+)["']/g))
        found.add(posix.join(dirname(module), to).replace(/\.[jt]s$/, ''))
    }
  }
  return found
}

/**
 * Writes the package. An entry that needs files outside of `sdk/` is left out: it only works inside of Playhead.
 *
 * @returns the names of the entries that were left out
 */
export async function buildSdk(compiled: string, target: string): Promise<readonly string[]> {
  const manifest = await readManifest()
  const leftOut: string[] = []
  const files = new Set<string>()
  const entries: Record<string, string | { readonly types: string; readonly default: string }> = {}
  const modules = moduleEntries(manifest)
  for (const [entry, file] of Object.entries(manifest.exports)) {
    const module = modules.get(entry)
    if (module === undefined) {
      entries[entry] = file
      continue
    }
    const needed = await modulesOf(compiled, module)
    if ([...needed].some((path) => !path.startsWith('sdk/'))) {
      leftOut.push(entry)
      continue
    }
    for (const path of needed) files.add(path.slice('sdk/'.length))
    const path = `./${module.slice('sdk/'.length)}`
    entries[entry] = { types: `${path}.d.ts`, default: `${path}.js` }
  }
  await rm(target, { recursive: true, force: true })
  for (const path of files) {
    await mkdir(dirname(join(target, path)), { recursive: true })
    for (const extension of ['.js', '.d.ts'])
      await cp(join(compiled, 'sdk', path + extension), join(target, path + extension))
  }
  for (const file of FILES) await cp(join(HERE, file), join(target, file))
  await cp(join(ROOT, 'LICENSE'), join(target, 'LICENSE'))
  const published = { ...manifest, private: undefined, exports: entries, publishConfig: { access: 'public' } }
  await writeFile(join(target, 'package.json'), `${JSON.stringify(published, null, 2)}\n`)
  return leftOut
}

if (import.meta.main) {
  const compiled = await compileSdk()
  try {
    const leftOut = await buildSdk(compiled, join(HERE, 'dist'))
    if (leftOut.length > 0) process.stderr.write(`Left out, because they need the host: ${leftOut.join(', ')}\n`)
  } finally {
    await rm(compiled, { recursive: true, force: true })
  }
}
