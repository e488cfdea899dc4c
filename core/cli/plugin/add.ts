// `plugin add`: registers an existing plugin.
import { join, resolve } from 'node:path'
import type { PluginManifest } from '@playhead/sdk'
import { integrityOf, compilePlugin } from '../../host/load/compile.ts'
import { compilePages } from '../../host/load/compile-pages.ts'
import { CliError, type Command } from '../command.ts'
import { describeNeeds, openPluginFolder } from './folder.ts'
import { isShipped, knownPlugins, placesOf, changeEntry, sourceOf } from './registry-file.ts'

export const pluginAdd: Command = {
  name: 'plugin add',
  summary: 'registers a plugin from a folder or an npm package',
  usage: '<folder | npm:package> [--pin] [--replace]',
  words: ['folder or npm:package'],
  options: { pin: { type: 'boolean' }, replace: { type: 'boolean' } },
  help: `
  --pin       notes the sources' checksum; the plugin is blocked when they change
  --replace   takes the place of a plugin with the same id

Examples:
  npm run playhead -- plugin add ../my-plugins/hello
  npm install --prefix data/plugins/installed playhead-plugin-hello
  npm run playhead -- plugin add npm:playhead-plugin-hello --pin

Plugins run inside Playhead and are trusted with what it can do: add only those whose author you trust. What the plugin
reaches is printed. A Playhead that is running loads it within a moment; otherwise it is there at the next start.`,
  async run(cli, { words, options }) {
    const [source = ''] = words
    const places = placesOf(cli)
    const isPackage = source.startsWith('npm:')
    const name = source.slice('npm:'.length)
    if (isPackage && !/^(@[a-z0-9._~-]+\/)?[a-z0-9][a-z0-9._~-]*$/.test(name)) {
      throw new CliError(`"${name}" is not the name of an npm package.`)
    }
    const { directory, manifest } = await openPluginFolder(
      isPackage ? join(places.packages, 'node_modules', name) : resolve(cli.workingDirectory, source),
    ).catch((error: unknown) => {
      if (isPackage && error instanceof CliError) {
        throw new CliError(
          `the package ${name} is not installed. Install it with: npm install --prefix ${places.packages} ${name}`,
        )
      }
      throw error
    })

    const known = (await knownPlugins(cli)).plugins.find(({ id }) => id === manifest.id)
    if (known !== undefined && known.directory !== directory && options['replace'] !== true) {
      throw new CliError(
        `a plugin "${manifest.id}" is registered from ${known.directory}. Use --replace to put this one in its place.`,
      )
    }
    const file = isShipped(cli, directory) ? places.bundled : places.user
    const integrity = options['pin'] === true ? { integrity: await checksum(manifest, directory) } : {}
    await changeEntry(file, manifest.id, () => ({
      id: manifest.id,
      source: isPackage ? source : sourceOf(file, directory),
      enabled: true,
      ...integrity,
    }))

    cli.print(`Added ${manifest.name} ${manifest.version} (${manifest.id}) to ${file}.`)
    for (const line of describeNeeds(manifest)) cli.print(`  ${line}`)
  },
}

async function checksum({ id, entry = 'index.ts', ui }: PluginManifest, directory: string): Promise<string> {
  const { inputs } = await compilePlugin({ id, directory, entry, cacheDirectory: null })
  const pages = await compilePages({ id, directory, ui, cacheDirectory: null })
  return integrityOf(directory, [...new Set([...inputs, ...(pages?.inputs ?? [])])])
}
