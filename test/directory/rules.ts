// The rules of plugins/directory: each folder is a package that a stranger could have written.
import { glob, readFile } from 'node:fs/promises'
import { basename, dirname, join, relative, sep } from 'node:path'
import type { PluginManifest } from '@playhead/sdk'
import { readManifest } from '../../core/host/load/registry.ts'

const ROOT = join(import.meta.dirname, '..', '..')
export const DIRECTORY = join(ROOT, 'plugins', 'directory')

const NEEDED = ['plugin.json', 'package.json', 'README.md', 'LICENSE', 'tsconfig.json', 'index.ts', 'index.test.ts']
/** Kinds that the conformance kit checks: with a stand-in of the service, or examples of a format. */
const CHECKED = ['provider', 'notifier', 'importer']
/** Not published for plugins. */
const PRIVATE_ENTRIES = ['./host', './plugin.schema.json', './registry.schema.json']
const SCRIPTS_OF_NPM = /^(?:(?:pre|post)?install|prepare|(?:pre|post)?pack|(?:pre|post)?publish|prepublishOnly)$/

/** The folders of the directory. */
export async function packages(): Promise<readonly string[]> {
  const folders = await Array.fromAsync(glob('*/', { cwd: DIRECTORY }))
  return folders.map((folder) => join(DIRECTORY, folder)).sort()
}

/** What does not fit, a sentence each; empty if all does. */
export async function problemsOf(folder: string): Promise<readonly string[]> {
  const files = (await Array.fromAsync(glob('**/*', { cwd: folder, exclude: ['node_modules'] }))).sort()
  const missing = NEEDED.filter((file) => !files.includes(file)).map((file) => `${file} is missing`)
  if (missing.length > 0) return missing
  let manifest: PluginManifest
  try {
    manifest = await readManifest(folder, basename(folder))
  } catch (error) {
    // An invalid manifest, another id, or a range that this SDK is not in.
    return [(error as Error).message]
  }
  const packageJson = JSON.parse(await readFile(join(folder, 'package.json'), 'utf8'))
  const shipped = JSON.parse(await readFile(join(ROOT, 'plugin-registry.json'), 'utf8')).plugins as { id: string }[]
  const expect = (isSo: boolean, problem: string) => (isSo ? [] : [problem])
  const { id, version, api, kind, provides = [] } = manifest

  return [
    ...expect(!shipped.some((one) => one.id === id), 'it is in plugin-registry.json'),
    ...(await takenBy(provides)),
    ...expect(manifest.isolation !== 'none', 'it asks to run in the thread of the service'),
    ...expect(packageJson.name === `playhead-plugin-${id}`, `package.json: the name is not playhead-plugin-${id}`),
    ...expect(
      packageJson.version === version,
      `package.json has version ${packageJson.version}, plugin.json ${version}`,
    ),
    ...expect(
      packageJson.peerDependencies?.['@playhead/sdk'] === api,
      `package.json: the range of the SDK is not ${api}`,
    ),
    ...expect(typeof packageJson.license === 'string', 'package.json: no licence'),
    ...expect(packageJson.private !== true, 'package.json: private'),
    ...expect(packageJson.dependencies === undefined, 'package.json: dependencies beside the SDK'),
    ...Object.keys(packageJson.scripts ?? {})
      .filter((name) => SCRIPTS_OF_NPM.test(name))
      .map((name) => `package.json: the script "${name}" would run on people's machines`),
    ...expect(!CHECKED.includes(kind) || files.includes('conformance.ts'), 'conformance.ts is missing'),
    ...(await importProblems(folder, files, manifest.needs?.builtins ?? [])),
  ]
}

/** Ids of shipped plugins by the capabilities that they provide. */
let shippedTokens: Promise<ReadonlyMap<string, string>> | undefined

async function readTokens(): Promise<ReadonlyMap<string, string>> {
  const tokens = new Map<string, string>()
  for await (const file of glob('plugins/*/*/plugin.json', { cwd: ROOT, exclude: ['plugins/directory/**'] })) {
    const { id, provides = [] } = JSON.parse(await readFile(join(ROOT, file), 'utf8')) as PluginManifest
    for (const token of provides) tokens.set(token, id)
  }
  return tokens
}

async function takenBy(provides: readonly string[]): Promise<readonly string[]> {
  const tokens = await (shippedTokens ??= readTokens())
  return provides.flatMap((token) => (tokens.has(token) ? [`${tokens.get(token)} provides ${token}, too`] : []))
}

async function importProblems(
  folder: string,
  files: readonly string[],
  builtins: readonly string[],
): Promise<readonly string[]> {
  const { exports } = JSON.parse(await readFile(join(ROOT, 'sdk', 'package.json'), 'utf8')) as {
    exports: Readonly<Record<string, unknown>>
  }
  const entries = Object.keys(exports)
    .filter((entry) => !PRIVATE_ENTRIES.includes(entry))
    .map((entry) => join('@playhead/sdk', entry))
  const problems: string[] = []
  for (const file of files.filter((one) => /\.[cm]?[jt]sx?$/.test(one))) {
    const isTest = file.endsWith('.test.ts')
    const forTests = isTest || /(?:^|\/)(?:conformance|stand-in)[\w-]*\.ts$/.test(file)
    for (const name of importsOf(await readFile(join(folder, file), 'utf8'))) {
      const isOwn = name.startsWith('.') && !relative(folder, join(folder, dirname(file), name)).startsWith(`..${sep}`)
      const isSdk = entries.includes(name) && (forTests || !name.startsWith('@playhead/sdk/testing'))
      const isBuiltin = name.startsWith('node:') && (forTests || builtins.includes(name.slice('node:'.length)))
      if (!isOwn && !isSdk && !isBuiltin && !(isTest && name === 'tap')) problems.push(`${file} imports ${name}`)
    }
  }
  return problems
}

/** Names in imports, exports and calls of `import()` and `require()`; a computed name as `(computed)`. */
export function importsOf(source: string): readonly string[] {
  const names = /\bfrom\s*(['"])([^'"\n]+)\1|\b(?:import|require)\s*\(?\s*(['"`])([^'"`\n]+)\3/g
  const named = [...source.matchAll(names)].map((match) => match[2] ?? match[4] ?? '')
  const computed = /\b(?:import|require)\s*\(\s*[^'"`\s)]/.test(source) ? ['(computed)'] : []
  return [...new Set([...named, ...computed])]
}
