// `plugin add`: registers an existing plugin, or installs one from npm.
import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import { isPlayheadError } from '@playhead/sdk'
import { sourcesIntegrity } from '../../packages/install.ts'
import { NO_FENCE } from '../../packages/asks.ts'
import { parseSpec } from '../../packages/npm-registry.ts'
import { CliError, type Arguments, type Cli, type Command } from '../command.ts'
import { openPackages, settle } from './package-review.ts'
import { describeNeeds, openPluginFolder } from './folder.ts'
import { rivalsOf, switchOff } from './rivals.ts'
import { sourceOf } from '../../packages/folders.ts'
import { isShipped, knownPlugins, placesOf, changeEntry } from './registry-file.ts'

export const pluginAdd: Command = {
  name: 'plugin add',
  summary: 'registers a plugin from a folder, or installs one from npm',
  usage: '<folder | package[@range]> [--yes] [--pin] [--replace]',
  words: ['folder or package'],
  options: { yes: { type: 'boolean', short: 'y' }, pin: { type: 'boolean' }, replace: { type: 'boolean' } },
  help: `
For a package, what it asks for is shown before anything of it is run, and it is enabled when you accept it. Its bytes are
checked against the sha512 of the registry, its scripts are not run, and packages that it needs must be in it.
  --yes       for a package: accepts what it asks for without a question
  --pin       for a folder: notes the sources' checksum; the plugin is blocked when they change
  --replace   for a folder: takes the place of a plugin with the same id, and switches off those that provide the same
"npm:" before a name says that it is a package, although there is a folder with this name.

Examples:
  npm run playhead -- plugin add ../my-plugins/hello
  npm run playhead -- plugin add playhead-plugin-hello
  npm run playhead -- plugin add playhead-plugin-hello@^1.2

The registry is that of PLAYHEAD_NPM_REGISTRY, of .npmrc in the data directory, or of your own .npmrc.
Plugins run inside Playhead and are trusted with what it can do: add only those whose author you trust. A Playhead that is
running loads it within a moment; otherwise it is there at the next start.`,
  async run(cli, { words: [source = ''], options }) {
    const isNamed = source.startsWith('npm:')
    const spec = isNamed ? source.slice('npm:'.length) : source
    if (isNamed && parseSpec(spec) === null) throw new CliError(`"${spec}" is not the name of an npm package.`)
    const isFolder = !isNamed && (existsSync(resolve(cli.workingDirectory, source)) || parseSpec(spec) === null)
    if (isFolder) return addFolder(cli, source, options)
    const packages = openPackages(cli)
    const staged = await packages.stage(spec).catch((error: unknown) => {
      // The argument may have been meant as a folder.
      if (isNamed || !isPlayheadError(error)) throw error
      throw new CliError(
        `there is no folder ${resolve(cli.workingDirectory, source)}, and no package: ${error.message}`,
      )
    })
    await settle(cli, packages, staged, options)
  },
}

async function addFolder(cli: Cli, source: string, options: Arguments['options']): Promise<void> {
  const places = placesOf(cli)
  const { directory, manifest } = await openPluginFolder(resolve(cli.workingDirectory, source))
  const known = (await knownPlugins(cli)).plugins.find(({ id }) => id === manifest.id)
  if (known !== undefined && known.directory !== directory && options['replace'] !== true) {
    throw new CliError(
      `a plugin "${manifest.id}" is registered from ${known.directory}. Use --replace to put this one in its place.`,
    )
  }
  const rivals = (await rivalsOf(cli, manifest)).filter(({ enabled }) => enabled)
  const [rival] = rivals
  if (rival !== undefined && options['replace'] !== true) {
    throw new CliError(
      `the plugin "${rival.id}" provides ${rival.token} already, and only one can. Use --replace to switch it off, and have this one in its place.`,
    )
  }
  await switchOff(cli, rivals)
  const file = isShipped(cli, directory) ? places.bundled : places.user
  const integrity = options['pin'] === true ? { integrity: await sourcesIntegrity(directory, manifest) } : {}
  await changeEntry(file, manifest.id, () => ({
    id: manifest.id,
    source: sourceOf(file, directory),
    enabled: true,
    ...integrity,
  }))
  cli.print(`Added ${manifest.name} ${manifest.version} (${manifest.id}) to ${file}.`)
  for (const line of describeNeeds(manifest)) cli.print(`  ${line}`)
  cli.print(`  ${NO_FENCE}`)
}
