// `plugin new`: creates a working plugin from a template.
import { existsSync } from 'node:fs'
import { join, relative, resolve } from 'node:path'
import { PLUGIN_KINDS } from '@playhead/sdk'
import { readManifest } from '../../host/load/registry.ts'
import { CliError, type Command } from '../command.ts'
import { nearest } from '../nearest.ts'
import { sourceOf } from '../../packages/folders.ts'
import { changeEntry, isShipped, knownPlugins, placesOf } from './registry-file.ts'
import { rivalsOf } from './rivals.ts'
import { scaffold } from './scaffold.ts'

/** A page is a template of the kind `service`. */
export const TEMPLATES = [...PLUGIN_KINDS, 'page'] as const
type Template = (typeof TEMPLATES)[number]

export const pluginNew: Command = {
  name: 'plugin new',
  summary: 'makes a new plugin and registers it',
  usage: '<kind> <id> [--dir <folder>]',
  words: ['kind', 'id'],
  options: { dir: { type: 'string' } },
  help: `
  <kind>   provider   connects a media server, tracker or list service
           feature    decides how one kind of watch state is kept the same
           analyzer   finds something that is wrong in what is stored
           exporter   writes a file format
           importer   reads a file format
           notifier   tells people something: a chat, a phone, a mailbox
           page       a page of its own in the application, and the route behind it
           service    anything else: routes, jobs, reactions to events
  <id>     small letters, digits and dashes, beginning with a letter; also the name of the folder
  --dir    the folder to make it in; without it, the repository's own plugins

Examples:
  npm run playhead -- plugin new service hello
  npm run playhead -- plugin new provider my-server --dir ~/playhead-plugins

What is made: plugin.json, index.ts and what belongs to the kind, a test that passes, a README. It is registered, so a
Playhead that is running has it within a moment, and loads it again whenever you save one of its files.
One that takes the place of another plugin, as a feature does, is off until you put it there with "plugin add --replace".
Then: run the test, change something, and run "plugin check" before you give it to others.`,
  async run(cli, { words: [kind = '', id = ''], options }) {
    if (!isKind(kind)) {
      const suggestion = nearest(kind, TEMPLATES)
      throw new CliError(
        `"${kind}" is no kind of plugin.${suggestion === null ? '' : ` Did you mean "${suggestion}"?`} Kinds: ${TEMPLATES.join(', ')}.`,
      )
    }
    if (!/^[a-z][a-z0-9-]{1,39}$/.test(id)) {
      throw new CliError(
        `"${id}" cannot be an id. Use 2 to 40 small letters, digits and dashes, beginning with a letter.`,
      )
    }
    const known = (await knownPlugins(cli)).plugins.find((plugin) => plugin.id === id)
    const isGone = known !== undefined && known.package === null && !existsSync(known.directory)
    if (known !== undefined && !isGone) throw new CliError(`there is a plugin "${id}" already, in ${known.directory}.`)

    const folder = join(
      typeof options['dir'] === 'string'
        ? resolve(cli.workingDirectory, options['dir'])
        : join(cli.root, 'plugins', kind === 'page' ? 'services' : `${kind}s`),
      id,
    )
    const shipped = isShipped(cli, folder)
    const { files, test } = await scaffold({ root: cli.root, kind, id, folder, isShipped: shipped })
    const file = shipped ? placesOf(cli).bundled : placesOf(cli).user
    // Two plugins that provide the same would both be refused, so the new one is disabled while a rival is enabled.
    const [rival] = (await rivalsOf(cli, await readManifest(folder, id))).filter(({ enabled }) => enabled)
    await changeEntry(file, id, () => ({ id, source: sourceOf(file, folder), enabled: rival === undefined }))

    if (isGone)
      cli.print(
        `note: the registry named an earlier "${id}" in ${known.directory}, which is gone. The new one takes its place.`,
      )
    const shown = shipped ? relative(cli.root, folder) : folder
    cli.print(`Made the ${kind} "${id}":`)
    for (const path of files) cli.print(`  ${shipped ? relative(cli.root, path) : path}`)
    cli.print(
      `Registered in ${file}${rival === undefined ? '' : `, switched off: "${rival.id}" provides ${rival.token}, too, and is on`}.`,
    )
    cli.print('')
    cli.print(`Next: ${shipped ? `npx node ${relative(cli.root, test)}` : `cd ${folder} && npm test`}`)
    cli.print(`      npm run playhead -- plugin check ${shown}`)
    if (rival !== undefined)
      cli.print(`      npm run playhead -- plugin add ${shown} --replace     to have it in the place of "${rival.id}"`)
  },
}

function isKind(kind: string): kind is Template {
  return (TEMPLATES as readonly string[]).includes(kind)
}
