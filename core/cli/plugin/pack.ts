// `plugin pack`: makes a package for `npm publish`.
import { readdir, readFile, writeFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import type { TestHost } from '@playhead/sdk/testing'
import { compilePlugin } from '../../host/load/compile.ts'
import { describeAsks, asksOf } from '../../packages/asks.ts'
import { createNpmRegistry, parseSpec, readNpmSettings, sha512Of } from '../../packages/npm-registry.ts'
import { packPlugin, tarballName, type Packed, type PackRequest } from '../../packages/pack.ts'
import { readTarball } from '../../packages/unpack.ts'
import { CliError, type Cli, type Command } from '../command.ts'
import { pluginCheck } from './check.ts'
import { openPluginFolder, type PluginFolder } from './folder.ts'

export const pluginPack: Command = {
  name: 'plugin pack',
  summary: 'makes an npm package of a plugin',
  usage: '<folder> [--out <folder>] [--offline] [--stored]',
  words: ['folder'],
  options: { out: { type: 'string' }, offline: { type: 'boolean' }, stored: { type: 'boolean' } },
  help: `
Checks the plugin as "plugin check" does, and that there are a README, a licence and a version that is not published yet.
Then it writes the package:
  plugin.json   with the hooks, events and secrets that the plugin uses, which people review
  package.json  with the keyword, the range of the SDK and the list of files
  sources       all that the plugin imports; packages that it imports are bundled into dist
  --out         the folder of the package; without it, the current one
  --offline     does not ask the npm registry for published versions
  --stored      does not compress: equal sources give the same bytes on every machine, as the directory needs them
The plugin's code is run. Pack only what you would also run.

Example:
  npm run playhead -- plugin pack ~/playhead-plugins/hello
  npm publish playhead-plugin-hello-1.0.0.tgz`,
  async run(cli, { words: [folder = ''], options }) {
    const { directory, manifest } = await openPluginFolder(resolve(cli.workingDirectory, folder))
    const packageJson = await readPackageJson(directory)
    const name = String(packageJson['name'] ?? '')
    const { version } = manifest
    const problems = [
      ...problemsOf(packageJson, name, version),
      ...(await missingFiles(directory)),
      ...(options['offline'] === true ? [] : await published(cli, name, version)),
    ]
    if (problems.length > 0) {
      for (const problem of problems) cli.print(`FAIL  ${problem}`)
      throw new CliError(`${manifest.id} is not ready to be published; see above.`)
    }
    await pluginCheck.run(cli, { words: [folder], options: {} })

    const isStored = options['stored'] === true
    const { tarball, files, bundled } = await pack({ directory, manifest }, packageJson, isStored)
    const file = join(
      resolve(cli.workingDirectory, typeof options['out'] === 'string' ? options['out'] : '.'),
      tarballName(name, version),
    )
    await writeFile(file, tarball)
    const packed = await readTarball(tarball, `${name} ${version}`)
    cli.print(`${file}: ${files.length} files, ${Math.ceil(tarball.length / 1024)} KB, ${sha512Of(tarball)}`)
    for (const path of files) cli.print(`  ${path}`)
    if (bundled.length > 0) cli.print(`  bundled into dist: ${bundled.join(', ')}`)
    cli.print('People who add it are asked to accept this:')
    const written = JSON.parse((packed.get('plugin.json') as Buffer).toString('utf8')) as typeof manifest
    for (const line of describeAsks(asksOf(written))) cli.print(`  ${line}`)
    cli.print(`Publish it with: npm publish ${file}`)
  },
}

/** Packs a plugin for a trial: like a package, but without the checks for publishing. */
export async function packFolder({ directory, manifest }: PluginFolder): Promise<Buffer> {
  const packageJson = await readPackageJson(directory).catch(() => ({ name: `playhead-plugin-${manifest.id}` }))
  return (await pack({ directory, manifest }, packageJson)).tarball
}

async function pack(
  { directory, manifest }: PluginFolder,
  packageJson: PackRequest['packageJson'],
  isStored = false,
): Promise<Packed> {
  const { code } = await compilePlugin({
    id: manifest.id,
    directory,
    entry: manifest.entry ?? 'index.ts',
    cacheDirectory: null,
  })
  let uses: ReturnType<TestHost['uses']> = { hooks: [], secrets: [] }
  const { tryOut } = await import('./try-out.ts')
  await tryOut({ manifest, directory, code, look: (host) => void (uses = host.uses()) })
  return packPlugin({ directory, manifest, packageJson, uses, isStored })
}

async function readPackageJson(directory: string): Promise<Readonly<Record<string, unknown>>> {
  const file = join(directory, 'package.json')
  try {
    const value: unknown = JSON.parse(await readFile(file, 'utf8'))
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Record<string, unknown>
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT')
      throw new CliError(`${directory} has no package.json. "npm init" in this folder makes one.`)
  }
  throw new CliError(`${file} is not a JSON object.`)
}

function problemsOf(packageJson: Readonly<Record<string, unknown>>, name: string, version: string): readonly string[] {
  const spec = parseSpec(name)
  return [
    ...(spec === null || spec.name !== name ? [`package.json: "${name}" is not a name for an npm package.`] : []),
    ...(packageJson['private'] === true ? ['package.json has "private": true, so npm refuses to publish it.'] : []),
    ...(packageJson['version'] === version
      ? []
      : [
          `package.json has the version ${String(packageJson['version'] ?? 'none')}, plugin.json has ${version}. They must be the same.`,
        ]),
    ...(typeof packageJson['license'] === 'string' && packageJson['license'] !== ''
      ? []
      : ['package.json has no "license", for example "MIT".']),
  ]
}

async function missingFiles(directory: string): Promise<readonly string[]> {
  const names = await readdir(directory)
  const has = (pattern: RegExp) => names.some((name) => pattern.test(name))
  return [
    ...(has(/^readme(\.|$)/i) ? [] : ['there is no README.md: what the plugin is for, and how it is set up.']),
    ...(has(/^licen[cs]e(\.|$)/i) ? [] : ['there is no LICENSE file.']),
  ]
}

/** A version can be published only once. Without the registry this cannot be checked. */
async function published(cli: Cli, name: string, version: string): Promise<readonly string[]> {
  const registry = createNpmRegistry({ settings: await readNpmSettings(cli.dataDirectory, cli.variables) })
  const isThere = await registry.has(name, version)
  if (isThere === null) cli.print('note: the npm registry cannot be asked for published versions.')
  return isThere === true
    ? [`${name} ${version} is published already. Raise "version" in plugin.json and package.json.`]
    : []
}
