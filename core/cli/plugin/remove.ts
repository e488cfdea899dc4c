// `plugin remove`: removes a plugin from its registry; its folder stays.
import { readManifest } from '../../host/load/registry.ts'
import { CliError, type Command } from '../command.ts'
import { openPackages } from './package-review.ts'
import { nearest } from '../nearest.ts'
import { knownPlugins, placesOf, changeEntry } from './registry-file.ts'
import { rivalsOf } from './rivals.ts'

export const pluginRemove: Command = {
  name: 'plugin remove',
  summary: 'takes an added plugin out of the registry',
  usage: '<id>',
  words: ['id'],
  help: `
The plugin's folder, its settings and what it stored stay where they are; adding it again finds all of it.
A plugin that ships with Playhead is not removed but switched off, with "plugin disable".

Example:
  npm run playhead -- plugin remove hello

A Playhead that is running unloads it within a moment, after what is under way has ended.`,
  async run(cli, { words: [id = ''] }) {
    const { plugins } = await knownPlugins(cli)
    const plugin = plugins.find((known) => known.id === id)
    if (plugin === undefined) throw unknownPlugin(id, plugins)
    if (plugin.origin === 'bundled') {
      throw new CliError(`"${id}" ships with Playhead. Switch it off with: npm run playhead -- plugin disable ${id}`)
    }
    if (plugin.package !== null) {
      await openPackages(cli).remove(id)
      return cli.print(`Removed ${id}, which came from the package ${plugin.package.name}.`)
    }
    const { user } = placesOf(cli)
    await changeEntry(user, id, () => null)
    const rivals = await readManifest(plugin.directory, id).then(
      (manifest) => rivalsOf(cli, manifest),
      () => [],
    )
    cli.print(`Removed ${id} from ${user}. Its folder ${plugin.directory} was not touched.`)
    if (rivals.length > 0 && rivals.every(({ enabled }) => !enabled))
      cli.print(
        `${rivals[0]?.token} is provided by no plugin now. Switch one on with: npm run playhead -- plugin enable ${rivals[0]?.id}`,
      )
  },
}

export function unknownPlugin(id: string, plugins: readonly { readonly id: string }[]): CliError {
  const suggestion = nearest(
    id,
    plugins.map((plugin) => plugin.id),
  )
  return new CliError(
    `there is no plugin "${id}".${suggestion === null ? '' : ` Did you mean "${suggestion}"?`} See: npm run playhead -- plugin list`,
  )
}
